package campaign

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

const (
	unburdenedTime = 3 * time.Second  // of a campaign without the burden
	leastTime      = 6 * time.Second  // of a campaign with the burden, unless it finds everything earlier
	mostTime       = 20 * time.Second // of any campaign
	worstRatio     = 5                // factor by which a burdened campaign runs longer than it should take
	atOnce         = time.Second      // shorter times count as this
	usualDefects   = 12
	usualRuns      = 5
)

// BenchmarkBurdened compares how long campaigns take to the first and to the last finding of planted
// defects in a library that is expensive in some way (cexternal/ref/burdens.h) with the times in the same
// library without the burden. The campaigns have default settings and one worker.
//
// Five campaigns without the burden, with different seeds, decide what to find. The first finding must have
// a class that one of them has found within three seconds: failures of the burden itself mostly have other
// classes. The last finding completes the keys that all of them have found. A finding counts when it is announced.
// Five burdened campaigns run until they have found all of these, or for five times as long as it should take. A ratio
// compares the medians of both; times below a second count as a second, because nobody notices the difference.
//
// The campaigns of a defect take turns. Five more without the burden show how much of the ratios is chance:
// they are the row "none". A median may be the time of a campaign that missed something, and is too small then.
//
// IPAFUZZ_DEFECTS=n takes every n-th defect, IPAFUZZ_RUNS=n means n campaigns, IPAFUZZ_SEED another seed.
func BenchmarkBurdened(b *testing.B) {
	seed, stride := testseed.Of(b, 1), benchSetting(b, "IPAFUZZ_DEFECTS", usualDefects)
	runs := benchSetting(b, "IPAFUZZ_RUNS", usualRuns)
	var rows []burdenedRow
	for b.Loop() {
		rows = nil
		for _, d := range ref.PropositionalDefects() {
			if d.Model == "ipasir2" {
				continue // the library of this model has no burdens
			}
			if uint64(d.Number)%uint64(stride) == seed%uint64(stride) {
				rows = append(rows, measureDefect(b, d, seed, runs))
			}
		}
		fmt.Printf("\n%s", burdenedTable(rows, seed))
	}
	for _, burden := range append([]string{"none"}, burdens...) {
		b.Run(burden, func(b *testing.B) {
			for b.Loop() {
			}
			reportBurden(b, burden, rows)
		})
	}
}

// TestBurdenedDefectIsFound is a short form of the benchmark: a defect of a burdened library is found in a
// time that suffices even on a busy machine. Slow solves are left out, because they just take their time.
func TestBurdenedDefectIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	wanted := map[oracle.Class]bool{oracle.NotOptimal: true, oracle.OneValueDiffers: true}
	for _, burden := range []string{"tables", "memory", "hangs"} {
		timed := timedCampaign(t, "ref:defect=redeclare-adds,burden="+burden, "ipamir", testseed.Of(t, 1), time.Minute,
			func(at map[oracle.Key]time.Duration, _ time.Duration) bool { return first(at, wanted) > 0 })
		t.Logf("%s: %v, %d traces", burden, first(timed.announced, wanted).Round(time.Millisecond), timed.traces)
		if first(timed.announced, wanted) == 0 {
			t.Errorf("%s: not found in %d traces: %v", burden, timed.traces, timed.announced)
		}
	}
}

// A burdenedRow has the measurements of one defect.
type burdenedRow struct {
	defect      ref.Defect
	model       string
	keys        int // that all campaigns without a burden found
	first, last time.Duration
	of          map[string]burdenedRuns
}

// Burdened runs are some campaigns with a burden.
type burdenedRuns struct {
	first, last           times
	firstRatio, lastRatio float64
	timings               []timing
}

func measureDefect(b *testing.B, d ref.Defect, seed uint64, runs int) burdenedRow {
	row := burdenedRow{defect: d, model: d.Model, of: make(map[string]burdenedRuns)}
	if d.Model == "both" {
		row.model = apimodel.Models()[d.Number%2].Name
	}
	plain := fmt.Sprintf("ref:defect=%d", d.Number)
	var usual []timing
	var wanted []oracle.Key
	for i := range runs {
		next := timedCampaign(b, plain, row.model, seed+uint64(i), mostTime,
			func(at map[oracle.Key]time.Duration, elapsed time.Duration) bool {
				return elapsed > unburdenedTime && (len(common(wanted, at)) > 0 || len(usual) == 0 && len(at) > 0)
			})
		if usual = append(usual, next); len(usual) == 1 {
			wanted = slices.Collect(maps.Keys(next.announced))
		}
		wanted = common(wanted, next.announced)
	}
	if row.keys = len(wanted); row.keys == 0 {
		return row
	}
	classes := make(map[oracle.Class]bool)
	for _, of := range usual {
		for key := range of.announced {
			classes[key.Class] = true
		}
	}
	var firsts, lasts times
	for _, of := range usual {
		firsts.add(first(of.announced, classes), mostTime)
		lasts.add(last(of.announced, wanted), mostTime)
	}
	row.first, row.last = firsts.median(), lasts.median()
	limit := min(max(worstRatio*max(row.last, atOnce), leastTime), mostTime)
	complete := func(at map[oracle.Key]time.Duration, _ time.Duration) bool {
		return len(common(wanted, at)) == len(wanted)
	}
	for i := range runs {
		for _, burden := range append([]string{"none"}, burdens...) {
			timed := timedCampaign(b, plain+",burden="+burden, row.model, seed+uint64(runs+i), limit, complete)
			of := row.of[burden]
			of.timings = append(of.timings, timed)
			of.first.add(first(timed.announced, classes), limit)
			of.last.add(last(timed.announced, wanted), limit)
			of.firstRatio, of.lastRatio = ratio(of.first.median(), row.first), ratio(of.last.median(), row.last)
			row.of[burden] = of
		}
	}
	return row
}

// times are those of a finding in several campaigns.
type times struct {
	all    []time.Duration
	missed int
}

// add adds the time of one campaign; 0 means that it had nothing by the limit.
func (s *times) add(at, limit time.Duration) {
	if at == 0 {
		at = limit
		s.missed++
	}
	s.all = append(s.all, at)
}

func (s *times) median() time.Duration {
	sorted := slices.Sorted(slices.Values(s.all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// isBound reports whether the median is that of campaigns that missed something, so at least that long.
func (s *times) isBound() bool { return 2*s.missed >= len(s.all) }

// mark returns what stands before the median in tables.
func (s *times) mark() string {
	if s.isBound() {
		return ">"
	}
	return ""
}

func ratio(of, to time.Duration) float64 {
	return max(of, atOnce).Seconds() / max(to, atOnce).Seconds()
}

// common returns those of the keys that a campaign found.
func common(keys []oracle.Key, at map[oracle.Key]time.Duration) (both []oracle.Key) {
	for _, key := range keys {
		if _, found := at[key]; found {
			both = append(both, key)
		}
	}
	return both
}

// first returns when the first finding of one of the classes was announced; 0: never.
func first(at map[oracle.Key]time.Duration, classes map[oracle.Class]bool) (first time.Duration) {
	for key, when := range at {
		if classes[key.Class] && (first == 0 || when < first) {
			first = when
		}
	}
	return first
}

// last returns when the last of the keys was found; 0: not all were.
func last(at map[oracle.Key]time.Duration, keys []oracle.Key) (last time.Duration) {
	for _, key := range keys {
		when, found := at[key]
		if !found {
			return 0
		}
		last = max(last, when)
	}
	return last
}

// A timing says when a campaign announced each key. The keys lack the target.
type timing struct {
	announced  map[oracle.Key]time.Duration
	traces     uint64
	standstill float64       // share of its time
	longest    time.Duration // longest standstill
	overrun    time.Duration // from the limit to the end of the campaign
}

// timedCampaign runs a campaign with default settings and one worker, until a limit or until it is done.
// Its time includes loading the target. Findings after the limit do not count.
func timedCampaign(b testing.TB, spec, model string, seed uint64, limit time.Duration,
	done func(at map[oracle.Key]time.Duration, elapsed time.Duration) bool) timing {
	b.Helper()
	file, err := targets.ReadFile("../cexternal/adapters/targets.toml")
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	target, err := targets.Resolve(spec, model, file)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithTimeout(b.Context(), limit)
	defer stop()
	var mu sync.Mutex
	result := timing{announced: make(map[oracle.Key]time.Duration)}
	note := func(f *store.Finding) {
		key := f.Key
		key.Target = ""
		mu.Lock()
		defer mu.Unlock()
		// Findings at the end of a campaign say nothing about its search.
		if _, known := result.announced[key]; !known && ctx.Err() == nil {
			result.announced[key] = time.Since(begun)
		}
	}
	c, err := New(Config{Cells: source.Cells([]*replay.Target{target}), Factor: 100, Seed: seed, Way: replay.Persistent,
		Limits: replay.DefaultLimits, Workers: 1, Others: true, Learn: true, Out: b.TempDir(), Program: "ipafuzz",
		OnConfirmed: note, OnFinding: note})
	if err != nil {
		b.Fatal(err)
	}
	running := time.Now()
	var ended time.Time
	var stood pace.Standstill
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case now := <-tick.C:
				mu.Lock()
				if done(result.announced, now.Sub(begun)) {
					stop()
				}
				mu.Unlock()
			case <-ctx.Done():
				ended = time.Now()
				stood = c.Stats().FollowUps.Standstill
				return
			}
		}
	})
	summary, err := c.Run(ctx)
	if err != nil {
		b.Fatal(err)
	}
	stop()
	watching.Wait()
	result.traces, result.overrun, result.longest = summary.Traces, time.Since(ended), stood.Longest
	result.standstill = stood.Total.Seconds() / ended.Sub(running).Seconds()
	return result
}

// reportBurden reports the metrics of a burden over all defects.
func reportBurden(b *testing.B, burden string, rows []burdenedRow) {
	var first, last, stood, longest, overrun []float64
	incomplete := 0
	for _, row := range rows {
		of, measured := row.of[burden]
		if !measured {
			continue
		}
		first, last = append(first, of.firstRatio), append(last, of.lastRatio)
		share := 0.0 // in which all campaigns of the defect stood still
		for _, timed := range of.timings {
			share += 100 * timed.standstill / float64(len(of.timings))
			longest, overrun = append(longest, timed.longest.Seconds()), append(overrun, timed.overrun.Seconds())
		}
		stood = append(stood, share)
		if of.last.isBound() {
			incomplete++
		}
	}
	b.ReportMetric(0, "ns/op")
	if len(first) == 0 {
		return
	}
	b.ReportMetric(float64(len(first)), "defects")
	b.ReportMetric(median(first), "first-median")
	b.ReportMetric(slices.Max(first), "first-worst")
	b.ReportMetric(median(last), "last-median")
	b.ReportMetric(slices.Max(last), "last-worst")
	b.ReportMetric(float64(incomplete), "incomplete")
	b.ReportMetric(median(stood), "standstill-median-%")
	b.ReportMetric(slices.Max(stood), "standstill-worst-%")
	b.ReportMetric(slices.Max(longest), "longest-gap-s")
	b.ReportMetric(slices.Max(overrun), "overrun-s")
}

// burdenedTable prints the ratios of the first and the last finding for all defects. A > marks a median
// of campaigns that missed something.
func burdenedTable(rows []burdenedRow, seed uint64) string {
	var text strings.Builder
	fmt.Fprintf(&text, "time to the first/last finding as a multiple of that without a burden, seed %d\n", seed)
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "DEFECT\tMODEL\tKEYS\tFIRST\tLAST\tNONE\t%s\n", strings.ToUpper(strings.Join(burdens, "\t")))
	for _, row := range rows {
		fmt.Fprintf(table, "%d %s\t%s\t%d\t%.2f s\t%.2f s", row.defect.Number, row.defect.Name, row.model, row.keys,
			row.first.Seconds(), row.last.Seconds())
		for _, burden := range append([]string{"none"}, burdens...) {
			of, measured := row.of[burden]
			if !measured {
				fmt.Fprint(table, "\t-")
				continue
			}
			fmt.Fprintf(table, "\t%s%.1f/%s%.1f", of.first.mark(), of.firstRatio, of.last.mark(), of.lastRatio)
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	return text.String()
}

// benchSetting returns the number in an environment variable, or the usual one.
func benchSetting(b *testing.B, variable string, usual int) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(variable), strconv.Itoa(usual)))
	if err != nil || n < 1 {
		b.Fatalf("%s: want a number from 1 on", variable)
	}
	return n
}
