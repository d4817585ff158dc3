package campaign

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// powerTraces is the number of traces in which a profile has to find a defect; IPAFUZZ_POWER sets another
// number.
const powerTraces = 4000

const powerPage = `# What the profiles find

The built-in library has planted defects ("ipafuzz defects" lists them). The table says for each profile
([generators.md](../generators.md)) how many traces it needs until one shows the defect. Two numbers are for IPASIR and
IPAMIR, one is for the only interface that has the defect; - means that %[1]d traces did not show it. A leak counts from
the 21st trace on that leaves memory behind. The profiles wide, app, tuned, longhand, search, bulk, marathon, crowd and
published are left out: the built-in library takes long for their traces.

Made by "IPAFUZZ_UPDATE=1 IPAFUZZ_POWER=%[1]d go test -run '^$' -bench Power -benchtime 1x ./campaign".

~~~
%[2]s~~~
`

// BenchmarkPower prints how many traces every profile needs to find every planted defect of the built-in
// library. The first trace with a finding counts, confirmed or not. The profile mixed should find whatever
// another profile finds.
func BenchmarkPower(b *testing.B) {
	traces := uint64(powerTraces)
	if given := os.Getenv("IPAFUZZ_POWER"); given != "" {
		n, err := strconv.ParseUint(given, 10, 32)
		if err != nil {
			b.Fatalf("IPAFUZZ_POWER: %v", err)
		}
		traces = n
	}
	for b.Loop() {
		table := powerTable(b, traces)
		fmt.Println("\n" + table) // print it, since the log of a benchmark is cut
		if os.Getenv("IPAFUZZ_UPDATE") != "" {
			page := fmt.Sprintf(powerPage, traces, table)
			if err := os.WriteFile("../docs/measured/power.md", []byte(page), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func powerTable(b *testing.B, traces uint64) string {
	var names []string
	for _, p := range gen.Profiles() {
		switch p.Name {
		case "wide", "app", "tuned", "longhand", "search", "bulk", "marathon", "crowd", "published":
			// too slow for the built-in library
		default:
			names = append(names, p.Name)
		}
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEFECT\t"+strings.ToUpper(strings.Join(names, "\t")))
	missed := make(map[string]int)
	for _, d := range ref.Defects() {
		fmt.Fprintf(table, "%d %s", d.Number, d.Name)
		for _, name := range names {
			var counts []string
			for _, m := range apimodel.Models() {
				if d.Model != "both" && d.Model != m.Name {
					continue
				}
				if after := tracesToFinding(b, d, m, name, traces); after > 0 {
					counts = append(counts, fmt.Sprint(after))
				} else {
					missed[name]++
					counts = append(counts, "-")
				}
			}
			fmt.Fprint(table, "\t"+strings.Join(counts, "/"))
		}
		fmt.Fprintln(table)
	}
	fmt.Fprint(table, "not found")
	for _, name := range names {
		fmt.Fprintf(table, "\t%d", missed[name])
	}
	fmt.Fprintln(table)
	table.Flush()
	return text.String()
}

// tracesToFinding returns the number of traces up to the first finding, or 0 if there is
// none.
func tracesToFinding(b *testing.B, d ref.Defect, m *apimodel.Model, profile string, traces uint64) uint64 {
	target, err := targets.Resolve(fmt.Sprintf("ref:defect=%d", d.Number), m.Name, nil)
	if err != nil {
		b.Fatal(err)
	}
	limits := replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20}
	size := (&lineup.Lineup{Way: replay.Persistent}).QueueOptions()
	size.HeapStride = 1 // a leak counts at once
	s, err := replay.OpenQueue(target, replay.Persistent, limits, size)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	description, err := s.Description()
	if err != nil {
		b.Fatal(err)
	}
	generator, err := gen.New(gen.Config{Model: m, Description: description, Profile: profile})
	if err != nil {
		b.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: description.Policies})
	batch := &replay.Batch{Traces: make([]*trace.Trace, 0, 32)}
	var made [32]trace.Trace
	leaks := 0
	for from := uint64(0); from < traces; {
		batch.Traces = batch.Traces[:0]
		for i := range made {
			generator.Generate(gen.Seed(1, 0, from+uint64(i)), &made[i])
			batch.Traces = append(batch.Traces, &made[i])
		}
		if _, err := s.Post(batch); err != nil {
			b.Fatal(err)
		}
		batch, err = s.Collect()
		if err != nil {
			b.Fatal(err)
		}
		for i := 0; i < batch.Done; i++ {
			run := &batch.Runs[i]
			for range judge.Judge(batch.Traces[i], run) {
				return from + uint64(i) + 1
			}
			if run.Usage.HeapDelta > 0 && run.End == trace.Finished {
				if leaks++; leaks > 20 { // the first growth may be caches
					return from + uint64(i) + 1
				}
			}
		}
		from += uint64(max(batch.Done, 1))
	}
	return 0
}
