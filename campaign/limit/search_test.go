package limit

import (
	"testing"
	"time"
)

// TestSearch checks when the search sets a trace aside.
func TestSearch(t *testing.T) {
	const µs, ms = time.Microsecond, time.Millisecond
	needs := func(all, kind time.Duration, lost float64) Needs {
		return Needs{Expectation: Expectation{Usual: all, Basis: Traces}, All: all, Kind: kind, Lost: lost}
	}
	for _, row := range []struct {
		name  string
		needs Needs
		hangs bool
		want  time.Duration
	}{
		{"usual", needs(µs, µs, 0), false, leastCalm},
		{"a millisecond", needs(µs, ms, 0), false, mostCalm},
		{"an expensive kind", needs(µs, time.Second, 0), false, mostCostly},
		{"a slow library", needs(300*ms, 300*ms, 0), false, 3 * time.Second},
		{"at the beginning", Needs{}, false, unknown},
		{"at the beginning, and it hangs", Needs{}, true, unknown},
		{"after a quick call", Needs{Expectation: Expectation{10 * µs, OneCall}}, true, unknown},
		{"after a slow call", Needs{Expectation: Expectation{2 * time.Second, OneCall}}, true, 20 * time.Second},
		{"it hangs", needs(µs, µs, 0), true, leastHanging},
		{"most of the time is lost", needs(µs, µs, 0.99), false, leastHurried},
		{"a tenth of the time is lost", needs(µs, µs, hurriedShare), false, leastCalm},
		{"a fifth of the time is lost", needs(10*ms, 10*ms, 0.2), false, 165 * ms},
		{"nine tenths of the time are lost", needs(10*ms, 10*ms, 0.9), false, 100 * ms},
	} {
		if got := Search(row.needs, row.hangs); got != row.want {
			t.Errorf("%s: set aside after %v, want %v", row.name, got, row.want)
		}
	}
	lost := needs(µs, µs, 0.99)
	if got := Calm(lost); got != leastCalm {
		t.Errorf("calm: set aside after %v, want %v", got, leastCalm)
	}
	if lost.Patience = 1; Calm(lost) != 2*leastCalm {
		t.Errorf("after a trace that ended in the end: %v", Calm(lost))
	}
}

// TestExpectation checks which traces must hang.
func TestExpectation(t *testing.T) {
	for _, row := range []struct {
		usual, took time.Duration
		hangs, long bool
	}{
		{0, time.Hour, false, false},
		{time.Microsecond, 5 * time.Second, true, false},
		{300 * time.Millisecond, 5 * time.Second, false, false},
		{2 * time.Second, 5 * time.Second, false, true},
	} {
		e := Expectation{Usual: row.usual}
		if e.Hangs(row.took) != row.hangs || e.Exceeds(row.took) != row.long || e.Exceeds(0) {
			t.Errorf("%+v: hangs %t, exceeds %t", row, e.Hangs(row.took), e.Exceeds(row.took))
		}
	}
}
