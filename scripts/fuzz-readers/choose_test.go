package main

import (
	"testing"
	"time"
)

// TestFailingTurns: a fuzz target whose build fails once has other turns later, and one that always
// fails does not keep the others from theirs.
func TestFailingTurns(t *testing.T) {
	once, never := &fuzzer{function: "FuzzOnce"}, &fuzzer{function: "FuzzNever"}
	others := []*fuzzer{{function: "FuzzA"}, {function: "FuzzB"}}
	fuzzers := append([]*fuzzer{once, never}, others...)
	totals := make(map[string]tally)
	for round := range 40 {
		f := choose(fuzzers, totals, round, false)
		if f == nil {
			t.Fatalf("nobody has turn %d", round)
		}
		f.turns++
		fails := f == never || f == once && f.turns == 1
		f.failed(fails, round+len(fuzzers))
		if !fails {
			totals[f.name()] = totals[f.name()].plus(tally{processor: time.Second})
		}
	}
	if never.turns != mostFailures || once.turns < 10 || others[0].turns < 10 || others[1].turns < 10 {
		t.Errorf("turns: %d of one that fails once, %d of one that always fails, %d and %d of the others", once.turns,
			never.turns, others[0].turns, others[1].turns)
	}
	for _, f := range fuzzers {
		f.turns = 1
	}
	if f := choose(fuzzers, totals, 0, true); f != nil {
		t.Errorf("%s has a second turn", f.name())
	}
}
