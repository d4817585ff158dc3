// Package campaign is the long run: it generates traces, runs them on a target,
// has the answers judged, and confirms, shortens and stores what it finds.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Config says what a campaign does.
type Config struct {
	Cells   []source.Cell    // what to fuzz, with which traces; at least one
	Against []*replay.Target // run the same traces, for comparison; findings may be in any of them
	Factor  float64          // of the median of the others, beyond which a target is too slow or too large; 0: 100
	Seed    uint64
	Shard   uint64
	Of      uint64 // how many shards there are; 0: that is not known
	Way     replay.Way
	Limits  replay.Limits
	// Fair gives all cells the same time, and of a limited number of traces the
	// same number. Otherwise those have more that find more.
	Fair bool

	Time     time.Duration // 0: no limit
	Traces   uint64        // of all cells; 0: no limit
	Findings int           // stop after so many different ones, 0: no limit
	Workers  int           // at least 1

	// Others makes findings of the other failures that are met while a trace is
	// made small. Which those are depends on which trace was the first with a
	// finding's key, and so on the workers.
	Others bool

	// Learn gives every fourth trace of a target to traces without the features
	// that its faults need, once that is known: what they hide is seen then. Which
	// trace a number has depends on what was found before it.
	Learn bool
	Avoid []string                         // traits: traces that have one are made, and not run
	Known map[oracle.Key]*store.KnownFault // by key

	Out     string // directory for findings; "" keeps none
	Archive bool   // keep every trace, too
	Resume  bool   // go on with the run that the directory has, if there is one
	Program string // how a person calls ipafuzz, for the commands that are stored
	// TargetsFile is the file that the person named for the targets, for the same; "" when it is the default one.
	TargetsFile string

	// OnFinding is called for every new finding, one at a time.
	OnFinding func(*store.Finding)
}

// A Campaign is one run of ipafuzz fuzz. Its exported methods may be called at any
// time, also by OnFinding.
//
// Who runs: Config.Workers goroutines, each with lanes of its own (work); one that
// reduces what an earlier part of the campaign left (reduceLarger); one per hang
// that is being confirmed, of which one at a time is at work (confirmHang); and one
// that saves the state (save). Run starts them and waits for all of them.
//
// Who owns what: a lane belongs to its worker, and a finding that is being
// confirmed or reduced to the goroutine that reserved its key. Everything shared is
// in values with a lock of their own: the registry has what was found, the book the
// numbers and counters, the learner what faults need, disputes what targets
// disagree about, the store its directory. No lock is held while a trace runs, a
// file is written or a callback is called, but those that put findings (in the
// registry) and files (in the store) in order. Where one lock is taken under
// another, the order is learner, book.
//
// How a finding gets from an answer to the disk:
//
//	lane.judgeAlone      a judge finds a fault in the answers       judging.go
//	lane.found           the registry knows the key, or wants it    confirm.go
//	lane.confirm         it happens again in a fresh process        confirm.go, hang.go
//	reducer.reduce       its trace is reduced                       reduce.go, package shrink
//	registry.Add         it is stored, published and announced      package registry
//	store.Put            its directory is written                   package store
type Campaign struct {
	config    Config
	targets   []target
	fuzzed    int // how many of them; the others are rivals
	book      *book
	registry  *registry.Registry
	learner   *learner // nil: nothing is learned
	disputes  disputes
	store     *store.Store     // nil: findings are not stored
	archivist *store.Archivist // nil: traces are not kept

	judging   oracle.Config // for all targets alike
	reduction dd.Budget     // without tests, findings stay as they were confirmed

	clock
	pause
	stop        context.CancelCauseFunc
	beside      sync.WaitGroup // hangs that are being confirmed
	hangTurn    chan struct{}  // held while one is at work
	aloneChecks atomic.Uint64

	// Of a campaign that continues.
	resumed bool
	left    []*store.Finding // whose reduction was under way when it was killed
	larger  []*store.Finding // that were not minimal when it ended
	lined   time.Duration    // when the last line of statistics was written
}

// New checks the configuration and loads the targets once, so that it reports what
// cannot work before anything is started or written.
func New(config Config) (*Campaign, error) {
	if config.Workers < 1 {
		return nil, fmt.Errorf("a campaign needs at least one worker, not %d", config.Workers)
	}
	if len(config.Cells) == 0 {
		return nil, errors.New("a campaign needs a target")
	}
	if config.Way == replay.InProcess {
		return nil, errors.New("fuzzing inside this process would end with the first crash; use fork or persistent")
	}
	c := &Campaign{config: config, hangTurn: make(chan struct{}, 1),
		reduction: dd.Budget{Tests: reduceTests, Idle: reduceIdle, Time: reduceTime}}
	seed := gen.Seed(config.Seed, config.Shard, scheduleStream)
	c.book = &book{traces: config.Traces, tallies: make(map[*lane]oracle.Tally),
		schedule: newScheduler(len(config.Cells), seed, config.Fair)}
	if err := c.probe(); err != nil {
		return nil, err
	}
	for _, of := range c.book.cells {
		if _, err := of.Open(nil); err != nil {
			return nil, err
		}
	}
	c.judging.Compared = c.compares()
	c.book.measures = c.newMeasures()
	if config.Learn {
		c.learner = &learner{book: c.book, against: config.Against, evidence: make(map[oracle.Key]*store.Evidence)}
	}
	keeping := registry.Config{Most: config.Findings, Known: config.Known, Slots: config.Workers / 2,
		Now:      func() (uint64, time.Duration) { return c.book.judged.Load(), c.elapsed() },
		Announce: c.announce}
	if config.Out != "" {
		if err := c.openStore(); err != nil {
			return nil, err
		}
		keeping.Keeper = c.store
	}
	c.registry = registry.New(keeping)
	if c.store != nil {
		if err := c.beginStore(); err != nil {
			c.store.Close()
			return nil, err
		}
	}
	for _, known := range config.Known {
		if known.Minimal != nil {
			c.learner.reduced(known.Key, known.Target, known.Minimal)
		}
	}
	return c, nil
}

func (c *Campaign) openStore() (err error) {
	c.store, err = store.Open(c.config.Out, c.record(), (*commands)(c), c.config.Limits)
	return err
}

// beginStore continues the campaign in the directory, or begins a new one.
func (c *Campaign) beginStore() (err error) {
	if c.config.Resume {
		if c.resumed, err = c.resume(); err != nil {
			return err
		}
	}
	if c.config.Archive {
		c.archivist = store.NewArchivist(c.config.Out)
	}
	return c.store.Begin(c.resumed)
}

// judge returns a judge of a target's runs.
func (c *Campaign) judge(who int, crossCheck bool, conflicts uint64) *trial.Judge {
	config := c.judging
	config.Policies, config.CrossCheck = c.descriptionOf(who).Policies, crossCheck
	return trial.NewJudge(config, conflicts)
}

// heapStride is how often a trace's effect on the heap is measured. A leak is
// seldom a matter of one trace in a thousand, and measuring all of them costs a
// sixth of the speed.
const heapStride = 16

func streamSize(way replay.Way) replay.QueueOptions {
	size := replay.DefaultQueue
	if way == replay.Persistent {
		size.HeapStride = heapStride
	}
	return size
}

// grace is how long a finding that is being confirmed may keep a run from
// ending: what was seen in the last moment is not to be lost.
const grace = 5 * time.Second

// Run goes on until a limit is reached or the context ends; both are a clean
// end. An error is a failure of ipafuzz or of its surroundings.
func (c *Campaign) Run(ctx context.Context) (Summary, error) {
	c.clock.start()
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.stop = stop
	if c.config.Time > 0 {
		defer time.AfterFunc(max(0, c.config.Time-c.before), func() { stop(registry.ErrEnough) }).Stop()
	}
	confirming, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, give) })()
	if c.registry.Enough() { // it had ended for that
		stop(registry.ErrEnough)
	}
	saving, saved := context.WithCancel(context.WithoutCancel(ctx))
	defer saved()
	var saver sync.WaitGroup
	if c.store != nil {
		saver.Go(func() { c.save(saving) })
	}
	var workers sync.WaitGroup
	for range c.config.Workers {
		workers.Go(func() {
			err := caught.Do(func() error { return c.work(ctx, confirming) })
			if err != nil && ctx.Err() == nil {
				stop(err)
			}
		})
	}
	workers.Go(func() {
		err := caught.Do(func() error { return c.reduceLarger(confirming) })
		if err != nil && ctx.Err() == nil {
			stop(err)
		}
	})
	workers.Wait()
	c.keepWaiting()
	c.beside.Wait()
	saved()
	saver.Wait()
	c.closeLeft()
	summary := c.summary()
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, registry.ErrEnough) {
		cause = c.book.noTraces()
	} else if given.Err() != nil && (errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded)) {
		cause = nil // an error that is a time-out of something else is none of these
	}
	if c.store != nil {
		var d *trial.DisagreementError
		if errors.As(cause, &d) {
			d.Dir = c.store.PutDisagreement(d)
		}
		var v *replay.ProtocolError
		if errors.As(cause, &v) && v.Trace != nil {
			cause = c.store.PutViolation(cause, v.Trace)
		}
		unkept := c.finish(summary)
		if full := new(store.DirectoryError); !errors.As(cause, &full) { // what cannot be written is said once
			cause = errors.Join(cause, unkept)
		}
	}
	return summary, cause
}
