// Package followup turns suspects into findings. A suspect passes stages: it is confirmed in a fresh process, reduced,
// and explained; then the registry has it. Stages are tasks, which wait in the queue of the pacer.
package followup

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Config has what follow-ups share with the rest of their campaign.
type Config struct {
	*lineup.Lineup
	Book     *book.Book
	Registry *registry.Registry
	Pacer    *pace.Pacer
	Budgets  *pace.Budgets
	Store    *store.Store // nil: nothing is stored

	Avoid     []string  // traits of traces that must not be findings
	Others    bool      // other failures than those of suspects become findings, too
	Reduction dd.Budget // without tests, findings are not reduced

	Stop func(error) // ends the campaign
}

// FollowUps confirms and reduces the suspects of a campaign. Each task has a goroutine of its own, which waits until
// the pacer lets it begin, and then before each trial.
type FollowUps struct {
	Config
	disputes disputes
	widths   []width // of each target

	ctx context.Context // ends when follow-ups must give up
	all sync.WaitGroup

	mu   sync.Mutex
	idle []*follower
}

// New returns follow-ups that have not begun.
func New(config Config) *FollowUps {
	return &FollowUps{Config: config, widths: make([]width, len(config.All)), ctx: context.Background()}
}

// Begin ends the follow-ups when ctx ends. It is called before any of them is added.
func (u *FollowUps) Begin(ctx context.Context) { u.ctx = ctx }

// Wait waits until all follow-ups are done, and ends their processes.
func (u *FollowUps) Wait() {
	u.all.Wait()
	var closing sync.WaitGroup
	for _, f := range u.idle {
		closing.Go(f.group.Close)
	}
	closing.Wait()
}

// A task is one stage of what becomes of a suspect.
type task struct {
	pace.Job
	target int // whose processes it needs
	from   source.Origin
	kind   cost.Kind     // of the trace
	limit  time.Duration // of its trials; 0: none
	// do does the stage. It returns the next one, if there is any.
	do func(ctx context.Context, f *follower) (next *task, err error)
	// cut is called if the campaign ends first, instead of do or after it. If it is nil, the end of the campaign cuts
	// short what was seen until then. The number of the trace stays held, so that a resumed campaign runs the trace again.
	cut  func()
	seen *store.Finding // a failure; nil: none yet
}

// add begins a task and holds the number of its trace until the task is done. It never blocks.
func (u *FollowUps) add(t *task) {
	u.Book.Hold(t.from)
	u.Pacer.Queue(&t.Job)
	u.all.Go(func() {
		for t != nil {
			t = u.work(t)
		}
	})
}

// work does a queued task and returns the next stage, which is queued and whose number it holds.
func (u *FollowUps) work(t *task) (next *task) {
	err := u.Pacer.Begin(u.ctx, &t.Job)
	begun := err == nil
	if begun {
		err = caught.Do(func() (err error) {
			next, err = u.run(t)
			return err
		})
		if next != nil {
			u.Book.Hold(next.from)
			u.Pacer.Queue(&next.Job)
		}
		u.Pacer.End(&t.Job)
	}
	enough := begun && errors.Is(err, registry.ErrEnough) // this was the last finding that the campaign wants
	if err == nil || enough {
		u.Book.Release(t.from)
	} else if u.ctx.Err() != nil {
		if t.cut != nil {
			t.cut()
		} else if t.seen != nil {
			u.cutShort(t.seen)
		}
		return next
	}
	if err != nil {
		u.Stop(err)
	}
	return next
}

func (u *FollowUps) run(t *task) (*task, error) {
	ctx, cancel := context.WithCancelCause(u.ctx)
	defer cancel(nil)
	turns := &pace.Turns{Pacer: u.Pacer, Job: &t.Job, Limit: t.limit, End: func() { cancel(engine.ErrTime) }}
	f := u.take(t.target)
	defer u.put(f)
	f.doing = t
	f.group.SetYields(t.Slow)
	defer func() { f.costs.FollowedUp(t.kind, u.Pacer.Used(&t.Job)) }()
	return t.do(trial.WithGate(ctx, turns), f)
}

// cutShort records a failure whose confirmation the end of the campaign cut off.
func (u *FollowUps) cutShort(found *store.Finding) {
	if u.Registry.Enough() {
		return // the campaign has as many findings as it wants
	}
	x := found.AsUnconfirmed("")
	x.CutShort, x.Trace = true, found.Original
	x.Hard = found.Choice.IsLarger() && found.Class == oracle.TooSlow
	u.Registry.Unconfirmed(x)
}

// originOf returns the origin of the trace that first showed a finding.
func (u *FollowUps) originOf(f *store.Finding) source.Origin {
	return source.Origin{Stream: u.Book.Cells[f.Cell].Stream, Number: f.Number}
}

// targetOf returns the number of the fuzzed target whose trace first showed a finding. A rival may have failed.
func (u *FollowUps) targetOf(f *store.Finding) int { return u.Book.Cells[f.Cell].TargetNumber }

// A follower confirms and reduces failures of a target and its rivals in its own processes.
type follower struct {
	u       *FollowUps
	targets []int // the numbers of the group's members
	group   *trial.Group
	costs   *cost.Costs // of the traces of the first target
	doing   *task       // in progress
	// explained are known failures. The reduction in progress rejects candidates that they explain.
	explained []*cause.Failure
	sample    bool // examines a failure that a known cause explains
}

// take returns a follower for a target that no other task uses.
func (u *FollowUps) take(target int) *follower {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slices.IndexFunc(u.idle, func(f *follower) bool { return f.targets[0] == target })
	if at < 0 {
		return u.newFollower(target)
	}
	f := u.idle[at]
	u.idle = slices.Delete(u.idle, at, at+1)
	return f
}

// mostIdle bounds the idle followers, each of which keeps its processes.
const mostIdle = 4

func (u *FollowUps) put(f *follower) {
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
func (u *FollowUps) newFollower(target int) *follower {
	targets := u.Group(target)
	return &follower{u: u, targets: targets, group: u.OpenGroup(targets), costs: u.All[target].Costs}
}
