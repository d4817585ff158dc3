package pace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// A clock is a time that only tests change.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func started(workers int) (*Pacer, *clock) {
	c := &clock{at: time.Unix(1, 0)}
	return newPacer(workers, c.now), c
}

// admitted reports whether a job may run a trial now.
func admitted(j *Job) bool {
	select {
	case <-j.leave:
		return true
	default:
		return false
	}
}

// ask lets a job call Enter in its own goroutine, and returns when the job waits or was let in.
func ask(t *testing.T, p *Pacer, j *Job) {
	t.Helper()
	go p.Enter(t.Context(), j)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		known := slices.Contains(p.waiting, j) || p.running[j]
		p.mu.Unlock()
		if known {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the job never asked")
		}
	}
}

// TestOrder checks which of the waiting jobs goes next.
func TestOrder(t *testing.T) {
	p, _ := started(1)
	first := new(Job)
	if err := p.Enter(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	jobs := []*Job{ // in the order in which they should go
		{Stage: Reducing, Cost: time.Millisecond}, {Stage: Confirming, Cost: time.Second},
		{Stage: Reducing, Cost: time.Second}, {Stage: Confirming, Cost: 2 * time.Second},
		{Stage: Reducing, Cost: time.Millisecond, used: time.Minute},
	}
	for _, at := range []int{4, 2, 0, 3, 1} {
		ask(t, p, jobs[at])
	}
	for i, last := 0, first; i < len(jobs); i++ {
		p.Leave(last)
		for k, j := range jobs {
			if want := k <= i; admitted(j) != want {
				t.Fatalf("after %d trials, job %d was admitted: %v", i+1, k, !want)
			}
		}
		last = jobs[i]
	}
}

// TestSlowOrder checks that a slow job that has used much time gives way to a new one.
func TestSlowOrder(t *testing.T) {
	crash := &Job{Stage: Confirming, Slow: true, serial: 2}
	for used, want := range map[time.Duration]int{young / 2: -1, young: 1} {
		hang := &Job{Stage: Reducing, Slow: true, serial: 1, used: used}
		if got := hang.compare(crash, Reducing); got != want {
			t.Errorf("after %v, a hang's reduction compares as %d, want %d", used, got, want)
		}
	}
}

// TestLongTrial checks that a slow trial which takes long delays no other, and that a third waits.
func TestLongTrial(t *testing.T) {
	p, clock := started(1)
	hang, crash, third := &Job{Slow: true}, &Job{Slow: true}, &Job{Slow: true}
	for _, j := range []*Job{hang, crash, third} {
		ask(t, p, j)
	}
	regrant := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.grant()
	}
	for _, step := range []struct {
		after        time.Duration
		crash, third bool
	}{{0, false, false}, {slowLong - 1, false, false}, {1, true, false}, {slowLong, true, false}} {
		clock.add(step.after)
		if regrant(); !admitted(hang) || admitted(crash) != step.crash || admitted(third) != step.third {
			t.Fatalf("%+v: admitted %t, %t", step, admitted(crash), admitted(third))
		}
	}
	if p.Leave(crash); !admitted(third) {
		t.Error("the third waits for the hang")
	}
	p.Leave(third)
	if p.Leave(hang); len(p.slow) > 0 {
		t.Errorf("%d slow trials run", len(p.slow))
	}
}

// TestSoonest checks that a job that must wait only shortly does not wait for the timer of one that waits longer.
func TestSoonest(t *testing.T) {
	p := NewPacer(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grantIn(time.Hour)
	for _, wait := range []time.Duration{2 * time.Hour, time.Minute, time.Hour} {
		p.grantIn(wait)
	}
	if left := time.Until(p.due); p.timer == nil || left > time.Minute {
		t.Errorf("the timer is due in %v", left)
	}
	p.timer.Stop()
}

// TestSlots checks that slow trials have a slot of their own.
func TestSlots(t *testing.T) {
	p, _ := started(4)
	var quick, slow []*Job
	for range 3 {
		quick, slow = append(quick, new(Job)), append(slow, &Job{Slow: true})
	}
	for i := range quick {
		ask(t, p, slow[i])
		ask(t, p, quick[i])
	}
	count := func(jobs []*Job) (n int) {
		for _, j := range jobs {
			if admitted(j) {
				n++
			}
		}
		return n
	}
	if count(quick) != 2 || count(slow) != 1 {
		t.Errorf("%d quick and %d slow trials at once, want 2 and 1", count(quick), count(slow))
	}
}

// TestShare checks that follow-ups get their share of the time while the search finds
// something, and all of it when it is quiet or over.
func TestShare(t *testing.T) {
	p, clock := started(1)
	var j *Job
	enter := func() bool {
		j = &Job{Stage: Reducing}
		ask(t, p, j)
		if admitted(j) {
			return true
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting = nil
		return false
	}
	for range 2 { // the burst
		if !enter() {
			t.Fatal("the first trials have to wait")
		}
		clock.add(2 * time.Second)
		p.Leave(j)
	}
	p.News()
	if enter() {
		t.Error("follow-ups take more than their share")
	}
	clock.add(4 * time.Second)
	if !enter() {
		t.Error("follow-ups get nothing")
	}
	p.Leave(j)
	clock.add(time.Millisecond)
	for range 3 {
		if enter() {
			clock.add(2 * time.Second)
			p.Leave(j)
			p.News()
		}
	}
	if enter() {
		t.Error("follow-ups get more than their share")
	}
	clock.add(quietAfter)
	if !enter() {
		t.Error("nothing is found, and follow-ups do not get more")
	}
	clock.add(time.Minute)
	p.Leave(j)
	p.News()
	if enter() {
		t.Error("the search finds something again, and follow-ups go on")
	}
	p.SearchEnded()
	if !enter() {
		t.Error("the search has ended, and follow-ups wait")
	}
	if confirming, reducing := p.Spent(); reducing < time.Minute || confirming != 0 {
		t.Errorf("spent %v and %v", confirming, reducing)
	}
}

// TestGivingUp checks that a job whose context ends leaves the queue.
func TestGivingUp(t *testing.T) {
	p, _ := started(1)
	p.Enter(t.Context(), new(Job))
	why := errors.New("why")
	ctx, end := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() { done <- p.Enter(ctx, new(Job)) }()
	end(why)
	if err := <-done; err != why {
		t.Errorf("Enter returns %v", err)
	}
	if len(p.waiting) != 0 {
		t.Error("the job still waits")
	}
}

// TestCrowd checks under load that no more jobs run trials than there are slots.
func TestCrowd(t *testing.T) {
	p := NewPacer(4)
	var mu sync.Mutex
	var all sync.WaitGroup
	running, most, ran := 0, 0, 0
	for range 16 {
		all.Go(func() {
			j := new(Job)
			for range 200 {
				if err := p.Enter(t.Context(), j); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				running++
				most, ran = max(most, running), ran+1
				mu.Unlock()
				mu.Lock()
				running--
				mu.Unlock()
				p.Leave(j)
			}
		})
	}
	all.Wait()
	if most > 2 || ran != 16*200 {
		t.Errorf("%d trials, %d at once", ran, most)
	}
}

// TestConfirmationsOverdraw checks that confirmations go on when reductions have used up their time, but not for ever.
func TestConfirmationsOverdraw(t *testing.T) {
	p, clock := started(1)
	use := func(j *Job, d time.Duration) {
		ask(t, p, j)
		if !admitted(j) {
			t.Fatalf("stage %d was not admitted", j.Stage)
		}
		clock.add(d)
		p.News() // the search still finds something
		p.Leave(j)
	}
	use(&Job{Stage: Reducing}, burst+burst/2)
	reduction := &Job{Stage: Reducing}
	ask(t, p, reduction)
	use(&Job{Stage: Confirming}, 2*burst)
	late := &Job{Stage: Confirming}
	if ask(t, p, late); admitted(late) || admitted(reduction) {
		t.Error("a job was admitted although its stage has no time left")
	}
}
