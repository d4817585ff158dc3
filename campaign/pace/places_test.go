package pace

import (
	"context"
	"slices"
	"testing"
	"time"
)

// queue makes a job wait for a place, and reports whether there is one at once.
func queue(p *Pacer, j *Job) bool {
	p.Queue(j)
	return !slices.Contains(p.queued, j)
}

// TestBegin checks that reductions leave room for confirmations, and slow jobs for quick ones, however many wait. The
// cheapest job gets the next place.
func TestBegin(t *testing.T) {
	p := NewPacer(1)
	p.places = places{slow: 1, lasting: 1, quick: 3, reducing: 2}
	job := func(stage Stage, slow, begins bool) *Job {
		t.Helper()
		j := &Job{Stage: stage, Slow: slow, Cost: 5}
		if queue(p, j) != begins {
			t.Fatalf("%+v begins: %t", j, !begins)
		}
		return j
	}
	first, second := job(Reducing, false, true), job(Reducing, false, true)
	third := job(Reducing, false, false)
	hang, again := job(Confirming, true, true), job(Confirming, true, false)
	job(Confirming, false, true)
	cheap := &Job{Stage: Reducing, Cost: 1}
	if queue(p, cheap) {
		t.Fatal("three reductions began")
	}
	p.Advance(hang, Reducing, 1) // it is confirmed, and keeps its place
	p.End(hang)
	if slices.Contains(p.queued, again) {
		t.Error("the place of a slow job is lost")
	}
	p.End(first)
	if slices.Contains(p.queued, cheap) || !slices.Contains(p.queued, third) {
		t.Error("the cheapest reduction did not begin")
	}
	if want := (places{slow: 1, quick: 3, reducing: 2}); p.taken != want {
		t.Errorf("%+v, want %+v", p.taken, want)
	}
	p.End(second)
	if begun, waiting := p.Waits(); slices.Contains(p.queued, third) || begun != 4 || waiting != 0 {
		t.Errorf("%d jobs have begun, %d wait", begun, waiting)
	}
}

// TestBeginInTurn checks that neither stage keeps the places of the other, and that the first jobs begin first.
func TestBeginInTurn(t *testing.T) {
	p := NewPacer(1)
	p.places = places{slow: 1, lasting: 1}
	busy := &Job{Slow: true}
	p.Queue(busy)
	var order []*Job
	for range 3 {
		for _, stage := range []Stage{Confirming, Reducing} {
			j := &Job{Stage: stage, Slow: true, Cost: time.Duration(len(order))}
			order = append(order, j)
			p.Queue(j)
		}
	}
	p.next = Confirming
	for i, j := range order {
		p.End(busy)
		if slices.Contains(p.queued, j) || len(p.queued) != len(order)-1-i {
			t.Fatalf("job %d does not begin; %d wait", i, len(p.queued))
		}
		busy = j
	}
}

// TestNothingBeginsAtTheEnd checks that a job which gets its place as the campaign ends gives it back.
func TestNothingBeginsAtTheEnd(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	for range 20 { // which of the two Begin sees first is chance
		p := NewPacer(1)
		j := new(Job)
		p.Queue(j)
		if err := p.Begin(ctx, j); err == nil || p.taken != (places{}) {
			t.Fatalf("it begins: %v, %+v", err, p.taken)
		}
	}
}

// TestSlowPlaces checks that a crash in a slow trace finds a place while hangs are confirmed and slow traces reduced.
func TestSlowPlaces(t *testing.T) {
	p := NewPacer(1)
	p.places = placesFor(1, 1000)
	var begun []*Job
	for range forSlow {
		for _, j := range []*Job{{Slow: true, AtLimit: true}, {Stage: Reducing, Slow: true}} {
			if queue(p, j) {
				begun = append(begun, j)
			}
		}
	}
	if len(begun) != forSlow-forEnding {
		t.Fatalf("%d of the slow places are taken", len(begun))
	}
	crash := &Job{Slow: true}
	if !queue(p, crash) {
		t.Error("the crash does not begin")
	}
	p.End(crash)
	if p.taken.slow != forSlow-forEnding {
		t.Error("a place for failures that end was taken")
	}
}

// TestPlaces checks that each kind of job has a place, however few file descriptors there are.
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
