package pace

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// While new traces still find something, follow-ups may use searchShare of the workers' time. If nothing
// new has been found for quietAfter, they may use as much as the slots allow. Unused time accumulates, up
// to burst. A campaign starts with that much, so that the first findings need not wait. Confirmations may overdraw it
// by as much: they are short, and a new failure must not wait until the time for reductions is paid back.
const (
	searchShare = 1.0 / 3
	quietAfter  = 5 * time.Second
	burst       = 2 * time.Second // for each worker
)

// young is the time in which most hangs of small traces are confirmed and reduced.
const young = 10 * time.Second

// At most slowSlots slow trials run at the same time. The next begins if the one before it has run for slowLong: most
// take less, and another trial beside them would take time from the search.
const (
	slowSlots = 2
	slowLong  = time.Second
)

// A Stage is what a follow-up does.
type Stage int

// The stages of a follow-up.
const (
	Confirming Stage = iota
	Reducing
	Stages // their number
)

// A Job is a follow-up. It waits for a place, and then for each of its trials, which it runs one at a time. One order
// holds for both. Jobs that confirm and jobs that reduce take turns. Within each stage, cheap jobs go first, and a job
// that has run for long gives way to one that has not. Slow jobs go in the order of Queue, but one that has used young,
// or twice or four times as much and so on, gives way to all that have not: it may be the reduction of a hang, and the
// next one a crash that takes a tenth of a second. The last run of a hang takes seconds, so a second slow trial may
// begin during the first.
//
// The caller sets the exported fields before Queue; after that, only methods of the Pacer change them.
type Job struct {
	Stage Stage
	Cost  time.Duration // an estimate of all its trials
	// Slow marks trials that take seconds, such as those of a hang. They have their own slot and do not
	// count as part of the share.
	Slow bool
	// AtLimit marks trials that end at a limit of time or memory.
	AtLimit bool

	place   place // that it has or waits for
	used    time.Duration
	serial  uint64
	entered time.Time
	leave   chan struct{} // closed when the job need not wait any more
}

// compare compares jobs; those of the given stage come first. Slow and quick jobs have places and slots of their own.
func (j *Job) compare(o *Job, first Stage) int {
	if j.Slow != o.Slow {
		if j.Slow {
			return -1
		}
		return 1
	}
	if j.Slow {
		if old := cmp.Compare(bits.Len64(uint64(j.used/young)), bits.Len64(uint64(o.used/young))); old != 0 {
			return old
		}
	}
	if j.Stage != o.Stage {
		if j.Stage == first {
			return -1
		}
		return 1
	}
	if j.Slow {
		return cmp.Compare(j.serial, o.serial)
	}
	return cmp.Or(cmp.Compare(j.Cost+j.used, o.Cost+o.used), cmp.Compare(j.serial, o.serial))
}

// A Pacer decides which jobs may begin, which may run a trial, and how many at the same time.
type Pacer struct {
	workers int
	places  places
	now     func() time.Time

	mu      sync.Mutex
	queued  []*Job // wait for a place
	next    Stage  // the stage that gets the next place
	taken   places
	serial  uint64
	slots   int // for quick trials
	busy    int
	slow    []*Job // that run slow trials: at most slowSlots
	turn    Stage  // the stage that goes first now
	waiting []*Job
	credit  time.Duration // time for trials that is left of the share
	filled  time.Time     // when credit last grew
	news    time.Time     // when something new was found
	alone   bool          // the search has ended or rests
	timer   *time.Timer
	due     time.Time // when timer calls grant
	spent   [Stages]time.Duration
	running map[*Job]bool
}

// NewPacer returns a pacer for follow-ups beside that many workers.
func NewPacer(workers int) *Pacer {
	return newPacer(workers, time.Now)
}

func newPacer(workers int, now func() time.Time) *Pacer {
	p := &Pacer{workers: workers, places: placesFor(workers, affordable(workers)), now: now, slots: max(1, (workers+1)/2),
		credit: burst * time.Duration(workers), running: make(map[*Job]bool)}
	p.filled, p.news = now(), now()
	return p
}

// Queue adds a job to those that wait for a place.
func (p *Pacer) Queue(j *Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.number(j)
	j.place, j.leave = placeOf(j), make(chan struct{})
	p.queued = append(p.queued, j)
	p.admit()
}

// Begin waits until a queued job has its place. The caller must call End unless Begin fails, as it does once ctx has
// ended.
func (p *Pacer) Begin(ctx context.Context, j *Job) error {
	err := p.wait(ctx, j, &p.queued)
	if err == nil && ctx.Err() != nil {
		p.End(j)
		return context.Cause(ctx)
	}
	return err
}

// End gives up the place of a job, which must not be in a trial.
func (p *Pacer) End(j *Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken.add(j.place, -1)
	p.admit()
}

// Enter waits until a job that has its place may run a trial. The caller must call Leave unless Enter fails.
func (p *Pacer) Enter(ctx context.Context, j *Job) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	p.number(j)
	j.leave = make(chan struct{})
	p.waiting = append(p.waiting, j)
	p.grant()
	p.mu.Unlock()
	return p.wait(ctx, j, &p.waiting)
}

// wait waits until a job may leave its queue.
func (p *Pacer) wait(ctx context.Context, j *Job, queue *[]*Job) error {
	select {
	case <-j.leave:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(*queue, j); at >= 0 {
		*queue = slices.Delete(*queue, at, at+1)
		return context.Cause(ctx)
	}
	return nil // the job was let in just now
}

// number gives a job its number. The caller holds the lock.
func (p *Pacer) number(j *Job) {
	if j.serial == 0 {
		p.serial++
		j.serial = p.serial
	}
}

// admit gives the free places to the first of the queued jobs, to those that confirm and those that reduce in turn. The
// caller holds the lock.
func (p *Pacer) admit() {
	for {
		var first *Job
		for _, j := range p.queued {
			if p.taken.hasRoom(j.place, &p.places) && (first == nil || j.compare(first, p.next) < 0) {
				first = j
			}
		}
		if first == nil {
			return
		}
		p.taken.add(first.place, 1)
		p.next = (first.Stage + 1) % Stages
		p.queued = slices.DeleteFunc(p.queued, func(j *Job) bool { return j == first })
		close(first.leave)
	}
}

// Leave ends the trial of a job.
func (p *Pacer) Leave(j *Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(j.entered)
	j.used += took
	p.spent[j.Stage] += took
	delete(p.running, j)
	if j.Slow {
		p.slow = slices.DeleteFunc(p.slow, func(o *Job) bool { return o == j })
	} else {
		p.busy--
		p.credit -= took
	}
	p.grant()
}

// Advance changes the stage of a job, which must not be in a trial.
func (p *Pacer) Advance(j *Job, stage Stage, cost time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j.Stage, j.Cost = stage, cost
}

// Used returns the time that a job has spent on trials.
func (p *Pacer) Used(j *Job) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := j.used
	if p.running[j] {
		used += p.now().Sub(j.entered)
	}
	return used
}

// News records that the search found something new.
func (p *Pacer) News() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refill()
	p.news = p.now()
}

// QuietFor returns how long the search has found nothing new.
func (p *Pacer) QuietFor() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Sub(p.news)
}

// SearchEnded lets follow-ups use all of the time.
func (p *Pacer) SearchEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alone, p.slots = true, max(p.slots, p.workers)
	p.grant()
}

// SearchRests lets follow-ups use all of the time while the search has nothing to do.
func (p *Pacer) SearchRests(rests bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alone = rests
	p.grant()
}

// Spent returns the time that follow-ups spent on trials.
func (p *Pacer) Spent() (confirming, reducing time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	spent := p.spent
	for j := range p.running {
		spent[j.Stage] += p.now().Sub(j.entered)
	}
	return spent[Confirming], spent[Reducing]
}

// Continue adds the time that follow-ups spent in an earlier part of the campaign.
func (p *Pacer) Continue(confirming, reducing time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent[Confirming] += confirming
	p.spent[Reducing] += reducing
}

// grant lets in as many waiting jobs as slots and time allow. The caller holds the lock.
func (p *Pacer) grant() {
	slices.SortFunc(p.waiting, func(a, b *Job) int { return a.compare(b, p.turn) })
	soon := time.Duration(0) // until another one may be let in
	later := func(wait time.Duration) bool {
		if soon == 0 || wait < soon {
			soon = wait
		}
		return false
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(j *Job) bool {
		switch {
		case j.Slow && len(p.slow) == slowSlots, !j.Slow && p.busy >= p.slots:
			return false
		case j.Slow:
			if wait := p.slowWait(); wait > 0 {
				return later(wait)
			}
			p.slow = append(p.slow, j)
		default:
			if wait := p.shortOf(j.Stage); wait > 0 {
				return later(wait)
			}
			p.busy++
		}
		p.turn = (j.Stage + 1) % Stages
		j.entered = p.now()
		p.running[j] = true
		close(j.leave)
		return true
	})
	if soon > 0 {
		p.grantIn(soon)
	}
}

// grantIn calls grant after that time.
func (p *Pacer) grantIn(wait time.Duration) {
	at := p.now().Add(wait)
	if p.timer != nil && !at.Before(p.due) {
		return // that is early enough
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.due = at
	p.timer = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.timer = nil
		p.grant()
	})
}

// slowWait returns how long a slow job must wait until the trial of the last one has taken long, or 0.
func (p *Pacer) slowWait() (wait time.Duration) {
	for _, j := range p.slow {
		wait = max(wait, slowLong-p.now().Sub(j.entered))
	}
	return wait
}

// shortOf returns how long follow-ups in that stage must wait until they have time again, or 0.
func (p *Pacer) shortOf(stage Stage) time.Duration {
	p.refill()
	left := p.credit
	if stage == Confirming {
		left += burst * time.Duration(p.workers)
	}
	quiet := quietAfter - p.now().Sub(p.news)
	if p.alone || quiet <= 0 || left > 0 {
		return 0
	}
	const tick = time.Millisecond
	return min(quiet, time.Duration(float64(-left)/(searchShare*float64(p.workers)))) + tick
}

func (p *Pacer) refill() {
	now := p.now()
	most := burst * time.Duration(p.workers)
	p.credit = min(most, p.credit+time.Duration(searchShare*float64(now.Sub(p.filled))*float64(p.workers)))
	p.filled = now
}

// Turns lets the trials of a job take turns with those of other jobs.
type Turns struct {
	Pacer *Pacer
	Job   *Job
	Limit time.Duration // of all its trials; 0: none
	End   func()        // called when Limit is used up, to end the job
}

// Enter waits until a trial may begin.
func (t *Turns) Enter(ctx context.Context) error { return t.Pacer.Enter(ctx, t.Job) }

// Leave ends the trial.
func (t *Turns) Leave() {
	t.Pacer.Leave(t.Job)
	if t.Limit > 0 && t.Pacer.Used(t.Job) > t.Limit {
		t.End()
	}
}
