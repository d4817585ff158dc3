package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// beside reduces a trace that fails beside the rivals of --against.
func (m *minimizeCommand) beside(ctx context.Context, t *trace.Trace, target *replay.Target) error {
	r := &shrink.BesideReducer{Target: target, Limits: m.limits(), Key: m.Key, Factor: 100,
		Config: dd.Config{Workers: 1, Strategy: dd.Strategy(m.Strategy), Seed: uint64(m.Seed),
			Budget: dd.Budget{Tests: int(m.Tests), Idle: int(m.Idle)}}}
	if m.Time != nil {
		r.Budget.Time = m.Time.Duration
	}
	if m.Factor != nil {
		r.Factor = *m.Factor
	}
	if !(r.Factor >= 1) {
		return exit.Misusef("--factor: want 1 or more with --against, got %g", r.Factor)
	}
	for i, spec := range m.Against {
		if spec == m.Target || slices.Contains(m.Against[:i], spec) {
			return exit.Misusef("--against %s: named twice; a comparison needs different targets", spec)
		}
		rival, err := m.resolveFor(spec, t.Model)
		if err != nil {
			return err
		}
		r.Rivals = append(r.Rivals, rival)
	}
	var err error
	if r.Allowed, err = m.excluding(t); err != nil {
		return err
	}
	out, calls := m.out(), len(t.Calls)
	if err := checkFile(out); err != nil {
		return err
	}
	searching, stop := context.WithCancel(ctx)
	defer stop()
	status := terminal.NewReduction(os.Stderr, t)
	best := &bestFile{path: out, stop: stop}
	r.OnKey = func(known *shrink.Reduction) {
		status.Line(fmt.Sprintf("Reducing %s with the failure: %s", printable.Things(calls, "call"), known.Key))
		best.write(t)
	}
	r.OnBest, r.Progress = best.write, status.Progress
	status.Line(fmt.Sprintf("Observing how %s fails on %s beside %s.", printable.Name(m.Trace), target.Name,
		printable.Things(len(r.Rivals), "rival")))
	result, err := r.Reduce(searching, t)
	status.Erase()
	if unsettled, ok := errors.AsType[*shrink.UnsettledError](err); ok {
		return exit.Misusef("%s: %v", m.Trace, unsettled)
	}
	if err := errors.Join(err, best.err); err != nil {
		return m.explain(err)
	}
	result.NoteIn(result.Trace, m.Trace, target.Name, m.limits(), calls, uint64(m.Seed))
	if out != "-" {
		if err := outfile.WriteTrace(out, result.Trace); err != nil {
			return err
		}
	}
	if err := m.print(result, target, calls, out, "", "", nil); err != nil {
		return err
	}
	return exit.ErrFindings
}

// slower reduces a trace that takes the target much longer than another target.
func (m *minimizeCommand) slower(ctx context.Context, t *trace.Trace, target *replay.Target) error {
	than, err := m.resolveFor(*m.SlowerThan, t.Model)
	if err != nil {
		return err
	}
	factor := 10.0
	if m.Factor != nil {
		factor = *m.Factor
	}
	if !(factor > 1) {
		return exit.Misusef("--factor: want more than 1 with --slower-than, got %g", factor)
	}
	reducer, err := m.reducer(target)
	if err != nil {
		return err
	}
	reducer.Close()
	out := m.out()
	status := terminal.NewReduction(os.Stderr, t)
	searching, stop := context.WithCancel(ctx)
	defer stop()
	best := bestFile{path: out, stop: stop}
	s := shrink.Slowdown{Target: target, Than: than, Description: reducer.Description, Limits: reducer.Limits,
		Factor: factor, Least: m.Least.Duration,
		Config: dd.Config{Budget: reducer.Budget, Strategy: reducer.Strategy, Seed: reducer.Seed,
			Events: dd.Events{Progress: status.Progress, OnBest: best.write}}}
	status.Line(fmt.Sprintf("Reducing %d calls that take %s at least %g times as long as %s. Ctrl-C ends the search.",
		len(t.Calls), target.Name, factor, than.Name))
	result, before, after, err := s.Reduce(searching, t)
	status.Erase()
	var not *shrink.NotSlowerError
	if errors.As(err, &not) {
		return exit.Misusef("%s: %v", m.Trace, err)
	}
	if err := errors.Join(err, best.err); err != nil {
		return err
	}
	reduction := notes.Reduction{From: m.Trace, Calls: len(t.Calls), Tests: result.Stats.Tests,
		Search: &notes.Search{Time: result.Time, Seed: uint64(m.Seed)}}
	result.Trace.Notes = notes.WithResult(result.Trace.Notes, notes.Result{Reduced: reduction.String(),
		Target: target.Name,
		Slower: fmt.Sprintf("%.1f times as long as %s (%v and %v, %s/%s)", after.Ratio(), than.Name, after.Target, after.Than,
			runtime.GOOS, runtime.GOARCH)})
	if out == "-" {
		_, err := result.Trace.WriteTo(os.Stdout)
		return errors.Join(err, exit.ErrFindings)
	}
	if err := outfile.WriteTrace(out, result.Trace); err != nil {
		return err
	}
	how := "no call, literal or variable can be left out"
	if !result.Minimal {
		how = "not minimal, " + result.Ended.Error()
	}
	err = printText(printable.Text(fmt.Sprintf("%s: %s reduced to %d in %s (%.1f s): %s\n"+
		"%s: its solves take %v, on %s %v: %.1f times as long (%.1f before)\n",
		m.Trace, printable.Things(len(t.Calls), "call"), len(result.Trace.Calls),
		printable.Things(result.Stats.Tests, "test"), result.Time.Seconds(), how,
		out, after.Target, than.Name, after.Than, after.Ratio(), before.Ratio())))
	return errors.Join(err, exit.ErrFindings)
}
