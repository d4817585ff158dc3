package campaign

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A failure is a trace that failed once.
type failure struct {
	found   *store.Finding
	kind    cost.Kind
	cut     *cut             // a limit ended the run after it; nil: no limit did, or the calls before it are not enough
	end     trace.End        // of the run that failed
	took    time.Duration    // in that run
	asleep  bool             // at its time limit, it was waiting for something, not for a processor
	starved bool             // it said that it got no memory, and died
	growth  uint64           // by how many bytes the memory could grow before the lane set it aside
	history []source.Origin  // traces that ran before it in its process, oldest first
	others  []oracle.Finding // how it fails alone, if that is another way
}

// A followUp is work on a trace that showed a failure, or may have shown one. Lanes add
// follow-ups and go on; follow-ups may add others.
type followUp struct {
	pace.Job
	target  int // whose processes it needs
	from    source.Origin
	kind    cost.Kind     // of the trace
	limit   time.Duration // of its trials; 0: none
	atLimit bool          // its trials end at a limit of time or memory
	reduces bool          // it began in the stage Reducing; its Stage may change
	do      func(ctx context.Context, f *follower) error
	// cut is called if the campaign ends first, instead of do or after it. If it is nil, the end of the campaign cuts
	// short what was seen until then. The number of the trace stays held, so that a resumed campaign runs the trace again.
	cut  func()
	seen *store.Finding // a failure; nil: none yet
}

// followUps are the follow-ups of a campaign. Each one in progress has a goroutine of its
// own, and the pacer decides which of them may run a trial. The others wait.
type followUps struct {
	c   *Campaign
	ctx context.Context // ends when follow-ups must give up; nil before begin

	places places

	mu         sync.Mutex
	waiting    []*followUp
	turn       pace.Stage // the stage that goes first now
	goroutines int        // each does a follow-up or looks for one
	taken      places
	idle       []*follower
	all        sync.WaitGroup
}

// mostWaiting bounds the follow-ups that wait. Each may hold the numbers of the thousands of traces that
// ran before its own.
const mostWaiting = 256

// places are numbers of follow-ups in progress. Slow ones have places of their own: their trials take turns, so
// others must not wait for all of them. Of the slow ones, some may last minutes; of the quick ones, some began as
// reductions.
type places struct{ slow, lasting, quick, reducing int }

// lasts reports whether a slow follow-up that has begun may last minutes.
func (f *followUp) lasts() bool { return f.atLimit || f.reduces }

func (p *places) add(f *followUp, by int) {
	if f.Slow {
		p.slow += by
		if f.lasts() {
			p.lasting += by
		}
		return
	}
	p.quick += by
	if f.reduces {
		p.reducing += by
	}
}

const (
	forSlow = 4
	// forEnding is the number of slow places for neither hangs nor reductions: a new crash whose run takes a tenth of
	// a second must not wait until hangs are reduced.
	forEnding = 1
	// forConfirming is the number of quick places that only confirmations may take. A reduction may take a minute;
	// a new failure must not wait for it.
	forConfirming = 2
)

// placesFor divides the places of a campaign with that many workers, at most affordable ones.
func placesFor(workers, affordable int) places {
	all := min(4+2*workers+forSlow, affordable)
	slow := max(1, min(forSlow, 2*all/5))
	quick := max(1, all-slow)
	return places{slow: slow, lasting: max(1, slow-forEnding), quick: quick, reducing: max(1, quick-forConfirming)}
}

// newFollowUps returns the follow-ups of a campaign with that many workers.
func newFollowUps(c *Campaign, workers int) *followUps {
	return &followUps{c: c, places: placesFor(workers, pace.Affordable(workers))}
}

// hasCapacity reports whether another follow-up may wait. Lanes ask before they prepare one, and drop the
// failure otherwise. That loses nothing: a failure frequent enough to fill the queue shows again.
func (u *followUps) hasCapacity() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.waiting) < mostWaiting
}

// waits returns how many follow-ups are in progress and how many wait.
func (u *followUps) waits() (progress, waiting int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.taken.slow + u.taken.quick, len(u.waiting)
}

// add queues a follow-up and holds the number of its trace until the follow-up is done.
func (u *followUps) add(f *followUp) {
	u.c.book.Hold(f.from)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waiting = append(u.waiting, f)
	u.start()
}

// begin lets follow-ups work until ctx ends.
func (u *followUps) begin(ctx context.Context) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ctx = ctx
	u.start()
}

// start starts goroutines for the waiting follow-ups, once begin was called.
func (u *followUps) start() {
	for n := len(u.waiting); n > 0 && u.ctx != nil && u.goroutines < u.places.slow+u.places.quick; n-- {
		u.goroutines++
		u.all.Go(u.work)
	}
}

// next takes the cheapest follow-up that may begin, confirmations and reductions in turn. It returns nil to
// end the calling goroutine, which has done the previous follow-up.
func (u *followUps) next(previous *followUp) *followUp {
	u.mu.Lock()
	defer u.mu.Unlock()
	if previous != nil {
		u.taken.add(previous, -1)
	}
	var best *followUp
	for _, f := range u.waiting {
		switch {
		case !u.mayBegin(f):
		case best == nil, f.Stage == best.Stage && f.Cost < best.Cost, f.Stage != best.Stage && f.Stage == u.turn:
			best = f
		}
	}
	if best == nil {
		u.goroutines--
		return nil
	}
	best.reduces = best.Stage == pace.Reducing
	u.taken.add(best, 1)
	u.turn = (best.Stage + 1) % pace.Stages
	u.waiting = slices.DeleteFunc(u.waiting, func(f *followUp) bool { return f == best })
	return best
}

// mayBegin reports whether a place for the follow-up is free.
func (u *followUps) mayBegin(f *followUp) bool {
	switch {
	case u.ctx.Err() != nil:
		return true // they are cut short
	case f.Slow:
		lasts := f.atLimit || f.Stage == pace.Reducing
		return u.taken.slow < u.places.slow && (!lasts || u.taken.lasting < u.places.lasting)
	case f.Stage == pace.Reducing && u.taken.reducing >= u.places.reducing:
		return false
	}
	return u.taken.quick < u.places.quick
}

// work does follow-ups until none waits.
func (u *followUps) work() {
	for f := u.next(nil); f != nil; f = u.next(f) {
		err := context.Cause(u.ctx)
		begun := err == nil
		if begun {
			err = caught.Do(func() error { return u.run(f) })
		}
		enough := begun && errors.Is(err, registry.ErrEnough) // this was the last finding that the campaign wants
		if err == nil || enough {
			u.c.book.Release(f.from)
		} else if u.ctx.Err() != nil {
			if f.cut != nil {
				f.cut()
			} else if f.seen != nil {
				u.c.cutShort(f.seen)
			}
			continue
		}
		if err != nil {
			u.c.stop(err)
		}
	}
}

func (u *followUps) run(f *followUp) error {
	ctx, cancel := context.WithCancelCause(u.ctx)
	defer cancel(nil)
	turns := &pace.Turns{Pacer: u.c.pacer, Job: &f.Job, Limit: f.limit, End: func() { cancel(engine.ErrTime) }}
	follower := u.take(f.target)
	defer u.put(follower)
	follower.job, follower.doing = &f.Job, f
	follower.group.SetYields(f.Slow)
	defer func() { u.c.costs[f.target].FollowedUp(f.kind, u.c.pacer.Used(&f.Job)) }()
	return f.do(trial.WithGate(ctx, turns), follower)
}

// wait waits until all follow-ups are done, and ends their processes.
func (u *followUps) wait() {
	u.all.Wait()
	var closing sync.WaitGroup
	for _, f := range u.idle {
		closing.Go(f.group.Close)
	}
	closing.Wait()
}

// A follower confirms and reduces failures of a target and its rivals in its own processes.
type follower struct {
	c       *Campaign
	targets []int // the numbers of the group's members
	group   *trial.Group
	costs   *cost.Costs // of the traces of the first target
	doing   *followUp   // in progress
	job     *pace.Job   // of doing
	// explained are known failures. The reduction in progress rejects candidates that they explain.
	explained []cause.Known
	sample    bool // examines a failure that a known cause explains
}

// take returns a follower for a target that no other follow-up uses.
func (u *followUps) take(target int) *follower {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slices.IndexFunc(u.idle, func(f *follower) bool { return f.targets[0] == target })
	if at < 0 {
		return u.c.newFollower(target)
	}
	f := u.idle[at]
	u.idle = slices.Delete(u.idle, at, at+1)
	return f
}

// mostIdle bounds the idle followers, each of which keeps its processes.
const mostIdle = 4

func (u *followUps) put(f *follower) {
	u.mu.Lock()
	if len(u.idle) < mostIdle {
		u.idle = append(u.idle, f)
		f = nil
	}
	u.mu.Unlock()
	if f != nil {
		f.group.Close()
	}
}

// newFollower returns a follower for a fuzzed target. The caller must close its group.
func (c *Campaign) newFollower(target int) *follower {
	targets := c.group(target)
	return &follower{c: c, targets: targets, group: c.newGroup(targets), costs: c.costs[targets[0]]}
}

func (l *lane) newFailure(
	target int, t *trace.Trace, f oracle.Finding, key oracle.Key, from source.Origin, before int,
) *failure {
	found := l.c.newFound(target, f, key, t, from)
	l.c.registry.Stamp(found)
	return &failure{found: found, kind: l.kind, end: l.judged.End, took: l.took, asleep: l.judged.Death.Asleep,
		starved: message.SaysNoMemory(l.judged.Death.Stderr), growth: l.limits.Growth, history: l.historyOf(before)}
}

// historyOf returns the last traces that the lane ran, as many as its process had run before the failure.
func (l *lane) historyOf(before int) []source.Origin {
	if before = min(before, len(l.ran)); l.c.config.Way != replay.Persistent {
		return nil
	}
	return slices.Clone(l.ran[len(l.ran)-before:])
}

// follow adds a follow-up that confirms a failure in the processes of a target. The registry must want it.
func (c *Campaign) follow(target int, x *failure) {
	found, key := x.found, x.found.Key
	took := x.took
	if x.cut != nil {
		took = x.cut.took
	}
	slow := found.IsTimeLimit() || found.IsMemoryLimit() || c.takesLong(target, took)
	job := pace.Job{Stage: pace.Confirming, Cost: costOf(found), Slow: slow}
	c.followUps.add(&followUp{Job: job, target: target, from: c.originOf(found), kind: x.kind,
		atLimit: found.IsTimeLimit() || found.IsMemoryLimit(),
		do: func(ctx context.Context, f *follower) error {
			defer func() {
				if x.cut != nil && x.cut.misses {
					x.cut = nil
					c.follow(target, x)
					return
				}
				c.registry.Settled(key, !found.Voted)
				f.followOthers(x, x.others)
			}()
			return f.confirm(ctx, x)
		},
		seen: found,
	})
}

// confirm finds out whether a failure happens again in a fresh process, and follows up on
// it. It first asks whether the target's tables explain the failure, then treats the trace
// as one that hangs or as one that fails.
func (f *follower) confirm(ctx context.Context, x *failure) error {
	if wide, err := f.isTooWide(ctx, x); wide || err != nil {
		return err
	}
	if x.found.IsTimeLimit() {
		return f.confirmHang(ctx, x)
	}
	return f.reproduce(ctx, x)
}
