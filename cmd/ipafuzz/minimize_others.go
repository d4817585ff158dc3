package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// keepOthers reduces other failures in turn, and those seen meanwhile. It reduces up to five traces of each
// key, the smallest first, and stores each result once.
func (m *minimizeCommand) keepOthers(ctx context.Context, main *shrink.Reducer, result *shrink.Reduction,
	met shrink.SideFailures) ([]shrink.OtherFailure, error) {
	if m.AnyFailure {
		return nil, nil
	}
	var list []shrink.OtherFailure
	done := map[oracle.Key]bool{result.Key: true}
	if m.Others != "" {
		if err := os.MkdirAll(m.Others, 0o755); err != nil {
			return nil, exit.Misuse(err)
		}
	}
	for {
		maps.DeleteFunc(met, func(key oracle.Key, _ []*trace.Trace) bool { return done[key] })
		if len(met) == 0 {
			return list, nil
		}
		key, traces := met.Next()
		done[key] = true
		if m.Others == "" {
			list = append(list, shrink.OtherFailure{Key: key, Calls: len(traces[0].Calls)})
			continue
		}
		kept := make(map[string]bool)
		for _, t := range traces {
			reduced, err := m.reduceOther(ctx, main, t, key, func(t *trace.Trace, failure dd.Failure) {
				if !done[failure.(oracle.Key)] {
					met.Note(t, failure)
				}
			})
			if err != nil {
				return list, err
			}
			bare := *reduced
			bare.Notes, bare.Planted = nil, nil
			content := bare.String()
			if kept[content] || reduced == t && len(kept) > 0 {
				continue // a repetition, or a trace that did not fail again although another did
			}
			kept[content] = true
			name := shrink.SlugOf(key)
			if len(kept) > 1 {
				name += fmt.Sprintf("-%d", len(kept))
			}
			file := filepath.Join(m.Others, name+".trace")
			if err := atomicfile.Write(file, reduced.AppendText(nil)); err != nil {
				return list, exit.Misusef("--others: %w", err)
			}
			list = append(list, shrink.OtherFailure{Key: key, Calls: len(reduced.Calls), File: file})
		}
	}
}

// reduceOther reduces a trace. If the trace does not fail again or the user interrupts, it returns the
// trace itself.
func (m *minimizeCommand) reduceOther(ctx context.Context, main *shrink.Reducer, t *trace.Trace, key oracle.Key,
	met func(*trace.Trace, dd.Failure)) (*trace.Trace, error) {
	other := *main
	other.Key, other.OnKey, other.Events, other.Runs = key, nil, dd.Events{OnOther: met}, trial.ChanceRuns
	reduced, err := other.Reduce(ctx, t)
	var not *shrink.NotFailingError
	switch {
	case errors.As(err, &not), err != nil && ctx.Err() != nil:
		return t, nil
	case err != nil:
		return nil, err
	}
	small := reduced.Expecting
	reduced.NoteIn(small, m.Trace, main.Target.Name, m.limits(), len(t.Calls), uint64(m.Seed))
	return small, nil
}
