package search

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestStandIn checks that a side lane runs traces while its lane waits for the target, and not afterwards, even if
// another side lane is busy. A lane whose traces often hang does not first wait for the usual time of its batch.
func TestStandIn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		usual time.Duration
		hangs bool
	}{"a short batch": {0, false}, "a long batch of a target that hangs": {time.Hour, true}} {
		c, _ := newSearch(t, "ref", "ipasir", gen.Config{Profile: "tiny"})
		l, err := c.newLane(t.Context(), 0, c.QueueOptions())
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
		b.cell, b.usual = c.Book.Cells[0], row.usual
		err = l.await(b, func() error {
			for deadline := time.Now().Add(time.Minute); c.Book.Judged.Load() < 100 && time.Now().Before(deadline); {
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
	c, _ := newSearch(t, "ref", "ipasir", gen.Config{Profile: "tiny"})
	l := openLane(t, c)
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
	c, _ := newSearch(t, "ref", "ipamir", gen.Config{Without: []string{"proofs"}})
	of := c.Book.Cells[0]
	c.Book.Grow(of)
	l, err := c.newLane(t.Context(), 0, c.QueueOptions())
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

// TestFirstHang checks that no other trace takes time from the first hang, until something is known of the target.
func TestFirstHang(t *testing.T) {
	s, _ := newSearch(t, "ref", "ipasir", gen.Config{Profile: "tiny"})
	l := openLane(t, s)
	if l.isFirstHang() {
		t.Error("nothing hangs")
	}
	s.Registry.Wants(oracle.Key{Target: "ref", Class: oracle.TooSlow}, true)
	if !l.isFirstHang() {
		t.Error("other traces take time from the first hang")
	}
	l.costs.Tried(2 * time.Second) // a call that ran alone took so long
	if l.isFirstHang() {
		t.Error("slow calls are usual")
	}
}

// TestNoLaneAfterTheEnd checks that the end of a campaign ends the start of a target.
func TestNoLaneAfterTheEnd(t *testing.T) {
	s, _ := newSearch(t, "ref", "ipasir", gen.Config{})
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := s.newLane(over, 0, replay.DefaultQueue); err != over.Err() {
		t.Errorf("a lane was opened after the end: %v", err)
	}
}
