package replay_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestRunOnce: every run has a process of its own, ends as its trace does, and
// leaves no process.
func TestRunOnce(t *testing.T) {
	counts := resolve(t, library(t, "counts"), "")
	for range 2 {
		got, err := replay.RunOnce(t.Context(), counts, tight, parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nval 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got.End != trace.Finished || got.Answers.At(2).Int() != 1 {
			t.Errorf("%v, solver %d of its process; want the first", got.End, got.Answers.At(2).Int())
		}
	}
	got, err := replay.RunOnce(t.Context(), resolve(t, library(t, "exits"), ""), tight, provoked(t))
	if err != nil || got.End != trace.Exited || got.Call != provokedSolve {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := replay.RunOnce(ctx, counts, tight, calm(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left := workers(t); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
}
