package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// found deals with one finding of one run: it is counted when its key is known,
// else confirmed, cut and stored.
func (l *lane) found(ctx context.Context, who int, t *trace.Trace, f oracle.Finding, from source.Origin,
	before int) error {
	begun := time.Now()
	defer func() { l.aside += time.Since(begun) }()
	key := f.Key(l.c.target(who).Name)
	l.showed(key, from)
	l.failed = true
	l.c.learner.witness(key, l.c.target(who).Name, t)
	if f.Suspects > 1 {
		mine, err := l.suspected(ctx, who, t, &f, key, from)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && !mine {
			return nil
		}
	} else if f.IsTimeLimit() && !l.c.registry.WantsHang(key) || !f.IsTimeLimit() && !l.c.registry.Wants(key, !f.Voted) {
		return nil
	}
	err := l.confirm(ctx, who, t, f, key, from, before)
	if err != nil && ctx.Err() != nil && !errors.Is(err, registry.ErrEnough) { // with that it is stored
		l.cutShort(f, key, from)
		return nil
	}
	return err
}

func (l *lane) confirm(ctx context.Context, who int, t *trace.Trace, f oracle.Finding, key oracle.Key,
	from source.Origin, before int) error {
	found := l.c.newFound(who, f, key, t, from)
	if f.IsTimeLimit() && !l.c.registry.NeedsCompany(key) {
		l.c.confirmHang(ctx, found)
		return nil
	}
	same, err := l.group.Shows(ctx, l.c.target(who).Name, found.Original, key, &found.Run)
	if err != nil {
		return err
	}
	found.Rate = trial.Rate{Failed: 1, Runs: 1}
	if same == nil {
		if same, err = l.reproduceWithHistory(ctx, found, before); err != nil {
			return err
		}
		if same != nil && !same.IsTimeLimit() {
			if err = l.repeat(ctx, found); err != nil {
				return err
			}
			if !found.Rate.Always() {
				why := fmt.Sprintf("after %d earlier traces of its process it happened in %s runs", found.History, found.Rate)
				l.c.registry.Unconfirmed(found.AsUnconfirmed(why))
				return nil
			}
		}
	}
	if same == nil {
		l.c.registry.Unconfirmed(found.AsUnconfirmed(""))
		return nil
	}
	found.Finding = *same
	if same.IsTimeLimit() {
		l.c.confirmHang(ctx, found)
		return nil
	}
	if found.History == 0 {
		if same, err = l.group.Session(found.Target).BlameInstances(ctx, found.Minimal, *same); err != nil {
			return err
		}
		found.Finding = *same
	}
	found.Key = found.Finding.Key(found.Target)
	return l.reduce(ctx, found)
}

// historyRuns is how often a failure must follow from the traces before it. So
// many of them take long and are tried in so many lengths that whatever depends
// on time happens in one of them.
const historyRuns = 3

// repeat runs a trace with its history again, until it does not fail.
func (l *lane) repeat(ctx context.Context, found *store.Finding) error {
	for found.Rate.Always() && found.Rate.Runs < historyRuns {
		var run trace.Run
		same, err := l.group.Shows(ctx, found.Target, found.Minimal, found.Key, &run)
		if err != nil {
			return err
		}
		found.Rate.Runs++
		if same != nil {
			found.Rate.Failed++
		}
	}
	return nil
}

// reproduceWithHistory looks for a failure that needs what came before it in the
// same process: the preceding traces are made again and joined, twice as many
// each time, until the whole fails as it did. So at most half of what is kept is
// not needed.
func (l *lane) reproduceWithHistory(ctx context.Context, found *store.Finding, before int) (*oracle.Finding, error) {
	history := min(before, len(l.ran))
	if l.c.config.Way != replay.Persistent || history == 0 {
		return nil, nil
	}
	var joined []*trace.Trace
	try := func(n int) (*oracle.Finding, *trace.Trace, *trace.Run, error) {
		joined = nil
		for _, from := range l.ran[len(l.ran)-n:] {
			t := new(trace.Trace)
			generate(ctx, from, t)
			joined = append(joined, t)
		}
		joined = append(joined, found.Original)
		all := trace.Concat(joined...)
		all.Notes, all.Planted = found.Original.Notes, found.Original.Planted
		var run trace.Run
		same, err := l.group.Shows(ctx, found.Target, all, found.Key, &run)
		return same, all, &run, err
	}
	for n := 1; ; n = min(2*n, history) {
		same, all, run, err := try(n)
		if err != nil {
			return nil, err
		}
		if same != nil {
			found.Minimal, found.History, found.Parts, found.Run = all, n, joined, *run
			return same, nil
		}
		if n == history {
			return nil, nil
		}
	}
}

// generate makes a trace again, as well as it can be.
func generate(ctx context.Context, from source.Origin, t *trace.Trace) {
	if traces, err := from.Source(); err == nil {
		from.Make(ctx, traces, t)
	}
}

// add adds a confirmed finding, with a program that shows it.
func (c *Campaign) add(found *store.Finding) error {
	c.program(found)
	return c.registry.Add(found)
}

// announce tells everybody of a finding that was stored. fresh: its key is new.
func (c *Campaign) announce(f *store.Finding, fresh bool) {
	c.learner.reduced(f.Key, f.Target, f.Minimal)
	if fresh {
		c.book.found(f)
	}
	if c.config.OnFinding != nil {
		c.config.OnFinding(f)
	}
}

// newFound is a finding of a trace as it was generated.
func (c *Campaign) newFound(who int, f oracle.Finding, key oracle.Key, t *trace.Trace, from source.Origin) *store.Finding {
	original := t.Clone()
	original.Notes = c.notes(from)
	return &store.Finding{Finding: f, Key: key, Target: c.target(who).Name, Cell: from.Stream.Index,
		Number: from.Number, Seed: from.Seed(), Without: from.Without(), Original: original, Minimal: original}
}

// notes is the header of a stored trace: where it comes from, so that it can be
// made again from numbers alone.
func (c *Campaign) notes(from source.Origin) []string {
	var header []string
	if traces, err := from.Source(); err == nil {
		from.Make(context.Background(), traces, new(trace.Trace)) // some headers tell of the last trace
		header = traces.Notes(from.Number, from.Seed())
	}
	return append(header, notes.Again(c.config.GenCommand("ipafuzz", from.Stream.Index, from.Number, from.Without())))
}

// cutShort notes a failure that could not be confirmed before the run ended.
func (l *lane) cutShort(f oracle.Finding, key oracle.Key, from source.Origin) {
	l.unsettled = true
	l.c.registry.Unconfirmed(store.Unconfirmed{Finding: f, Key: key, Cell: from.Stream.Index, Number: from.Number, Seed: from.Seed(), CutShort: true})
}

// program writes the finding's C program. Some findings cannot be shown by one:
// then there is none.
func (c *Campaign) program(found *store.Finding) {
	who := c.number(found.Target)
	minimal := found.Minimal.Clone()
	minimal.Notes = nil
	p, err := repro.ProgramOf(minimal, export.LanguageNamed("c"), "repro.c", c.target(who), c.descriptionOf(who),
		found.Key, c.config.Limits, found.Right)
	if err == nil {
		found.Program = p
	}
}
