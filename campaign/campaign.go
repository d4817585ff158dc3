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

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
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

	maxVars   int              // of the exhaustive search; 0: as the oracle has it. Tests make it -1: no search and no reference, so that a comparison matters.
	unreduced bool             // findings stay as they were confirmed. For tests of what is found, where reducing a comparison takes longer than all else.
	prover    reference.Prover // instead of the built-in one. For a test of what happens when it lies.

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

// A Campaign is one run. Stats may be read while it runs.
type Campaign struct {
	config    Config
	subjects  []subject
	fuzzed    int // how many of them: the others are compared with
	cells     []*cell
	store     *store.Store
	archivist *store.Archivist // nil: traces are not kept
	begun     time.Time
	stop      context.CancelCauseFunc
	beside    sync.WaitGroup // hangs that are being confirmed

	judged      atomic.Uint64 // traces
	aloneChecks atomic.Uint64

	mu           sync.Mutex
	schedule     *scheduler
	found        []*store.Finding
	byKey        map[oracle.Key]*store.Finding
	reducing     map[oracle.Key]*store.Finding // being made small, and not yet in byKey
	early        map[oracle.Key]bool           // stored as they were confirmed, by key
	attempts     map[oracle.Key]int
	failed       map[oracle.Key]int // attempts that came to an end, without a finding
	beyond       uint64             // failures of kinds that there was no room for
	unconfirmed  []store.Unconfirmed
	leakChecks   int
	hanging      map[oracle.Key]*hangState
	hangTime     time.Duration
	hangReducing time.Duration
	hangTurn     chan struct{} // held while one is being confirmed
	disputes     disputes
	tally        oracle.Tally // of lanes that are closed
	tallies      map[*lane]oracle.Tally
	measures     *stats.Measures
	faults       source.GeneratorFaults
	evidence     map[oracle.Key]*store.Evidence // by key
	shrinking    map[*store.Finding]*Sight
	paused       chan struct{} // nil: it is not
	waiting      waiting
	hitLog       hitLog

	// Of a run that goes on.
	resumed bool
	before  time.Duration    // that it had taken
	left    []*store.Finding // that were being made small when it was killed
	larger  []*store.Finding // that were not small yet when it came to its end
	lined   time.Duration    // when the last line of statistics was written
}

// New checks the configuration and loads the targets once, so that what cannot
// work is said before anything is started or written.
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
	c := &Campaign{config: config, byKey: make(map[oracle.Key]*store.Finding), reducing: make(map[oracle.Key]*store.Finding),
		early: make(map[oracle.Key]bool), attempts: make(map[oracle.Key]int), failed: make(map[oracle.Key]int), hanging: make(map[oracle.Key]*hangState), hangTurn: make(chan struct{}, 1),
		tallies: make(map[*lane]oracle.Tally), schedule: newScheduler(len(config.Cells), gen.Seed(config.Seed, config.Shard, scheduleStream), config.Fair)}
	if err := c.probe(); err != nil {
		return nil, err
	}
	for _, of := range c.cells {
		if _, err := of.Open(nil); err != nil {
			return nil, err
		}
	}
	c.measures = c.newMeasures()
	if config.Out != "" {
		var err error
		if c.store, err = store.Open(config.Out, c.record(), (*commands)(c), config.Limits); err != nil {
			return nil, err
		}
		if config.Resume {
			c.resumed, err = c.resume()
		}
		if err == nil {
			err = c.store.Begin(c.resumed)
		}
		if err != nil {
			c.store.Close()
			return nil, err
		}
		if config.Archive {
			c.archivist = store.NewArchivist(config.Out)
		}
	}
	c.learnKnown()
	return c, nil
}

// judge returns a judge of a target's runs.
func (c *Campaign) judge(who int, crossCheck bool, conflicts uint64) *trial.Judge {
	config := oracle.Config{MaxVars: c.config.maxVars, Policies: c.descriptionOf(who).Policies, CrossCheck: crossCheck, Compared: c.compares()}
	if c.config.prover != nil {
		config.Reference = reference.New(c.config.prover, conflicts)
	}
	if c.config.maxVars < 0 {
		conflicts = 0
	}
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

// errEnough ends the workers when a limit of the campaign is reached.
var errEnough = errors.New("the campaign has reached its limit")

// Run goes on until a limit is reached or the context ends; both are a clean
// end. An error is a failure of ipafuzz or of its surroundings.
func (c *Campaign) Run(ctx context.Context) (Summary, error) {
	c.mu.Lock()
	c.begun = time.Now().Add(-c.before)
	c.mu.Unlock()
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.stop = stop
	if c.config.Time > 0 {
		defer time.AfterFunc(max(0, c.config.Time-c.before), func() { stop(errEnough) }).Stop()
	}
	confirming, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, give) })()
	if c.enough() { // it had ended for that
		stop(errEnough)
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
	if cause == nil || errors.Is(cause, errEnough) {
		cause = c.noTraces()
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
