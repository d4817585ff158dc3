package campaign

import (
	"context"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
)

// TestNext checks that reductions leave room for confirmations, and slow follow-ups for quick ones, however many
// wait.
func TestNext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := &followUps{ctx: ctx, places: places{slow: 1, lasting: 1, quick: 3, reducing: 2}}
	wait := func(stage pace.Stage, slow bool) {
		u.waiting = append(u.waiting, &followUp{Job: pace.Job{Stage: stage, Slow: slow}})
	}
	take := func(previous *followUp, stage pace.Stage) *followUp {
		t.Helper()
		f := u.next(previous)
		if f == nil || f.Stage != stage {
			t.Fatalf("%+v, want stage %d", f, stage)
		}
		return f
	}
	none := func(previous *followUp) {
		t.Helper()
		if f := u.next(previous); f != nil {
			t.Fatalf("one too many began: %+v", f)
		}
	}
	for range 3 {
		wait(pace.Reducing, false)
	}
	first := take(nil, pace.Reducing)
	second := take(nil, pace.Reducing)
	none(nil)
	wait(pace.Confirming, true)
	wait(pace.Confirming, true)
	hang := take(nil, pace.Confirming)
	none(nil)
	wait(pace.Confirming, false)
	if quick := take(nil, pace.Confirming); quick.Slow {
		t.Fatal("a second slow one began")
	}
	hang.Stage = pace.Reducing // it is confirmed
	if again := take(hang, pace.Confirming); !again.Slow {
		t.Fatal("a quick one took a place that only slow ones have")
	}
	third := take(first, pace.Reducing)
	if want := (places{slow: 1, quick: 3, reducing: 2}); u.taken != want {
		t.Fatalf("%+v, want %+v", u.taken, want)
	}
	wait(pace.Reducing, false)
	cancel() // now the waiting follow-ups are cut short
	take(nil, pace.Reducing)
	none(second)
	none(third)
	if u.taken.reducing != 1 {
		t.Errorf("%d reductions", u.taken.reducing)
	}
}

// TestSlowPlaces checks that a crash in a slow trace finds a place while hangs are confirmed and slow traces reduced.
func TestSlowPlaces(t *testing.T) {
	u := &followUps{ctx: t.Context(), places: placesFor(1, 1000)}
	for range forSlow {
		u.waiting = append(u.waiting, &followUp{Job: pace.Job{Slow: true}, atLimit: true},
			&followUp{Job: pace.Job{Stage: pace.Reducing, Slow: true}})
	}
	for range forSlow - forEnding {
		if u.next(nil) == nil {
			t.Fatal("a slow place stays empty")
		}
	}
	if f := u.next(nil); f != nil {
		t.Fatalf("a place for failures that end was taken: %+v", f)
	}
	crash := &followUp{Job: pace.Job{Slow: true}}
	u.waiting = append(u.waiting, crash)
	if u.next(nil) != crash {
		t.Error("the crash does not begin")
	}
	if f := u.next(crash); f != nil {
		t.Errorf("a place for failures that end was taken: %+v", f)
	}
}

// TestPlaces checks that each kind of follow-up has a place, however few file descriptors there are.
func TestPlaces(t *testing.T) {
	for _, row := range []struct {
		workers, affordable int
		want                places
	}{
		{1, 1000, places{slow: 4, lasting: 3, quick: 6, reducing: 4}},
		{8, 1000, places{slow: 4, lasting: 3, quick: 20, reducing: 18}},
		{1, 4, places{slow: 1, lasting: 1, quick: 3, reducing: 1}},
		{1, 1, places{slow: 1, lasting: 1, quick: 1, reducing: 1}},
	} {
		if got := placesFor(row.workers, row.affordable); got != row.want {
			t.Errorf("%d workers, %d affordable: %+v, want %+v", row.workers, row.affordable, got, row.want)
		}
	}
}
