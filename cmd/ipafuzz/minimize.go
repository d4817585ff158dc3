package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type minimizeCommand struct {
	Trace      string        `arg:"" help:"Trace that fails: a file, a trace of an archive (ARCHIVE:NUMBER), the directory of a finding; - is standard input." placeholder:"TRACE"`
	Target     string        `required:"" help:"The library that it fails on." placeholder:"TARGET"`
	Out        string        `help:"File for the smallest trace so far, always complete (default: TRACE with .min.trace at its end; '-' prints the result)." placeholder:"FILE"`
	Key        oracle.Key    `help:"Key of the failure to keep (default: of the worst that the trace shows; replay --json prints keys)." placeholder:"KEY" xor:"what"`
	AnyFailure bool          `help:"Every failure counts as the same. Smaller and faster, but the result may show another bug than the trace did." xor:"what"`
	Lighter    bool          `help:"The weight class of the key may fall: a failure with small weights is the same one."`
	Strategy   string        `help:"own, or a published one to compare with: lines, wcnfddmin." enum:"own,lines,wcnfddmin" default:"own"`
	Time       *durationFlag `help:"Stop after that long (default: no limit)." placeholder:"10m"`
	Tests      uint          `help:"Stop after so many tests (default: no limit)." placeholder:"N"`
	Idle       uint          `help:"Stop after so many tests in a row that changed nothing (default: no limit)." placeholder:"N"`
	Seed       seedFlag      `help:"Seed of what is shuffled (strategy wcnfddmin)." default:"1" placeholder:"SEED"`
	Workers    uint          `help:"Worker processes; the result does not depend on it (default: one for each core)." placeholder:"N"`
	Others     string        `help:"Directory for the smallest traces that showed other failures, each reduced in turn." type:"path" placeholder:"DIR"`
	JSON       bool          `help:"Print the result as JSON."`
	SlowerThan *string       `help:"Keep how much slower the target is than this one, say the version before, and not a fault." placeholder:"TARGET"`
	Factor     float64       `help:"With --slower-than: how many times as long it takes at least." default:"10" placeholder:"10"`
	Least      durationFlag  `help:"With --slower-than: what its solves take at least; less is noise." default:"50ms" placeholder:"50ms"`
	targetFlags
	limitFlags
}

func (m *minimizeCommand) Run(ctx context.Context) error {
	item, err := sources.One(m.Trace, traceSources())
	if err != nil {
		return err
	}
	t := item.Trace
	target, file, err := m.resolve(m.Target)
	if err != nil {
		return err
	}
	if target, err = targets.ForModel(target, t.Model, file); err != nil {
		return err
	}
	if m.SlowerThan != nil {
		return m.slower(ctx, t, target)
	}
	reducer, err := m.reducer(target)
	if err != nil {
		return err
	}
	out, calls := m.out(), len(t.Calls)
	if info, err := os.Stat(out); out != "-" && err == nil && info.IsDir() {
		return exit.Misusef("--out: %s is a directory; name a file for the result", out)
	}
	if err := checkPlace(out); err != nil {
		return err
	}
	status := terminal.NewReduction(os.Stderr, t)
	others := make(shrink.SideFailures)
	status.Line(fmt.Sprintf("Looking how %s fails on %s.", m.Trace, target.Name))
	searching, stop := context.WithCancel(ctx)
	defer stop()
	var unwritten error
	write := func(b *trace.Trace) {
		if out == "-" || unwritten != nil {
			return
		}
		if unwritten = writeTrace(out, b); unwritten != nil {
			stop() // hours of work must not end in a file that is not there
		}
	}
	reducer.OnLook = status.Looking
	reducer.OnKey = func(f oracle.Finding, key oracle.Key, rate trial.Rate) {
		status.Line(fmt.Sprintf("Reducing %d calls with the failure: %s", len(t.Calls), key))
		if !rate.Always() {
			status.Line(fmt.Sprintf("It fails by chance, in %s runs; every candidate is run several times.", rate))
		}
		if out != "-" {
			status.Line(fmt.Sprintf("The best so far is always in %s. Ctrl-C ends the search.", out))
		}
		write(t)
	}
	reducer.OnBest = write
	reducer.OnOther = others.Note
	reducer.Progress = status.Progress
	result, err := reducer.Reduce(searching, t)
	status.Erase()
	if unwritten != nil && result != nil && result.Trace != nil && len(result.Trace.Calls) < calls {
		_, failed := result.Trace.WriteTo(os.Stdout) // better here than nowhere
		unwritten = errors.Join(unwritten, failed)
	}
	if err := errors.Join(err, unwritten); err != nil {
		return m.explain(err)
	}
	result.Trace = result.Expecting
	result.NoteIn(result.Trace, m.Trace, target.Name, m.limits(), calls, uint64(m.Seed))
	if out != "-" {
		if err := writeTrace(out, result.Trace); err != nil {
			return err
		}
	}
	program, err := writeProgram(out, result, reducer)
	if err != nil {
		return err
	}
	kept, err := m.keepOthers(ctx, reducer, result, others)
	if err != nil {
		return err
	}
	if err := m.print(result, target, calls, out, program, kept); err != nil {
		return err
	}
	return exit.ErrFindings
}

func (m *minimizeCommand) reducer(target *replay.Target) (*shrink.Reducer, error) {
	workers := int(min(m.Workers, mostWorkers+1))
	if workers > mostWorkers {
		return nil, exit.Misusef("--workers: want at most %d, got %d", mostWorkers, m.Workers)
	}
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	reducer := &shrink.Reducer{
		Config: dd.Config{Workers: workers, Strategy: dd.Strategy(m.Strategy), Seed: uint64(m.Seed),
			Budget: dd.Budget{Tests: int(m.Tests), Idle: int(m.Idle)}},
		Target: target, Limits: m.limits(), Key: m.Key, AnyFailure: m.AnyFailure, LighterWeights: m.Lighter}
	if m.Time != nil {
		reducer.Budget.Time = m.Time.Duration
	}
	var err error
	reducer.Description, err = trial.Describe(target, reducer.Limits)
	return reducer, err
}

// out is the file for the result.
func (m *minimizeCommand) out() string {
	switch {
	case m.Out != "":
		return m.Out
	case m.Trace == "-":
		return "-"
	}
	return strings.TrimSuffix(m.Trace, ".trace") + ".min.trace"
}

func (m *minimizeCommand) explain(err error) error {
	var not *shrink.NotFailingError
	if errors.As(err, &not) {
		return exit.Misusef("%s: %v", m.Trace, err)
	}
	return err
}

func (m *minimizeCommand) print(result *shrink.Reduction, target *replay.Target, calls int, out, program string, others []shrink.OtherFailure) error {
	size := dd.SizeOf(result.Trace)
	if m.JSON {
		record := result.Record(calls)
		record.Program, record.Others = program, others
		if out != "-" {
			record.File = out
		}
		return json.NewEncoder(os.Stdout).Encode(record)
	}
	if out == "-" {
		_, err := result.Trace.WriteTo(os.Stdout)
		return err
	}
	text := new(bytes.Buffer)
	text.Write(terminal.AnnotatedLog(result.Trace, &result.Run, []oracle.Finding{result.Finding}))
	fmt.Fprintf(text, "%s: %d calls reduced to %d in %d tests (%.1f s): %s\n", m.Trace, calls, size.Calls, result.Stats.Tests, result.Time.Seconds(), howMinimal(result))
	fmt.Fprintf(text, "%s: the failure %s was seen in %s fresh processes\n", out, result.Key, result.After)
	if program != "" {
		fmt.Fprintf(text, "%s: the same as a C program; its first lines say how it is built\n", program)
	}
	for _, other := range others {
		where := "; --others DIR keeps and reduces it"
		if other.File != "" {
			where = ", kept in " + other.File
		}
		fmt.Fprintf(text, "other failure: %s (%d calls%s)\n", other.Key, other.Calls, where)
	}
	if note := notSure(result); note != "" {
		fmt.Fprintln(text, note)
	}
	fmt.Fprintf(text, "replay: %s\n", campaign.ReplayCommand(programName(), m.TargetsFile, m.limits(), out, target.Name))
	_, err := io.Copy(os.Stdout, text)
	return err
}

func howMinimal(result *shrink.Reduction) string {
	switch {
	case result.Minimal:
		return "no call, literal or variable can be left out"
	case errors.Is(result.Ended, context.Canceled):
		return "interrupted, the best so far was kept"
	}
	return "not minimal, " + result.Ended.Error()
}

// notSure warns of a result that does not always fail.
func notSure(result *shrink.Reduction) string {
	switch {
	case result.After.Failed == 0:
		return fmt.Sprintf("The result did not fail in %d more runs, though it did while it was reduced (before: %s). It may depend on chance.", result.After.Runs, result.Before)
	case !result.After.Always():
		return fmt.Sprintf("It fails by chance: in %s runs before, in %s now.", result.Before, result.After)
	}
	return ""
}
