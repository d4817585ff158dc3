package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// smallerTrace is the file with the result of reducing the minimal trace of a finding further.
const smallerTrace = "minimal-smaller.trace"

// stored returns the findings of a campaign directory whose reduction is unfinished, or the finding in the
// directory of a finding. It returns nil for any other path.
func (m *minimizeCommand) stored() ([]store.FindingRecord, error) {
	if info, err := os.Stat(m.Trace); err != nil || !info.IsDir() {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(m.Trace, "campaign.json")); err == nil {
		all, err := store.ReadStored(m.Trace)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		unfinished := []store.FindingRecord{} // not nil, which stands for another path
		for _, f := range all.Findings {
			if f.Continue != "" {
				unfinished = append(unfinished, f)
			}
		}
		if len(unfinished) == 0 {
			if _, err := fmt.Printf("%s: no reduction was left unfinished (%s)\n", m.Trace,
				printable.Things(len(all.Findings), "finding")); err != nil {
				return nil, err
			}
		}
		return unfinished, nil
	}
	f, err := store.ReadFinding(m.Trace)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	return []store.FindingRecord{f}, nil
}

// goOn reduces the minimal traces of findings further. Unless the command line sets them, it takes the
// target, the failure and what traces must avoid from the campaign.
func (m *minimizeCommand) goOn(ctx context.Context, found []store.FindingRecord) error {
	var failed error
	for _, f := range found {
		one := *m
		one.Trace = filepath.Join(f.Dir, "minimal.trace")
		one.Out = cmp.Or(one.Out, filepath.Join(f.Dir, smallerTrace))
		one.Target = cmp.Or(one.Target, f.Target.Name)
		one.Model = cmp.Or(one.Model, f.Model)
		if one.Key.IsZero() && !one.AnyFailure && one.SlowerThan == nil {
			one.Key = f.Key
		}
		if shown := (oracle.Finding{Check: f.Check}); shown.Compared() && len(one.Against) == 0 {
			return exit.Misusef("%s: the failure shows only in comparison: name the rivals with --against", f.Dir)
		}
		one.Avoid = append(one.Avoid[:len(one.Avoid):len(one.Avoid)], f.Avoided()...)
		if whole, err := f.Finding(); err == nil {
			one.originals = []*trace.Trace{whole.Original}
		}
		err := one.reduce(ctx)
		if err != nil && !errors.Is(err, exit.ErrFindings) {
			if ctx.Err() != nil || len(found) == 1 {
				return err
			}
			fmt.Fprintf(os.Stderr, "ipafuzz: %s: %v\n", f.Dir, err)
			failed = err
			continue
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
}

// excluding returns a function that reports whether a smaller trace avoids what it must avoid, or nil if
// nothing is excluded.
func (m *minimizeCommand) excluding(t *trace.Trace) (func(*trace.Trace) bool, error) {
	without, traits, err := source.Avoidable(m.Avoid)
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("--avoid: %w", err))
	}
	cell := source.Cell{Generate: gen.Config{Without: without}}
	return cell.Excludes(traits, t), nil
}

// warnOfLimits warns if the notes of the trace name limits that differ from those of the command line.
func (m *minimizeCommand) warnOfLimits(t *trace.Trace) {
	if noted := notes.ResultOf(t.Notes).Limits; noted != "" && noted != m.limits().Flags() {
		fmt.Fprintf(os.Stderr, "ipafuzz: %s failed with %s; if it does not fail now, give the same limits\n", m.Trace, noted)
	}
}

// one reads the only trace that the command line names.
func (m *minimizeCommand) one(target *replay.Target) (*trace.Trace, error) {
	item, err := sources.One(m.Trace, sourcesFor(traceSources(), target.Model))
	if err != nil {
		return nil, err
	}
	m.warnOfLimits(item.Trace)
	return item.Trace, nil
}
