// Package search generates traces, runs them on the targets of a campaign and judges the answers. It emits suspects.
// What becomes of them is up to package followup, of which it knows nothing.
package search

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/learn"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// A Config has what a search shares with the rest of its campaign.
type Config struct {
	*lineup.Lineup
	Book      *book.Book
	Registry  *registry.Registry
	Learner   *learn.Learner // nil: nothing is learned
	Pacer     *pace.Pacer
	Progress  *pace.Search
	Halt      *pace.Halt
	Clock     *pace.Clock
	Budgets   *pace.Budgets
	Archivist *store.Archivist // nil: traces are not kept

	Shard  uint64
	Avoid  []string // traits: traces that have one of them are generated but not run
	Others bool     // failures with known keys are examined
	Weighs bool     // expensive traces wait, so which traces run depends on the speed of the target

	Rests func() bool            // the campaign needs the rest of its time for what was found
	Emit  func(*suspect.Suspect) // never blocks
	Stop  func(error)            // ends the campaign
}

// A Search runs the lanes of a campaign. Each worker has its own, and a lane may have side lanes.
type Search struct {
	Config
	Alone atomic.Uint64 // traces whose instances were or will be run alone
	ctx   context.Context
}

// New returns a search that has not begun.
func New(config Config) *Search { return &Search{Config: config, ctx: context.Background()} }

// Run searches with that many workers until all traces have run, the context ends or a worker fails.
func (s *Search) Run(ctx context.Context, workers int) {
	s.ctx = ctx
	s.Progress.Begin()
	defer s.Progress.Watch()()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			err := caught.Do(func() error { return s.work(ctx) })
			if err != nil && ctx.Err() == nil {
				s.Stop(err)
			}
		})
	}
	working.Wait()
	s.Progress.Finish()
}

// lanesOpen is the number of lanes that a worker keeps open, each with the processes of
// its target. A closed lane starts new processes at its next turn.
const lanesOpen = 4

// work takes turns until there are none or ctx ends.
func (s *Search) work(ctx context.Context) error {
	var lanes []*lane // the most recently used lane comes last
	defer func() {
		var closing sync.WaitGroup
		for _, l := range lanes {
			closing.Go(l.close)
		}
		closing.Wait()
	}()
	for t := s.Book.NextTurn(); t != nil && ctx.Err() == nil; {
		t.Begun = time.Now() // the previous lane has finished
		var l *lane
		if at := slices.IndexFunc(lanes, func(l *lane) bool { return l.targets[0] == t.Cell.TargetNumber }); at >= 0 {
			l = lanes[at]
			lanes = slices.Delete(lanes, at, at+1)
		} else {
			if len(lanes) == lanesOpen {
				lanes[0].close()
				lanes = slices.Delete(lanes, 0, 1)
			}
			var err error
			if l, err = s.newLane(ctx, t.Cell.TargetNumber, s.QueueOptions()); err != nil {
				return err
			}
			if s.Weighs {
				l.side = s.newSideLanes(ctx, t.Cell.TargetNumber)
			}
		}
		lanes = append(lanes, l)
		next, err := l.run(ctx, t)
		if err != nil {
			return err
		}
		t = next
	}
	return nil
}
