package campaign

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// TestLargerBeside checks that the side lane runs larger traces, that each number counts once, and that the archive
// has the traces that ran.
func TestLargerBeside(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Cells[0].Generate = gen.Config{Without: []string{"proofs"}}
	config.Traces, config.Out, config.Archive = 0, t.TempDir(), true
	c := newCampaign(t, config, unreduced)
	of := c.book.Cells[0]
	c.book.Grow(of)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	larger := func() (ran uint64) {
		for name, use := range c.Stats().Cells[0].Profiles {
			if slices.Contains(largerProfiles, strings.Split(name, "/")[0]) {
				ran += use.Traces
			}
		}
		return ran
	}
	go func() {
		for ctx.Err() == nil && (larger() == 0 || c.Stats().Cells[0].Postponed == 0) {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	summary, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if larger() == 0 {
		t.Errorf("no larger trace ran in a minute: %+v", summary.Cells[0].Profiles)
	}
	done := of.Numbers.Next
	left, _ := of.Numbers.Unfinished()
	for _, r := range left {
		done -= r.To - r.From
	}
	if counted := of.Counts.Traces + of.Counts.Postponed; counted != done {
		t.Errorf("%d traces ran and %d were postponed, of %d numbers", of.Counts.Traces, of.Counts.Postponed, done)
	}
	if kept := archived(t, config.Out); kept != of.Counts.Traces {
		t.Errorf("%d traces ran, and %d are in the archive", of.Counts.Traces, kept)
	}
}

// archived returns the number of traces in the archives of a campaign.
func archived(t *testing.T, dir string) (n uint64) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "archive", "*.traces.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		r, err := archive.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n += uint64(r.Len())
		r.Close()
	}
	return n
}

// TestStandIn checks that a side lane runs traces while its lane waits for the target, and not afterwards, even if
// another side lane is busy. A lane whose traces often hang does not first wait for the usual time of its batch.
func TestStandIn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		usual time.Duration
		hangs bool
	}{"a short batch": {0, false}, "a long batch of a target that hangs": {time.Hour, true}} {
		config := testConfig(t, "ref", "ipasir")
		config.Traces, config.Way = 0, replay.Persistent
		c := newCampaign(t, config, unreduced)
		l, err := c.newLane(t.Context(), 0, streamSize(config.Way))
		if err != nil {
			t.Fatal(err)
		}
		busy := newSideLane()
		close(busy.ended)
		l.side = append(sideLanes{busy}, c.newSideLanes(t.Context(), 0)...)
		if row.hangs {
			l.costs.Ran([]cost.Sample{{Took: time.Hour, Cut: true}})
		}
		b := l.free[0]
		b.cell, b.usual = c.book.Cells[0], row.usual
		err = l.await(b, func() error {
			for deadline := time.Now().Add(time.Minute); c.book.Judged.Load() < 100 && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			return nil
		})
		l.close()
		counts, numbers := b.cell.Counts, &b.cell.Numbers
		left, _ := numbers.Unfinished()
		if err != nil || counts.Traces < 100 || numbers.Next != counts.Traces+counts.Postponed || len(left) > 0 {
			t.Errorf("%s: %v; %d traces ran meanwhile, of %d numbers, of which %v are not done", name, err,
				counts.Traces, numbers.Next, left)
		}
	}
}

// TestStandInHurries checks that a side lane that stands in for a lane waits for no trace that takes long, and that it
// runs larger traces with more time.
func TestStandInHurries(t *testing.T) {
	config := testConfig(t, "ref", "ipasir")
	config.Traces = 0
	c := newCampaign(t, config, unreduced)
	l, err := c.newLane(t.Context(), 0, streamSize(config.Way))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	usual, dear := cost.Kind{Profile: "usual", Calls: 10}, cost.Kind{Profile: "dear", Calls: 1000}
	for range 1000 {
		l.costs.Ran([]cost.Sample{{Kind: usual, Took: 20 * time.Microsecond}})
	}
	for range 10 {
		l.costs.Ran([]cost.Sample{{Kind: dear, Took: 100 * time.Millisecond}})
	}
	l.posted = []*numbered{{price: l.costs.UsualOfAll([]cost.Kind{dear})}}
	defer func() { l.posted = nil }()
	l.isSide = true
	ended, end := context.WithCancel(t.Context())
	end()
	for _, task := range []sideTask{{until: ended}, {}} {
		if err := l.runBeside(ended, task); err != nil {
			t.Fatal(err)
		}
		l.setLimits()
		standsIn, hurries := task.until != nil, l.limits.CPU <= 10*time.Millisecond
		if hurries != standsIn || l.isLong(dear) != standsIn || l.isLong(usual) {
			t.Errorf("stands in: %t; it waits for %v, leaves out long traces: %t, usual ones: %t", standsIn, l.limits.CPU,
				l.isLong(dear), l.isLong(usual))
		}
	}
}

// A narrow queue takes one trace at a time, as a queue does whose traces are too long for its memory.
type narrow struct{ replay.Queue }

func (q narrow) Post(b *replay.Batch) (int, error) {
	b.Traces = b.Traces[:1]
	return q.Queue.Post(b)
}

// TestHandOverOnce checks that a larger trace runs once if the queue did not take it with the batch for which it was
// first made.
func TestHandOverOnce(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Cells[0].Generate = gen.Config{Without: []string{"proofs"}}
	config.Traces = 0
	c := newCampaign(t, config, unreduced)
	of := c.book.Cells[0]
	c.book.Grow(of)
	l, err := c.newLane(t.Context(), 0, streamSize(config.Way))
	if err != nil {
		t.Fatal(err)
	}
	l.stream = narrow{l.stream}
	handed := make(map[uint64]int)
	s := newSideLane()
	l.side = sideLanes{s}
	go func() {
		defer close(s.ended)
		for {
			select {
			case task := <-s.tasks:
				if task.until == nil { // otherwise it stands in for a lane that waits long
					handed[task.larger.From]++
				}
			case <-s.quit:
				return
			}
		}
	}()
	l.turn = &book.Turn{Cell: of, Length: time.Hour, ReadyAt: time.Now()}
	l.size = len(l.free[0].traces)
	for of.Numbers.Next < 2000 || !l.pending.Empty() {
		if _, err := l.post(t.Context()); err != nil {
			t.Fatal(err)
		}
		for len(l.posted) > 0 {
			if err := l.collect(); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.close()
	if len(handed) == 0 {
		t.Error("no larger trace was handed over")
	}
	for number, times := range handed {
		if times != 1 {
			t.Errorf("trace %d was handed over %d times", number, times)
		}
	}
}
