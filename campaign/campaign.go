// Package campaign fuzzes targets: it generates traces, runs them on the targets, has the
// answers judged, and confirms, reduces and stores the findings.
//
// This package puts the parts together and has the result. The way of a finding from an answer to the disk:
//
//	search      a lane generates a trace, runs it and judges the answers: lane.go, judging.go
//	            it emits a suspect, unless the registry knows the key:    report.go
//	suspect     is what it emits
//	followup    a task for it waits in the queue of the pacer:            take.go, queue.go
//	            the suspect fails again in a fresh process:               confirm.go; hang.go for one that takes too long
//	            its trace is reduced, and experiments tell its cause:     reduce.go, packages shrink and diagnose
//	registry    has the finding                                           add.go
//	store       writes its directory                                      put.go
//
// Both sides share the targets (lineup), the numbers and counters (book), what the causes of findings need (learn),
// what traces cost (cost) and the time (pace).
package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/followup"
	"github.com/ipafuzz/ipafuzz/campaign/learn"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/search"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
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
	Avoid []string                        // traits: traces that have one of them are generated but not run
	Known map[oracle.Key][]*store.Finding // failures that these faults explain are only counted

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
// Goroutines: Config.Workers goroutines search, each with its own lanes, which may have side lanes with goroutines of
// their own. Each follow-up has one, and the pacer decides which of them may run a trial, and bounds their share of the
// time. One goroutine saves the state. Run starts them and waits for all of them. The search never waits for
// follow-ups.
//
// Each shared value has its own lock. No lock is held while a trace runs, a file is written or a callback runs, with
// two exceptions: a lock of the registry keeps findings in order, and a lock of the store keeps writes to its files in
// order. A goroutine that holds the learner's lock may take the book's, never the reverse.
type Campaign struct {
	config    Config
	lineup    *lineup.Lineup
	search    *search.Search
	followUps *followup.FollowUps

	book      *book.Book
	registry  *registry.Registry
	learner   *learn.Learner   // nil: nothing is learned
	store     *store.Store     // nil: findings are not stored
	archivist *store.Archivist // nil: traces are not kept

	clock    pace.Clock
	progress pace.Search
	halt     pace.Halt
	pacer    *pace.Pacer
	budgets  *pace.Budgets
	ctx      context.Context // ends with the campaign
	stop     context.CancelCauseFunc

	earlier earlier
	lined   time.Duration // the age of the campaign at the last line of statistics

	remaking sync.Mutex
	remade   source.Makers // of traces that were made again to be stored
}

// What a campaign has of the earlier parts that it continues.
type earlier struct {
	recovered store.Recovery
	resumed   bool
	kinds     []stats.KindUse  // what traces cost in them
	left      []*store.Finding // findings whose reduction the end of the earlier part cut off
	larger    []*store.Finding // findings that were not minimal at its end
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
	c := &Campaign{config: config, pacer: pace.NewPacer(config.Workers), ctx: context.Background(),
		lineup: &lineup.Lineup{Way: config.Way, Limits: config.Limits, Factor: config.Factor}}
	c.clock.Start(config.Begun)
	c.budgets = pace.NewBudgets(&c.clock, config.Workers)
	seed := gen.Seed(config.Seed, config.Shard, scheduleStream)
	c.book = book.New(config.Traces, pace.NewScheduler(len(config.Cells), seed, config.Fair))
	if err := c.load(); err != nil {
		return nil, err
	}
	for _, cell := range c.book.Cells {
		if _, err := cell.Open(source.Choice{}); err != nil {
			return nil, err
		}
	}
	c.book.Begin(c.lineup.NewMeasures())
	if config.Learn {
		c.learner = learn.New(c.book, config.Against)
	}
	if err := c.openStore(); err != nil {
		return nil, err
	}
	c.search = search.New(search.Config{Lineup: c.lineup, Book: c.book, Registry: c.registry, Learner: c.learner,
		Pacer: c.pacer, Progress: &c.progress, Halt: &c.halt, Clock: &c.clock, Budgets: c.budgets,
		Shard: config.Shard, Avoid: config.Avoid, Others: config.Others, Weighs: config.Traces == 0 && !config.Fair,
		Rests: c.followsUpLast, Emit: func(x *suspect.Suspect) { c.followUps.Take(x) }, Stop: c.stopFor})
	c.followUps = followup.New(followup.Config{Lineup: c.lineup, Book: c.book, Registry: c.registry, Pacer: c.pacer,
		Budgets: c.budgets, Store: c.store, Avoid: config.Avoid, Others: config.Others, Reduction: followup.Reduction,
		Stop: c.stopFor})
	if c.store != nil {
		if err := c.beginStore(); err != nil {
			c.store.Close()
			return nil, err
		}
	}
	for _, faults := range config.Known {
		if known := faults[0]; known.Minimal != nil {
			c.learner.Reduced(known.Key, known.Target, known.Minimal, known.Cause())
		}
	}
	return c, nil
}

func (c *Campaign) stopFor(err error) { c.stop(err) }

// openStore opens the registry, and the directory that keeps its findings.
func (c *Campaign) openStore() (err error) {
	keeping := registry.Config{Most: c.config.Findings, Known: c.config.Known,
		Now:      func() (uint64, time.Duration) { return c.book.Judged.Load(), c.clock.Elapsed() },
		Announce: c.announce, Confirmed: c.config.OnConfirmed, GivenUp: c.config.OnGivenUp}
	if c.config.Out != "" {
		past := c.config.Past
		if past == nil {
			if past, err = store.OpenDir(c.config.Out); err != nil {
				return err
			}
		}
		if c.store, err = store.Open(past, c.record(), (*commands)(c), c.config.Limits); err != nil {
			if c.config.Past == nil {
				past.Close()
			}
			return err
		}
		keeping.Keeper = c.store
	}
	c.registry = registry.New(keeping)
	return nil
}

// beginStore continues the campaign of the directory or begins a new one.
func (c *Campaign) beginStore() (err error) {
	if c.earlier.recovered, err = c.store.Recover(); err != nil {
		return err
	}
	if c.config.Resume {
		if c.earlier.resumed, err = c.resume(); err != nil {
			return err
		}
	}
	if c.config.Archive {
		c.archivist = store.NewArchivist(c.config.Out)
		c.search.Archivist = c.archivist
	}
	return c.store.Begin(c.earlier.resumed)
}

// Recovered returns what New repaired in the campaign directory after a killed run.
func (c *Campaign) Recovered() store.Recovery { return c.earlier.recovered }

// CutOff returns how many stored findings an earlier part was reducing when it was killed. They are not counted yet.
func (c *Campaign) CutOff() int { return len(c.earlier.left) }

// errTimeUp ends a campaign with a time limit.
var errTimeUp = errors.New("the time of the campaign is up")

// The last fifth of the campaign's time, and at most lastMost of it, is for failures, if there are any: in its first
// half, follow-ups confirm them while the search rests, and in its second half they are written.
const (
	lastShare = 5
	lastMost  = 4 * time.Second
)

func (c *Campaign) last() time.Duration { return min(c.config.Time/lastShare, lastMost) }

func (c *Campaign) followsUp() bool {
	begun, waiting := c.pacer.Waits()
	return begun+waiting > 0
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
	c.followUps.Begin(ctx)
	if c.registry.Enough() { // a resumed campaign may have ended for that reason
		stop(registry.ErrEnough)
	}
	saving, saved := context.WithCancel(context.WithoutCancel(ctx))
	defer saved()
	var saver sync.WaitGroup
	if c.store != nil {
		saver.Go(func() { c.save(saving) })
	}
	c.followUps.ReduceStored(c.earlier.larger)
	c.search.Run(ctx, c.config.Workers)
	c.pacer.SearchEnded()
	c.followUps.Wait()
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

// announce passes a stored finding to the learner, the book if its key is fresh, and
// OnFinding.
func (c *Campaign) announce(f *store.Finding, fresh bool) {
	first := c.registry.Leads(f)
	if first {
		c.learner.Reduced(f.Key, f.Target, f.Minimal, f.Cause())
	}
	if fresh {
		c.book.Found(f)
		if f.Made != (cost.Kind{}) {
			c.lineup.All[c.book.Cells[f.Cell].TargetNumber].Costs.Confirmed(f.Made)
		}
	}
	if fresh && first {
		c.followUps.ExamineHeld(f)
	}
	if c.config.OnFinding != nil {
		c.config.OnFinding(f)
	}
}
