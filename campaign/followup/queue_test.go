package followup

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestTheEndCutsFollowUps ends a campaign while a follow-up of each stage waits for its end, for a turn, or to begin.
// All of them must see the end of the campaign without delay, and a failure that was not confirmed is kept with its
// trace.
func TestTheEndCutsFollowUps(t *testing.T) {
	t.Parallel()
	const many = 256
	u := newFollowUps(t, "ref", "ipasir", testlineup.Limits)
	ctx, end := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer end()
	u.Begin(ctx)
	from, made := first(u), new(trace.Trace)
	from.Again(t.Context(), made)
	found := store.New(t.Context(), "ref", oracle.Finding{Class: "1.5", Detail: "in solve"}, made, from)
	cuts := make(chan pace.Stage, many)
	for n := range many {
		stage := pace.Stage(n) % pace.Stages
		one := &task{Job: pace.Job{Stage: stage, Slow: n%4 < 2}, from: from,
			do: func(inner context.Context, _ *follower) (*task, error) {
				select {
				case <-inner.Done():
				case <-time.After(time.Minute):
					t.Error("the campaign has ended, and a follow-up goes on")
				}
				return nil, context.Cause(inner)
			}}
		if stage == pace.Confirming {
			one.seen = found
		} else {
			one.cut = func() { cuts <- stage }
		}
		u.add(one)
	}
	u.Wait()
	got := u.Registry.Outcome().Unconfirmed
	if len(cuts) != many/2 || len(got) != 1 || !got[0].CutShort || got[0].Trace == nil {
		t.Fatalf("%d of %d reductions were cut, and these failures are unconfirmed: %+v", len(cuts), many/2, got)
	}
}
