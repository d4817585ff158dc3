package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A campaign writes its state soon after the start and then regularly. If it is killed, it loses what it
// did since the last write.
const (
	stateSoonest = 100 * time.Millisecond
	stateEvery   = time.Second
)

// The interval between lines of statistics is a hundredth of the campaign's age, so that a campaign of any
// length has some hundreds of lines.
const (
	lineShare = 100
	lineMost  = time.Minute
)

// save writes the state until ctx ends. An error ends the campaign.
func (c *Campaign) save(ctx context.Context) {
	wait := stateSoonest
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, stateEvery)
		if err := c.saveOnce(false); err != nil {
			c.stop(err)
			return
		}
	}
}

// saveOnce writes the state, and a line of statistics if one is due. It takes the statistics before the
// state, so that a resumed campaign never counts less than the line.
func (c *Campaign) saveOnce(last bool) error {
	var adding store.Writes
	for dir, of := range c.registry.TakeHits() {
		adding.Do(func() error {
			return c.store.AddHits(dir, hitsOf(of), func(i int) *trace.Trace { return c.remake(of[i]) })
		})
	}
	if err := adding.Wait(); err != nil {
		return err
	}
	line, state := c.Stats(), c.state()
	// A resumed campaign does not run these traces again, so they must be in the archive.
	if err := c.archivist.Flush(); err != nil {
		return err
	}
	if err := c.store.WriteState(state); err != nil {
		return err
	}
	if due := c.lined + min(max(c.lined/lineShare, stateEvery), lineMost); !last && line.Elapsed < due && c.lined > 0 {
		return nil
	}
	c.lined = line.Elapsed
	for i := range line.Cells {
		line.Cells[i].Profiles = nil // they are large, and the state has them
	}
	return c.store.AddLine(store.StatsLine{Time: time.Now().UTC(), Stats: line})
}

// state copies what a resumed campaign needs. It copies the book before the registry, so that the registry
// has the findings of all numbers that the book marks as done.
func (c *Campaign) state() *store.State {
	s := &store.State{Run: c.store.Record.Run, Elapsed: c.clock.Elapsed(), AloneChecks: c.search.Alone.Load()}
	c.book.Save(s)
	c.registry.Save(s)
	s.FollowUps, s.Measures.Kinds = c.Stats().FollowUps, c.Kinds()
	s.Disputes = c.followUps.Disputes()
	if c.learner != nil {
		s.Evidence = c.learner.Save()
	}
	return s
}

// continueFrom continues from the state of an earlier part.
func (c *Campaign) continueFrom(s *store.State) {
	c.clock.Continue(s.Elapsed)
	c.search.Alone.Store(s.AloneChecks)
	c.book.Load(s)
	if s.Measures != nil {
		c.earlier.kinds = s.Measures.Kinds
	}
	c.registry.Load(s)
	c.pacer.Continue(s.FollowUps.Confirming, s.FollowUps.Reducing)
	c.progress.Continue(s.FollowUps.Standstill)
	c.budgets.Samples.Spend(s.FollowUps.Causes) // perhaps the causes took it, but they matter more
	c.followUps.LoadDisputes(s.Disputes)
	if c.learner != nil {
		c.learner.Load(s.Evidence)
	}
}

// resume continues the campaign of the directory. It returns false if there is none.
func (c *Campaign) resume() (bool, error) {
	stored, was, err := c.store.Resumable(len(c.book.Cells))
	if stored == nil || err != nil {
		return false, err
	}
	if was.Run != "" {
		c.continueFrom(was)
	}
	if err := c.store.Continue(stored); err != nil {
		return false, err
	}
	return true, c.restore(stored, was.Hits)
}

// restore restores the findings that the earlier part counted, and those that it stored after it last wrote
// its state.
func (c *Campaign) restore(stored *store.Stored, hits map[oracle.Key]uint64) error {
	slices.SortFunc(stored.Findings, func(a, b store.FindingRecord) int { return a.Found.Compare(b.Found) })
	for i := range stored.Findings {
		s := &stored.Findings[i]
		counted, mine := hits[s.Key], s.Run == c.store.Record.Run
		if counted == 0 && !mine {
			continue // an earlier campaign in this directory stored it
		}
		f, err := c.restored(s)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if f.Again = !mine; f.Variety == "" {
			f.Hits = max(1, counted)
		}
		if f.NotMinimal == store.BeingReduced && counted == 0 {
			c.registry.RestoreEarly(f.Key) // its trace runs again, and the finding is reduced then
			c.earlier.left = append(c.earlier.left, f)
			continue
		}
		if f.NotMinimal == store.BeingReduced { // its trace ran again and did not fail; see closeLeft
			f.NotMinimal = store.RunEnded
		}
		if f.Variety != "" {
			c.registry.RestoreBeside(f)
			continue
		}
		c.registry.Restore(f)
		if counted == 0 {
			c.book.Found(f)
		}
		cut := f.NotMinimal == store.RunEnded || f.NotMinimal == shrink.Interrupted || f.Undecided
		if cut && f.Class != oracle.TooSlow { // a hang's reduction needs more than what is stored
			c.earlier.larger = append(c.earlier.larger, f)
		}
	}
	return nil
}

// restored returns a stored finding, except for the run of its trace, or nil if the campaign lacks its
// target.
func (c *Campaign) restored(s *store.FindingRecord) (*store.Finding, error) {
	if c.lineup.Number(s.Target.Name) < 0 || s.Cell >= len(c.book.Cells) {
		return nil, nil
	}
	from := source.Origin{Stream: c.book.Cells[s.Cell].Stream, Number: s.Number}
	f, err := s.Finding()
	if err == nil {
		f.Seed = from.Seed()
	}
	return f, err
}

// closeLeft keeps the findings whose reduction an earlier part did not finish and that did not fail again.
func (c *Campaign) closeLeft() {
	for _, f := range c.earlier.left {
		if !c.registry.Has(f.Key) {
			f.NotMinimal = "the run ended during its reduction, and it did not fail again"
			c.registry.Restore(f)
		}
	}
}

func hitsOf(origins []source.Origin) []store.Hit {
	var hits []store.Hit
	for _, from := range origins {
		choice := from.Choice()
		hits = append(hits, store.Hit{Cell: from.Stream.Index, Shard: from.Stream.Shard, Number: from.Number,
			Seed: fmt.Sprintf("%#016x", from.Seed()), Without: strings.Join(choice.Without, ","), Larger: choice.Profile})
	}
	return hits
}

// remake makes a trace again. It returns nil if an external generator does not repeat the
// trace, which it is not asked for once the campaign has ended.
func (c *Campaign) remake(from source.Origin) *trace.Trace {
	c.remaking.Lock()
	defer c.remaking.Unlock()
	maker, err := c.remade.Open(from.Stream, from.Choice())
	if err != nil {
		return nil
	}
	t := new(trace.Trace)
	if _, err := from.Make(c.ctx, maker, t); err != nil {
		return nil
	}
	t.Notes = from.NotesBy(maker)
	return t
}
