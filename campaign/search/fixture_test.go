package search

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/gen"
)

// newSearch returns a search in a target that has not begun. Suspects go to emitted.
func newSearch(t *testing.T, target, model string, kind gen.Config) (s *Search, emitted *[]*suspect.Suspect) {
	t.Helper()
	p, emitted := testlineup.Load(t, target, model, testlineup.Limits, kind), new([]*suspect.Suspect)
	return New(Config{Lineup: p.Lineup, Book: p.Book, Registry: p.Registry, Pacer: p.Pacer, Clock: p.Clock,
		Budgets: p.Budgets, Progress: new(pace.Search), Halt: new(pace.Halt), Others: true, Weighs: true,
		Rests: func() bool { return false }, Emit: func(x *suspect.Suspect) { *emitted = append(*emitted, x) },
		Stop: func(err error) { t.Error(err) }}), emitted
}

// openLane opens a lane until the test ends.
func openLane(t *testing.T, s *Search) *lane {
	t.Helper()
	l, err := s.newLane(t.Context(), 0, s.QueueOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}
