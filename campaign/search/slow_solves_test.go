package search

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestSlowSolves checks that a trace is not suspected to hang if it only has too many solves for the limit of the user,
// and that it is if a solve takes much longer than others, or has less time than the user allows.
func TestSlowSolves(t *testing.T) {
	s, emitted := newSearch(t, "ref", "ipasir", gen.Config{})
	l := openLane(t, s)
	const usual = time.Second
	l.costs.Ran([]cost.Sample{{Took: 3 * usual, Answered: 3 * usual, Solves: 3}})
	made := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\nsolve\nadd 1 0\nsolve\n")
	for _, row := range []struct {
		name  string
		call  int // that a time limit ended
		took  time.Duration
		hurry bool // the search waits for less than the user allows
		want  bool // it is suspected
	}{
		{"as usual", 1, usual * 3 / 2, false, false},
		{"much longer", 1, usual * 3, false, true},
		{"in another call", 2, usual, false, true},
		{"the search waits for less", 1, usual * 3 / 2, true, true},
	} {
		l.limits = s.Limits
		if row.hurry {
			l.limits.CPU /= 2
		}
		run := &trace.Run{End: trace.OutOfCPU, Call: row.call, Usage: trace.Usage{WallNanos: uint64(row.took)}}
		l.judged, l.failed = run, false
		f := oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: row.name, Call: row.call}
		l.report(0, made, f, source.Origin{Stream: s.Book.Cells[0].Stream}, 0)
		got := len(*emitted) > 0
		*emitted = nil
		if got != row.want || l.failed != row.want {
			t.Errorf("%s: suspected %t, failed %t", row.name, got, l.failed)
		}
	}
}

// TestAllAreLong checks that no other lane stands in for one that waits if the target takes seconds for all traces.
func TestAllAreLong(t *testing.T) {
	s, _ := newSearch(t, "ref", "ipasir", gen.Config{})
	l := openLane(t, s)
	check := func(what string, want bool) {
		t.Helper()
		if l.allAreLong() != want {
			t.Errorf("%s: all traces are long: %t", what, !want)
		}
	}
	check("nothing is known", false)
	l.costs.Tried(s.Limits.CPU / 2)
	check("after a slow call", true)
	ran := func(took time.Duration) {
		for range 50 {
			l.costs.Ran([]cost.Sample{{Took: took}})
		}
	}
	ran(time.Millisecond)
	check("after quick traces", false)
	for range 50 {
		ran(s.Limits.CPU)
	}
	check("after slow traces", true)
}

// TestKnownHangIsSampled checks that a trace that seems to have a known hang is emitted once the hang is a finding:
// before, it would delay the hang that is being confirmed.
func TestKnownHangIsSampled(t *testing.T) {
	s, emitted := newSearch(t, "ref", "ipasir", gen.Config{})
	l := openLane(t, s)
	s.Budgets.Hangs.Free = time.Minute
	l.judged = new(trace.Run)
	made := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\nsolve\n")
	f := oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: "in solve", Weight: oracle.SmallWeights}
	from := source.Origin{Stream: s.Book.Cells[0].Stream}
	hang := store.New(t.Context(), "ref", f, made, from)
	s.Registry.Wants(hang.Key, true)
	l.report(0, made, f, from, 0)
	if len(*emitted) > 0 {
		t.Error("a sample delays the hang that is being confirmed")
	}
	s.Registry.Settled(hang.Key, true)
	s.Registry.Restore(hang) // from now on, it is known
	l.report(0, made, f, from, 0)
	if len(*emitted) != 1 || (*emitted)[0].Kind != suspect.Hung {
		t.Errorf("emitted %+v", *emitted)
	}
}
