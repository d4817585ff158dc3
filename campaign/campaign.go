// Package campaign fuzzes targets: it generates traces, runs them on the targets, has the
// answers judged, and confirms, reduces and stores the findings.
//
// This package is the loop. Its parts have packages of their own: source generates the
// traces, trial runs and judges one, shrink reduces one, registry owns the findings, and
// store writes the campaign directory.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/learn"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Config configures a campaign.
type Config struct {
	Cells   []source.Cell    // targets and the kinds of their traces; at least one
	Against []*replay.Target // rivals, which run the same traces; they may have findings, too
	Factor  float64          // a target that exceeds this multiple of its rivals' median is too slow or large; 0: 100
	Seed    uint64
	Shard   uint64
	Of      uint64 // number of shards; 0: unknown
	Way     replay.Way
	Limits  replay.Limits
	// Fair gives all cells the same time, and the same share of a limited number of
	// traces. Otherwise cells that find more get more, and expensive traces wait until
	// cheap ones find nothing new.
	Fair bool

	Time     time.Duration // from Begun to the end of all work; 0: no limit
	Begun    time.Time     // since when the campaign's time counts; zero: New begins it
	Traces   uint64        // of all cells, whatever they cost; 0: no limit
	Findings int           // stop after that many findings; 0: no limit
	Workers  int           // at least 1

	// Others makes findings of other failures, too: those seen during reductions, and those that have the
	// key of a finding but not its cause. The result depends on which trace is the first with a key, and so
	// on the number of workers.
	Others bool

	// Learn makes every fourth trace of a target without the features that its known
	// faults need, so that they do not hide other faults. The trace of a number then
	// depends on the findings before it.
	Learn bool
	Avoid []string                           // traits: traces that have one of them are generated but not run
	Known map[oracle.Key][]*store.KnownFault // failures that these faults explain are only counted

	Out     string // campaign directory; "": findings are not stored
	Archive bool   // store every trace, too
	Resume  bool   // continue the campaign in Out, if there is one
	// Past is what Out holds; nil: New reads it. The caller closes it if New fails.
	Past    *store.Past
	Program string // the name of ipafuzz in stored commands
	// TargetsFile is the targets file in stored commands; "" for the default file.
	TargetsFile string

	// OnConfirmed is called before the reduction of a finding begins; the reduction may take long or give it
	// another key. OnGivenUp is called if the reduction discards it. OnFinding is called for every new finding.
	// The calls never overlap. They may call the methods of the campaign, except Run. OnConfirmed and OnGivenUp
	// must not keep the finding.
	OnFinding, OnConfirmed func(*store.Finding)
	OnGivenUp              func(f *store.Finding, why string)
}

// A Campaign is one run of 'ipafuzz fuzz'. All methods but Run may be called at any time,
// even by OnFinding and OnConfirmed.
//
// Goroutines: Config.Workers goroutines search, each with its own lanes (work). A lane may
// have side lanes with goroutines of their own (workBeside). A few others follow up on what
// the lanes found (followUps.work), and one saves the state (save). Run starts them and
// waits for all of them. Lanes never wait for follow-ups. The pacer decides which follow-up
// may run a trial, and bounds their share of the time.
//
// Ownership: a lane belongs to its worker, and a failure to its follow-up. Each shared
// value has its own lock. The registry holds the findings, and the book the numbers and
// counters. The learner holds the features that faults need, costs what the traces of a
// target cost, disputes the disagreements of targets, and the store its directory. No lock
// is held while a trace runs, a file is written or a callback runs, with two exceptions:
// a lock of the registry keeps findings in order, and a lock of the store keeps writes to
// its files in order. A goroutine that holds the learner's lock may take the book's, never
// the reverse.
//
// How a finding gets from an answer to the disk:
//
//	lane.judgeAlone        a judge finds a fault in the answers           judging.go
//	lane.report            the registry wants the key, or the known causes do not
//	                       explain the failure                            confirm.go
//	Campaign.follow        a follow-up is added                           followup.go
//	follower.confirm       it happens again in a fresh process            followup.go, confirm.go
//	follower.confirmHang   or a trace that takes too long is shown to hang and
//	                       reduced                                        hang.go, package shrink
//	follower.reduceAndAdd  its trace is reduced                           reduce.go, package shrink
//	follower.diagnose      experiments tell its cause                     reduce.go, package diagnose
//	registry.Add           it is stored, published and announced          package registry
//	store.Put              its directory is written                       package store
type Campaign struct {
	config    Config
	targets   []loadedTarget
	fuzzed    int // targets before this number are fuzzed; the others are rivals
	book      *book.Book
	registry  *registry.Registry
	learner   *learn.Learner // nil: nothing is learned
	disputes  disputes
	store     *store.Store     // nil: findings are not stored
	archivist *store.Archivist // nil: traces are not kept

	followUps *followUps
	pacer     *pace.Pacer
	costs     []*cost.Costs   // of the traces of each target
	earlier   []stats.KindUse // what they cost in earlier parts
	weighs    bool            // expensive traces wait, so which traces run depends on the speed of the target
	widths    []*width        // of each target

	judging   oracle.Config // the same for all targets
	reduction dd.Budget     // without tests, findings are not reduced

	clock       pace.Clock
	search      pace.Search
	halt        pace.Halt
	ctx         context.Context // ends with the campaign
	stop        context.CancelCauseFunc
	aloneChecks atomic.Uint64
	causes      experimenter // of findings
	samples     experimenter // of failures that a known cause explains
	hangs       experimenter // samples of traces that seem to have a known hang

	recovered store.Recovery

	// Set if this campaign continues an earlier part.
	resumed bool
	left    []*store.Finding // findings whose reduction the end of the earlier part cut off
	larger  []*store.Finding // findings that were not minimal at its end

	lined time.Duration // the age of the campaign at the last line of statistics

	remaking sync.Mutex
	remade   map[string]source.Source // of traces that were made again to be stored
}

// scheduleStream is the number from which the seed of the schedule derives. No trace has it.
const scheduleStream = 1<<64 - 1

// New checks the configuration and loads every target once, so that errors appear before
// the campaign starts or writes anything.
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
	if config.Begun.IsZero() {
		config.Begun = time.Now()
	}
	c := &Campaign{config: config, pacer: pace.NewPacer(config.Workers), weighs: config.Traces == 0 && !config.Fair,
		reduction: dd.Budget{Tests: reduceTests, Idle: reduceIdle}, ctx: context.Background(),
		remade: make(map[string]source.Source)}
	c.clock.Start(config.Begun)
	c.causes.free, c.samples.free = freeExperiments, freeExperiments
	c.followUps = newFollowUps(c, config.Workers)
	seed := gen.Seed(config.Seed, config.Shard, scheduleStream)
	c.book = book.New(config.Traces, pace.NewScheduler(len(config.Cells), seed, config.Fair))
	if err := c.probe(); err != nil {
		return nil, err
	}
	for range c.targets {
		c.costs, c.widths = append(c.costs, cost.New()), append(c.widths, new(width))
	}
	for _, cell := range c.book.Cells {
		if _, err := cell.Open(source.Choice{}); err != nil {
			return nil, err
		}
	}
	c.judging.Compared = c.compares()
	c.book.Begin(c.newMeasures())
	if config.Learn {
		c.learner = learn.New(c.book, config.Against)
	}
	keeping := registry.Config{Most: config.Findings, Known: config.Known,
		Now:      func() (uint64, time.Duration) { return c.book.Judged.Load(), c.clock.Elapsed() },
		Announce: c.announce, Confirmed: config.OnConfirmed, GivenUp: config.OnGivenUp}
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
	for _, faults := range config.Known {
		if known := faults[0]; known.Minimal != nil {
			c.learner.Reduced(known.Key, known.Target, known.Minimal, known.Cause)
		}
	}
	return c, nil
}

func (c *Campaign) openStore() (err error) {
	past := c.config.Past
	if past == nil {
		if past, err = store.OpenDir(c.config.Out); err != nil {
			return err
		}
	}
	if c.store, err = store.Open(past, c.record(), (*commands)(c), c.config.Limits); err != nil && c.config.Past == nil {
		past.Close()
	}
	return err
}

// beginStore continues the campaign of the directory or begins a new one.
func (c *Campaign) beginStore() (err error) {
	if c.recovered, err = c.store.Recover(); err != nil {
		return err
	}
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

// Recovered returns what New repaired in the campaign directory after a killed run.
func (c *Campaign) Recovered() store.Recovery { return c.recovered }

// CutOff returns how many stored findings an earlier part was reducing when it was killed. They are not counted yet.
func (c *Campaign) CutOff() int { return len(c.left) }

// errTimeUp ends a campaign with a time limit.
var errTimeUp = errors.New("the time of the campaign is up")

// judge returns a judge for runs of a target.
func (c *Campaign) judge(target int, crossCheck bool, conflicts uint64) *trial.Judge {
	config := c.judging
	config.Policies, config.CrossCheck = c.descriptionOf(target).Policies, crossCheck
	return trial.NewJudge(config, conflicts)
}

// heapStride is the stride of the traces whose effect on the heap is measured. Measuring all of them costs
// a sixth of the speed, and few leaks show in only one trace of a thousand.
const heapStride = 16

func streamSize(way replay.Way) replay.QueueOptions {
	size := replay.DefaultQueue
	if way == replay.Persistent {
		size.HeapStride = heapStride
	}
	return size
}

// The last fifth of the campaign's time, and at most lastMost of it, is for failures, if there are any: in its first
// half, follow-ups confirm them while the search rests, and in its second half they are written.
const (
	lastShare = 5
	lastMost  = 4 * time.Second
)

func (c *Campaign) last() time.Duration { return min(c.config.Time/lastShare, lastMost) }

func (c *Campaign) followsUp() bool {
	progress, waiting := c.followUps.waits()
	return progress+waiting > 0
}

// followsUpLast reports whether the time of the campaign is nearly up and follow-ups need the rest of it.
func (c *Campaign) followsUpLast() bool {
	return c.config.Time > 0 && c.config.Time-c.clock.Elapsed() <= c.last() && c.followsUp()
}

// endInTime ends the campaign when its time is up, or earlier if there are failures to write. done stops that.
func (c *Campaign) endInTime() (done func()) {
	left := c.config.Time - c.clock.Elapsed()
	write := time.AfterFunc(left-c.last()/2, func() {
		if found, _ := c.registry.Counts(); found > 0 || c.followsUp() {
			c.stop(errTimeUp)
		}
	})
	end := time.AfterFunc(left, func() { c.stop(errTimeUp) })
	return func() {
		write.Stop()
		end.Stop()
	}
}

// Run fuzzes until a limit is reached or the context ends; neither is an error. An error
// is a failure of ipafuzz or of its environment. Run may be called once.
//
// One context ends all work: the search and the follow-ups. What they were doing is cut short and recorded as such.
func (c *Campaign) Run(ctx context.Context) (Summary, error) {
	given := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.ctx, c.stop = ctx, stop
	if c.config.Time > 0 {
		defer c.endInTime()()
	}
	c.followUps.begin(ctx)
	if c.registry.Enough() { // a resumed campaign may have ended for that reason
		stop(registry.ErrEnough)
	}
	saving, saved := context.WithCancel(context.WithoutCancel(ctx))
	defer saved()
	var saver sync.WaitGroup
	if c.store != nil {
		saver.Go(func() { c.save(saving) })
	}
	c.reduceLarger()
	c.search.Begin()
	defer c.search.Watch()()
	var workers sync.WaitGroup
	for range c.config.Workers {
		workers.Go(func() {
			err := caught.Do(func() error { return c.work(ctx) })
			if err != nil && ctx.Err() == nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	c.search.Finish()
	c.pacer.SearchEnded()
	c.followUps.wait()
	saved()
	saver.Wait()
	c.closeLeft()
	summary := c.summary()
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, registry.ErrEnough) || errors.Is(cause, errTimeUp) {
		cause = c.book.NoTraces()
	} else if given.Err() != nil && (errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded)) {
		cause = nil // the caller ended the campaign
	}
	if c.store != nil {
		var d *trial.DisagreementError
		if errors.As(cause, &d) {
			d.Dir = c.store.PutDisagreement(d)
		}
		if t := replay.InProgress(cause); t != nil {
			cause = c.store.PutViolation(cause, t)
		}
		unkept := c.finish(summary, given.Err() != nil)
		if full := new(store.DirectoryError); !errors.As(cause, &full) { // report a full disk once
			cause = errors.Join(cause, unkept)
		}
	}
	return summary, cause
}
