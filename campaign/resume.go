package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A ResumeError is a run that cannot go on with what the directory has.
type ResumeError struct {
	Dir string
	Why string
}

func (e *ResumeError) Error() string {
	return fmt.Sprintf("the run in %s cannot go on: %s (without --resume a new run begins there, and keeps its findings)", e.Dir, e.Why)
}

// resume takes up the run that the directory has; false when it has none.
func (c *Campaign) resume() (bool, error) {
	stored, err := ReadStored(c.store.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if damaged := new(StoredError); errors.As(err, &damaged) {
		return false, &ResumeError{c.store.dir, damaged.Err.Error()}
	}
	if err != nil {
		return false, err
	}
	if len(stored.Record.Parts) > 0 {
		return false, &ResumeError{c.store.dir, "it was joined from others"}
	}
	if why := differs(&stored.Record, &c.store.record); why != "" {
		return false, &ResumeError{c.store.dir, why}
	}
	var was state
	err = readJSON(filepath.Join(c.store.dir, "state.json"), &was)
	switch {
	case errors.Is(err, fs.ErrNotExist): // killed in its first moment
	case err != nil:
		return false, &ResumeError{c.store.dir, err.Error()}
	case was.Run != stored.Record.Run: // likewise, and the state is that of an earlier run
		was = state{}
	case len(was.Cells) != len(c.cells):
		return false, &ResumeError{c.store.dir, "its state.json does not belong to its campaign.json"}
	default:
		c.goOn(&was)
	}
	c.store.record.Run, c.store.record.Started = stored.Record.Run, stored.Record.Started
	if err := mend(filepath.Join(c.store.dir, "stats.jsonl")); err != nil {
		return false, &DirectoryError{Dir: c.store.dir, Err: err}
	}
	return true, c.restore(stored, was.Hits)
}

// differs says in what a run differs from another one, "" when it may continue
// it.
func differs(was, is *campaignRecord) string {
	if was.Seed != is.Seed {
		return fmt.Sprintf("its seed is %#x, not %#x", was.Seed, is.Seed)
	}
	if was.Shard != is.Shard || was.Of != is.Of {
		return fmt.Sprintf("it is %s, not %s", shardName(was.Shard, was.Of), shardName(is.Shard, is.Of))
	}
	if was.Way != is.Way {
		return fmt.Sprintf("it isolates traces by %s, not %s", was.Way, is.Way)
	}
	if was, is := asSet(was.Avoid), asSet(is.Avoid); was != is {
		return fmt.Sprintf("it avoids %s, not %s", was, is)
	}
	for _, pair := range [][2][]targetRecord{{was.Targets, is.Targets}, {was.Against, is.Against}} {
		if a, b := targetNames(pair[0]), targetNames(pair[1]); a != b {
			return fmt.Sprintf("it is about %s, not %s", a, b)
		}
		for i := range pair[0] {
			if a, b := asJSON(pair[0][i]), asJSON(pair[1][i]); a != b {
				return fmt.Sprintf("the target %s has changed: it was %s, and is %s", pair[0][i].Name, a, b)
			}
		}
	}
	if a, b := asJSON(was.Cells), asJSON(is.Cells); a != b {
		return fmt.Sprintf("it makes other traces: %s, not %s", a, b)
	}
	return ""
}

func shardName(shard, of uint64) string {
	switch {
	case of > 0:
		return fmt.Sprintf("shard %d of %d", shard, of)
	case shard > 0:
		return fmt.Sprintf("shard %d", shard)
	}
	return "the whole campaign"
}

func targetNames(targets []targetRecord) string {
	var names []string
	for _, t := range targets {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "no other target"
	}
	return strings.Join(names, ", ")
}

// asSet is what is avoided, in whatever order it was asked for.
func asSet(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
}

func asJSON(v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.Encode(v)
	return strings.TrimSpace(text.String())
}

// restore makes findings of those that the run had: those that it counted, and
// those that it stored after it had counted for the last time.
func (c *Campaign) restore(stored *Stored, hits map[oracle.Key]uint64) error {
	slices.SortFunc(stored.Findings, func(a, b StoredFinding) int { return a.Found.Compare(b.Found) })
	for i := range stored.Findings {
		s := &stored.Findings[i]
		counted, mine := hits[s.Key], s.Run == c.store.record.Run
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
		if f.Hits, f.Again = max(1, counted), !mine; f.NotMinimal == beingReduced {
			c.early[f.Key] = true // its trace is run again, and then made small
			c.left = append(c.left, f)
			continue
		}
		c.byKey[f.Key] = f
		c.found = append(c.found, f)
		if counted == 0 {
			c.news(f)
		}
		if (f.NotMinimal == runEnded || f.NotMinimal == shrink.Interrupted) && f.Class != oracle.TooSlow { // of a hang more is needed than is stored
			c.larger = append(c.larger, f)
		}
	}
	return nil
}

// restored is a finding as far as it is known without a run of its trace; nil
// when it is about no target of the campaign.
func (c *Campaign) restored(s *StoredFinding) (*Found, error) {
	who := slices.IndexFunc(c.subjects, func(of subject) bool { return of.Name == s.Target.Name })
	if who < 0 || s.Cell >= len(c.cells) || len(s.Weights) != 1 {
		return nil, nil
	}
	from := source.Origin{Stream: c.cells[s.Cell].Stream, Number: s.Number}
	f := &Found{
		Finding: s.Record.Finding(),
		Key:     s.Key, Target: s.Target.Name, target: who, from: from, Cell: s.Cell, Number: s.Number, Seed: from.Seed(), Without: s.Without, After: s.After,
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
			return nil, &DamagedError{s.Dir, err}
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
