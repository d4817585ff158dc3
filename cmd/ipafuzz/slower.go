package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// slower reduces a trace that takes the target much longer than another one.
func (m *minimizeCommand) slower(ctx context.Context, t *trace.Trace, target *replay.Target) error {
	than, err := m.resolveFor(*m.SlowerThan, t.Model)
	if err != nil {
		return err
	}
	if !(m.Factor > 1) || !m.Key.IsZero() || m.AnyFailure || m.Lighter || m.Others != "" || m.JSON {
		return exit.Misusef("--slower-than wants a --factor above 1, and goes with none of --key, --any-failure, --lighter, --others, --json")
	}
	minimizer, err := m.reducer(target)
	if err != nil {
		return err
	}
	out := m.out()
	status := terminal.NewReduction(os.Stderr, t)
	var unwritten error
	searching, stop := context.WithCancel(ctx)
	defer stop()
	s := shrink.Slowdown{Target: target, Than: than, Description: minimizer.Description, Limits: minimizer.Limits, Factor: m.Factor, Least: m.Least.Duration,
		Config: dd.Config{Budget: minimizer.Budget, Strategy: minimizer.Strategy, Seed: minimizer.Seed, Progress: status.Progress, OnBest: func(b *trace.Trace) {
			if out == "-" || unwritten != nil {
				return
			}
			if unwritten = writeTrace(out, b); unwritten != nil {
				stop()
			}
		}}}
	status.Line(fmt.Sprintf("Reducing %d calls that take %s at least %g times as long as %s. Ctrl-C ends the search.", len(t.Calls), target.Name, m.Factor, than.Name))
	result, before, after, err := s.Reduce(searching, t)
	status.Erase()
	var not *shrink.NotSlowerError
	if errors.As(err, &not) {
		return exit.Misusef("%s: %v", m.Trace, err)
	}
	if err := errors.Join(err, unwritten); err != nil {
		return err
	}
	reduction := notes.Reduction{From: m.Trace, Calls: len(t.Calls), Tests: result.Stats.Tests,
		Search: &notes.Search{Time: result.Time, Seed: uint64(m.Seed)}}
	result.Trace.Notes = notes.WithResult(result.Trace.Notes, notes.Result{Reduced: reduction.String(), Target: target.Name,
		Slower: fmt.Sprintf("%.1f times as long as %s (%v and %v, %s/%s)", after.Ratio(), than.Name, after.Target, after.Than,
			runtime.GOOS, runtime.GOARCH)})
	if out == "-" {
		_, err := result.Trace.WriteTo(os.Stdout)
		return errors.Join(err, exit.ErrFindings)
	}
	if err := writeTrace(out, result.Trace); err != nil {
		return err
	}
	how := "no call, literal or variable can be left out"
	if !result.Minimal {
		how = "not minimal, " + result.Ended.Error()
	}
	fmt.Printf("%s: %d calls reduced to %d in %d tests (%.1f s): %s\n", m.Trace, len(t.Calls), len(result.Trace.Calls), result.Stats.Tests, result.Time.Seconds(), how)
	fmt.Printf("%s: its solves take %v, on %s %v: %.1f times as long (%.1f before)\n", out, after.Target, than.Name, after.Than, after.Ratio(), before.Ratio())
	return exit.ErrFindings
}
