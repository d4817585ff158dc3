package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/diagnose"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/byscript"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type minimizeCommand struct {
	Trace      string     `arg:"" placeholder:"TRACE"`
	Target     string     `placeholder:"TARGET"`
	Out        string     `placeholder:"FILE"`
	Key        oracle.Key `placeholder:"KEY" xor:"what"`
	AnyFailure bool       `xor:"what"`
	KeepClass  bool
	Runs       uint                `placeholder:"N"`
	Strategy   string              `enum:"own,lines,wcnfddmin" default:"own"`
	Time       *flagvalue.Duration `placeholder:"TIME"`
	Tests      uint                `placeholder:"N"`
	Idle       uint                `placeholder:"N"`
	Seed       flagvalue.Seed      `default:"1" placeholder:"SEED"`
	Workers    uint                `placeholder:"N"`
	Others     string              `type:"path" placeholder:"DIR"`
	Avoid      []string            `placeholder:"FEATURE"`
	JSON       bool
	SlowerThan *string            `placeholder:"TARGET"`
	Against    []string           `sep:"none" placeholder:"TARGET"`
	Test       string             `placeholder:"COMMAND"`
	Factor     *float64           `placeholder:"X"`
	Least      flagvalue.Duration `default:"50ms" placeholder:"50ms"`
	targetFlags
	limitFlags

	originals []*trace.Trace // of the finding that is reduced further
}

// Run runs the command.
func (m *minimizeCommand) Run(ctx context.Context) error {
	if m.Test != "" {
		return m.byScript(ctx)
	}
	found, err := m.stored()
	if err != nil || found != nil {
		return errors.Join(err, m.goOn(ctx, found))
	}
	return m.reduce(ctx)
}

func (m *minimizeCommand) reduce(ctx context.Context) error {
	if m.Target == "" {
		return exit.Misusef("missing flags: --target=TARGET (only the directory of a finding or a campaign names one)")
	}
	target, file, err := m.resolve(m.Target)
	if err != nil {
		return err
	}
	t, err := m.one(target)
	if err != nil {
		return err
	}
	if target, err = targets.ForModel(target, t.Model, file); err != nil {
		return err
	}
	if m.SlowerThan != nil {
		return m.slower(ctx, t, target)
	}
	if len(m.Against) > 0 {
		return m.beside(ctx, t, target)
	}
	reducer, err := m.reducer(target)
	if err != nil {
		return err
	}
	defer reducer.Close()
	if reducer.Allowed, err = m.excluding(t); err != nil {
		return err
	}
	reducer.Runs = m.healthyRuns(t)
	out, calls := m.out(), len(t.Calls)
	if err := checkFile(out); err != nil {
		return err
	}
	others := make(shrink.SideFailures)
	reducer.OnOther = others.Note
	searching, stop := context.WithCancel(ctx)
	defer stop()
	status := terminal.NewReduction(os.Stderr, t)
	status.Line(fmt.Sprintf("Observing how %s fails on %s.", printable.Name(m.Trace), target.Name))
	result, err := m.search(searching, reducer, t, status, &bestFile{path: out, stop: stop})
	if err != nil {
		return err
	}
	result.Trace = result.Expecting
	result.NoteIn(result.Trace, m.Trace, target.Name, m.limits(), calls, uint64(m.Seed))
	if out != "-" {
		if err := outfile.WriteTrace(out, result.Trace); err != nil {
			return err
		}
	}
	if err := findCause(searching, reducer, append(m.originals, t), result, status.Line); err != nil {
		return err
	}
	heavier, err := m.keepHeavier(out, result, calls, target.Name)
	if err != nil {
		return err
	}
	program, err := m.writeProgram(out, result, reducer)
	if err != nil {
		return err
	}
	kept, err := m.keepOthers(ctx, reducer, result, others)
	if err != nil {
		return err
	}
	if err := m.print(result, target, calls, out, heavier, program, kept); err != nil {
		return err
	}
	return exit.ErrFindings
}

// checkFile checks that a result can be written to a file of that name.
func checkFile(out string) error {
	if info, err := os.Stat(out); out != "-" && err == nil && info.IsDir() {
		return exit.Misusef("--out: %s is a directory; name a file for the result", out)
	}
	return outfile.CheckPlace(out)
}

// search reduces the trace and shows how it goes.
func (m *minimizeCommand) search(ctx context.Context, reducer *shrink.Reducer, t *trace.Trace,
	status *terminal.Reduction, best *bestFile) (*shrink.Reduction, error) {
	reducer.OnLook = status.Looking
	reducer.OnKey = func(known *shrink.Reduction) {
		rate := known.Before
		status.Line(fmt.Sprintf("Reducing %s with the failure: %s", printable.Things(len(t.Calls), "call"), known.Key))
		if !rate.Always() {
			status.Line(fmt.Sprintf("It fails by chance, in %s runs; every candidate is run several times.", rate))
		} else if fixed := known.Fixed &^ m.Fixed; fixed != 0 {
			status.Line(fmt.Sprintf("It fails by chance, but always with --fixed %s, so all runs use that.", fixed))
		}
		if best.path != "-" {
			status.Line(fmt.Sprintf("The best so far is always in %s. Ctrl-C ends the search.", best.path))
		}
		best.write(t)
	}
	reducer.OnBest = best.write
	reducer.Progress = status.Progress
	result, err := reducer.Reduce(ctx, t)
	status.Erase()
	if best.err != nil && result != nil && result.Trace != nil && len(result.Trace.Calls) < len(t.Calls) {
		_, failed := result.Trace.WriteTo(os.Stdout) // rather here than nowhere
		err = errors.Join(err, failed)
	}
	if err := errors.Join(err, best.err); err != nil {
		return nil, m.explain(err)
	}
	return result, nil
}

// A bestFile holds the best trace so far. If it cannot be written, the search stops, since otherwise hours
// of work could end without a result.
type bestFile struct {
	path string
	stop func()
	err  error
}

func (b *bestFile) write(t *trace.Trace) {
	if b.path == "-" || b.err != nil {
		return
	}
	if b.err = outfile.WriteTrace(b.path, t); b.err != nil {
		b.stop()
	}
}

func (m *minimizeCommand) reducer(target *replay.Target) (*shrink.Reducer, error) {
	config, err := m.config()
	if err != nil {
		return nil, err
	}
	reducer := &shrink.Reducer{Config: config, Target: target, Limits: m.limits(), Key: m.Key, AnyFailure: m.AnyFailure,
		KeepClass: m.KeepClass}
	return reducer, reducer.Start()
}

// config returns how the flags say to reduce.
func (m *minimizeCommand) config() (dd.Config, error) {
	if m.Workers > mostWorkers {
		return dd.Config{}, exit.Misusef("--workers: want at most %d, got %d", mostWorkers, m.Workers)
	}
	config := dd.Config{Workers: cmp.Or(int(m.Workers), runtime.NumCPU()), Strategy: dd.Strategy(m.Strategy),
		Seed: uint64(m.Seed), Budget: dd.Budget{Tests: int(m.Tests), Idle: int(m.Idle)}}
	if m.Time != nil {
		config.Budget.Time = m.Time.Duration
	}
	return config, nil
}

// byScript reduces a file as long as a command of the user ends in the same way.
func (m *minimizeCommand) byScript(ctx context.Context) error {
	config, err := m.config()
	if err != nil {
		return err
	}
	return byscript.Reduce(ctx, byscript.Request{File: m.Trace, Out: m.Out, Command: m.Test, Wall: m.limits().Wall,
		JSON: m.JSON, Config: config})
}

// out returns the name of the file for the result.
func (m *minimizeCommand) out() string {
	switch {
	case m.Out != "":
		return m.Out
	case m.Trace == "-":
		return "-"
	}
	name := strings.TrimSuffix(m.Trace, ".trace")
	if _, known := format.Named(name); known {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return name + ".min.trace"
}

// keepHeavier writes the smallest trace seen with the weight class of the given one beside the result. It
// returns the name of the file; "" if the result has that class, too.
func (m *minimizeCommand) keepHeavier(out string, result *shrink.Reduction, calls int, target string) (string, error) {
	t := result.Heavier()
	if t == nil || out == "-" {
		return "", nil
	}
	reduction := notes.Reduction{From: m.Trace, Calls: calls, Tests: result.Stats.Tests,
		How: "not minimal: the weight class fell"}
	t.Notes = notes.WithResult(t.Notes, notes.Result{Reduced: reduction.String(), Target: target,
		Finding: result.Key.String(),
		Limits:  m.limits().Flags()})
	name := strings.TrimSuffix(out, ".trace") + "." + result.Given.String() + ".trace"
	return name, outfile.WriteTrace(name, t)
}

// healthyRuns returns after how many runs without a failure a trace counts as not failing. Only a trace that is known
// to fail by chance is worth many.
func (m *minimizeCommand) healthyRuns(t *trace.Trace) int {
	const few = 3
	switch rate := trial.Rate(notes.ResultOf(t.Notes).Rate); {
	case m.Runs > 0:
		return int(min(m.Runs, math.MaxInt32))
	case !rate.Always():
		return trial.ChanceRuns
	}
	return few
}

func (m *minimizeCommand) explain(err error) error {
	if not, ok := errors.AsType[*shrink.NotFailingError](err); ok {
		often := ""
		if not.Runs < trial.ChanceRuns && m.Runs == 0 && !not.TextOnly {
			often = fmt.Sprintf("; if it fails only sometimes, --runs %d runs it more often", trial.ChanceRuns)
		}
		if not.Open.Any() {
			fmt.Fprintf(os.Stderr, "ipafuzz: %s: %s%s\n", m.Trace, printable.Text(err.Error()), often)
			return exit.ErrDoubt
		}
		return exit.Misusef("%s: %v%s", m.Trace, err, often)
	}
	if _, ok := errors.AsType[*trace.CheckError](err); ok {
		return sources.Placed(m.Trace, fmt.Errorf("%s: %w", m.Trace, err))
	}
	return err
}

func (m *minimizeCommand) print(result *shrink.Reduction, target *replay.Target, calls int,
	out, heavier, program string, others []shrink.OtherFailure) error {
	size := dd.SizeOf(result.Trace)
	if m.JSON {
		record := result.Record(calls)
		record.Program, record.Others = program, others
		if out != "-" {
			record.File = out
		}
		if record.Heavier != nil {
			record.Heavier.File = heavier
		}
		return json.NewEncoder(os.Stdout).Encode(record)
	}
	if out == "-" {
		_, err := result.Trace.WriteTo(os.Stdout)
		return err
	}
	text := new(bytes.Buffer)
	text.Write(terminal.AnnotatedLog(result.Trace, &result.Run, []oracle.Finding{result.Finding}))
	fmt.Fprintf(text, "%s: %s reduced to %d in %s (%.1f s): %s\n", m.Trace, printable.Things(calls, "call"), size.Calls,
		printable.Things(result.Stats.Tests, "test"), result.Time.Seconds(), howMinimal(result))
	fmt.Fprintf(text, "%s: the failure %s was seen in %s fresh processes\n", out, result.Key, result.After)
	if result.Sentence != "" {
		fmt.Fprintf(text, "%s: %s\n", out, result.Sentence)
	}
	if t := result.Heavier(); t != nil {
		fmt.Fprintf(text, "%s: the smallest trace seen with weight class %s, which became %s (%s; --keep-class "+
			"reduces it)\n", heavier, result.Given, result.Finding.Weight, printable.Things(len(t.Calls), "call"))
	}
	if program != "" {
		what := "the same as a C program; its first lines say how it is built"
		if filepath.Ext(program) != ".c" {
			what = "the same as a file for the target"
		}
		fmt.Fprintf(text, "%s: %s\n", program, what)
	}
	for _, other := range others {
		where := "; --others DIR keeps and reduces it"
		if other.File != "" {
			where = ", kept in " + other.File
		}
		fmt.Fprintf(text, "other failure: %s (%s%s)\n", other.Key, printable.Things(other.Calls, "call"), where)
	}
	if note := notSure(result); note != "" {
		fmt.Fprintln(text, note)
	}
	limits := m.limits()
	limits.Fixed, limits.Sigterm = result.Fixed, result.Sigterm
	targets := result.Finding.ReplayTargets(target.Name, m.Against)
	fmt.Fprintf(text, "replay: %s\n", repro.ReplayCommand(programName(), m.TargetsFile, limits, out, targets...))
	return printText(printable.Text(text.String()))
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

// notSure returns a warning for a result that does not always fail.
func notSure(result *shrink.Reduction) string {
	switch {
	case result.After.Failed == 0:
		return fmt.Sprintf("The result did not fail in %d more runs, but did during the reduction (before: %s). "+
			"It may fail by chance.", result.After.Runs, result.Before)
	case !result.After.Always():
		return fmt.Sprintf("It fails by chance: in %s runs before, in %s now.", result.Before, result.After)
	}
	return ""
}

// writeProgram writes what shows the failure without ipafuzz beside the result, and returns its name. It returns
// "" if the result goes to standard output, if nothing else can show the failure, or if there is a file with
// that name that ipafuzz did not write.
func (m *minimizeCommand) writeProgram(out string, result *shrink.Reduction, r *shrink.Reducer) (string, error) {
	const longest = 10000 // calls; nobody reads a longer program
	if out == "-" || result.After.Failed == 0 || len(result.Trace.Calls) > longest {
		return "", nil
	}
	stem := strings.TrimSuffix(out, filepath.Ext(out))
	p := repro.Of(result.Trace, result.Trace, stem, r.Target, r.Description, result.Key, r.Limits, result.Right)
	if p == nil || p.Name == out || sameFile(p.Name, m.Trace) {
		return "", nil
	}
	there, err := os.ReadFile(p.Name)
	title, _, _ := bytes.Cut(there, []byte("\n"))
	isOurs := bytes.HasSuffix(title, []byte(", as a program of its own.")) ||
		p.Run != "" && strings.HasSuffix(stem, ".min")
	if err == nil && !isOurs {
		return "", nil
	}
	return p.Name, outfile.Write(p.Name, p.Text)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(x, y)
}

// mostForCause bounds the search for a cause. After a long reduction, the search may take a quarter of the
// reduction's time instead.
const mostForCause = 10 * time.Second

// findCause determines what the failure of a reduced trace needs. The cause stays unknown if that takes too
// long or the user interrupts it.
func findCause(ctx context.Context, reducer *shrink.Reducer, originals []*trace.Trace, result *shrink.Reduction,
	say func(string)) error {
	failure := diagnose.Failure{Key: result.Key, Minimal: result.Trace, Originals: originals,
		Rate: result.After, Config: dd.Config{Description: reducer.Description, Allowed: reducer.Allowed}}
	if ctx.Err() != nil || !failure.HasCause() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, max(mostForCause, result.Time/4))
	defer cancel()
	limits := reducer.Limits
	if failure.MeetsLimit() {
		limits = limit.ToMeet(limits, result.Key.Class, &result.Run, limit.LeastCPU)
	}
	limits.Fixed |= result.Fixed
	session := trial.NewExamination(reducer.Target, reducer.Description, limits, false)
	defer session.Close()
	say("Looking for what the failure needs.")
	found, err := failure.Run(ctx, session)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err == nil && found != nil {
		result.Cause, result.Sentence = string(found.Diagnosis.Cause), found.Diagnosis.Sentence
	}
	return nil
}
