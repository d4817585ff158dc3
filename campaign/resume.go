package campaign

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// resume continues the run that the directory has. It returns false if there is
// none.
func (c *Campaign) resume() (bool, error) {
	stored, was, err := c.store.Resumable(len(c.cells))
	if stored == nil || err != nil {
		return false, err
	}
	if was.Run != "" {
		c.goOn(was)
	}
	if err := c.store.Continue(stored); err != nil {
		return false, err
	}
	return true, c.restore(stored, was.Hits)
}

// restore makes findings of those that the run had: those that it counted, and
// those that it stored after it had counted for the last time.
func (c *Campaign) restore(stored *store.Stored, hits map[oracle.Key]uint64) error {
	slices.SortFunc(stored.Findings, func(a, b store.StoredFinding) int { return a.Found.Compare(b.Found) })
	for i := range stored.Findings {
		s := &stored.Findings[i]
		counted, mine := hits[s.Key], s.Run == c.store.Record.Run
		if counted == 0 && !mine {
			continue // an earlier run's
		}
		f, err := c.restored(s)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if f.Hits, f.Again = max(1, counted), !mine; f.NotMinimal == store.BeingReduced {
			c.early[f.Key] = true // its trace is run again, and then made small
			c.left = append(c.left, f)
			continue
		}
		c.byKey[f.Key] = f
		c.found = append(c.found, f)
		if counted == 0 {
			c.news(f)
		}
		if (f.NotMinimal == store.RunEnded || f.NotMinimal == shrink.Interrupted) && f.Class != oracle.TooSlow { // of a hang more is needed than is stored
			c.larger = append(c.larger, f)
		}
	}
	return nil
}

// restored is a finding as far as it is known without a run of its trace; nil
// when it is about no target of the campaign.
func (c *Campaign) restored(s *store.StoredFinding) (*store.Finding, error) {
	who := slices.IndexFunc(c.subjects, func(of subject) bool { return of.Name == s.Target.Name })
	if who < 0 || s.Cell >= len(c.cells) || len(s.Weights) != 1 {
		return nil, nil
	}
	from := source.Origin{Stream: c.cells[s.Cell].Stream, Number: s.Number}
	f := &store.Finding{
		Finding: s.Record.Finding(),
		Key:     s.Key, Target: s.Target.Name, Cell: s.Cell, Number: s.Number, Seed: from.Seed(), Without: s.Without, After: s.After,
		Elapsed: time.Duration(s.Elapsed * float64(time.Second)), History: s.History, Rate: s.Rate, Tests: s.Tests,
		Reducing: time.Duration(s.Reducing * float64(time.Second)), IsMinimal: s.Least, NotMinimal: s.NotLeast, MetIn: s.MetIn, Dir: s.Dir, Resumed: true,
	}
	f.Finding.Solve, f.Finding.Instance, f.Finding.Weight = s.Solve-1, s.Instance, oracle.WeightClass(s.Weights[0])
	for _, file := range []struct {
		name string
		into **trace.Trace
	}{{"original.trace", &f.Original}, {"minimal.trace", &f.Minimal}} {
		path := filepath.Join(s.Dir, file.name)
		text, err := os.ReadFile(path)
		if err == nil {
			*file.into, err = trace.ParseSyntax(bytes.NewReader(text), path)
		}
		if err != nil {
			return nil, &store.DamagedError{Dir: s.Dir, Err: err}
		}
	}
	return f, nil
}

// closeLeft makes findings of those that an earlier part of the run left
// unreduced and that did not show again.
func (c *Campaign) closeLeft() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.left {
		if c.byKey[f.Key] == nil {
			f.NotMinimal = "the run was ended while it was made smaller, and it did not fail again"
			c.byKey[f.Key] = f
			c.found = append(c.found, f)
		}
	}
}
