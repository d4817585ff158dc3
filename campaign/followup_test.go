package campaign

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
)

// TestNext checks that reductions leave room for confirmations, however many wait.
func TestNext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := &followUps{ctx: ctx, most: 4, mostReducing: 2}
	for range 3 {
		u.waiting = append(u.waiting, &followUp{Job: pace.Job{Stage: pace.Reducing}})
	}
	take := func(previous *followUp, stage pace.Stage) *followUp {
		t.Helper()
		f := u.next(previous)
		if f == nil || f.Stage != stage {
			t.Fatalf("%+v, want stage %d", f, stage)
		}
		return f
	}
	first := take(nil, pace.Reducing)
	second := take(nil, pace.Reducing)
	if f := u.next(nil); f != nil {
		t.Fatalf("a third reduction began, and left one place: %+v", f)
	}
	u.waiting = append(u.waiting, &followUp{Job: pace.Job{Stage: pace.Confirming}})
	confirming := take(nil, pace.Confirming)
	confirming.Stage = pace.Reducing // a confirmed hang
	if f := u.next(confirming); f != nil {
		t.Fatalf("a third reduction began: %+v", f)
	}
	third := take(first, pace.Reducing)
	if u.reducing != 2 {
		t.Fatalf("%d reductions", u.reducing)
	}
	u.waiting = append(u.waiting, &followUp{Job: pace.Job{Stage: pace.Reducing}})
	cancel() // now the waiting follow-ups are cut short
	take(nil, pace.Reducing)
	if u.next(second) != nil || u.next(third) != nil || u.reducing != 1 {
		t.Errorf("%d reductions", u.reducing)
	}
}
