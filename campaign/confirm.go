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

// report handles one finding of one run. It counts the finding, and has it confirmed,
// reduced and stored unless the registry knows its key.
func (l *lane) report(ctx context.Context, target int, t *trace.Trace, f oracle.Finding, from source.Origin,
	before int) error {
	begun := time.Now()
	defer func() { l.aside += time.Since(begun) }()
	key := f.Key(l.c.target(target).Name)
	l.showed(key, from)
	l.failed = true
	l.c.learner.witness(key, l.c.target(target).Name, t)
	if f.Suspects > 1 {
		mine, err := l.suspected(ctx, target, t, &f, key, from)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && !mine {
			return nil
		}
	} else if f.IsTimeLimit() && !l.c.registry.WantsHang(key) || !f.IsTimeLimit() && !l.c.registry.Wants(key, !f.Voted) {
		return nil
	}
	err := l.confirm(ctx, target, t, f, key, from, before)
	if err != nil && ctx.Err() != nil && !errors.Is(err, registry.ErrEnough) { // ErrEnough says that it is stored
		l.cutShort(f, key, from)
		return nil
	}
	return err
}

func (l *lane) confirm(ctx context.Context, target int, t *trace.Trace, f oracle.Finding, key oracle.Key,
	from source.Origin, before int) error {
	found := l.c.newFound(target, f, key, t, from)
	if f.IsTimeLimit() && !l.c.registry.NeedsCompany(key) {
		l.c.confirmHang(ctx, found)
		return nil
	}
	same, err := l.group.Shows(ctx, l.c.target(target).Name, found.Original, key, &found.Run)
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
				why := fmt.Sprintf("after %d earlier traces of its process, it failed in %s runs", found.History, found.Rate)
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

// historyRuns is the number of runs in each of which a trace with its history must fail.
// A history is long and tried in many lengths, so a failure that depends on time would
// show in one of them by chance.
const historyRuns = 3

// repeat runs a trace with its history historyRuns times, or until it does not fail.
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

// reproduceWithHistory looks for a failure that needs earlier traces of the same process.
// It generates the preceding traces again and joins them, twice as many each time, until
// the joined trace fails in the same way. So at most half of the history is not needed.
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

// generate generates a trace again; t stays empty if that fails.
func generate(ctx context.Context, from source.Origin, t *trace.Trace) {
	if traces, err := from.Source(); err == nil {
		from.Make(ctx, traces, t)
	}
}

// add adds a confirmed finding to the registry, with a program that shows it.
func (c *Campaign) add(found *store.Finding) error {
	c.program(found)
	return c.registry.Add(found)
}

// announce passes a stored finding to the learner, the book if its key is fresh, and
// OnFinding.
func (c *Campaign) announce(f *store.Finding, fresh bool) {
	c.learner.reduced(f.Key, f.Target, f.Minimal)
	if fresh {
		c.book.found(f)
	}
	if c.config.OnFinding != nil {
		c.config.OnFinding(f)
	}
}

// newFound returns a finding of a trace as it was generated.
func (c *Campaign) newFound(
	target int, f oracle.Finding, key oracle.Key, t *trace.Trace, from source.Origin,
) *store.Finding {
	original := t.Clone()
	original.Notes = c.notes(from)
	return &store.Finding{Finding: f, Key: key, Target: c.target(target).Name, Cell: from.Stream.Index,
		Number: from.Number, Seed: from.Seed(), Without: from.Without(), Original: original, Minimal: original}
}

// notes returns the header of a stored trace. It names the seed and number, from which
// the trace can be generated again.
func (c *Campaign) notes(from source.Origin) []string {
	var header []string
	if traces, err := from.Source(); err == nil {
		from.Make(context.Background(), traces, new(trace.Trace)) // some headers describe the trace made last
		header = traces.Notes(from.Number, from.Seed())
	}
	return append(header, notes.Again(c.config.GenCommand("ipafuzz", from.Stream.Index, from.Number, from.Without())))
}

// cutShort records a failure whose confirmation the end of the campaign cut off.
func (l *lane) cutShort(f oracle.Finding, key oracle.Key, from source.Origin) {
	l.unsettled = true
	l.c.registry.Unconfirmed(store.Unconfirmed{Finding: f, Key: key, Cell: from.Stream.Index, Number: from.Number,
		Seed: from.Seed(), CutShort: true})
}

// program sets the finding's C program. No program can show some findings; they get
// none.
func (c *Campaign) program(found *store.Finding) {
	target := c.number(found.Target)
	minimal := found.Minimal.Clone()
	minimal.Notes = nil
	p, err := repro.ProgramOf(minimal, export.LanguageNamed("c"), "repro.c", c.target(target), c.descriptionOf(target),
		found.Key, c.config.Limits, found.Right)
	if err == nil {
		found.Program = p
	}
}
