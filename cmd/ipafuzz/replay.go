package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type replayCommand struct {
	Traces    []string `arg:"" help:"Traces: files, archives (or one trace of it, ARCHIVE:NUMBER), directories; - is standard input." placeholder:"TRACE"`
	Target    []string `required:"" sep:"none" help:"The library to run them on; named several times, the targets are compared." placeholder:"TARGET"`
	Factor    float64  `help:"Compared: how many times the median of the others a target may take, with three targets or more." default:"100" placeholder:"100"`
	Way       string   `help:"How traces are isolated: fork, persistent or inproc (in this process, for a debugger)." enum:"fork,persistent,inproc" default:"fork"`
	Conflicts uint64   `help:"How many conflicts the built-in solver may spend on proving what a solve should have answered; 0: it is not asked." default:"${thorough}" placeholder:"N"`
	Exact     bool     `help:"Compare all expectations, not only those of solve and obj, which every right solver must answer alike."`
	Quiet     bool     `short:"q" help:"Print a line a trace, without the calls."`
	JSON      bool     `help:"Print a JSON object a line for every trace."`
	Bisect    bool     `help:"For 'git bisect run': exit with 0 when the failure of the traces is not there, 1 when it is, 125 when that cannot be told, 128 when the bisection is set up wrongly."`
	Key       string   `help:"With --bisect: the failure to look for (default: the one in the notes of a trace; else any)." placeholder:"KEY"`
	targetFlags
	limitFlags
}

// replayed is the result of one trace.
type replayed struct {
	file       string
	trace      *trace.Trace
	run        trace.Run
	findings   []oracle.Finding
	mismatches []oracle.Mismatch
	slow       []string       // why a time limit that was met is no finding
	solves     []oracle.Solve // when targets are compared
}

func (r *replayCommand) Run(ctx context.Context) error {
	if r.Bisect {
		return r.bisect(ctx)
	}
	if r.Key != "" {
		return badUse("--key is for --bisect")
	}
	if len(r.Target) > 1 {
		return r.compare(ctx)
	}
	target, file, err := r.resolve(r.Target[0])
	if err != nil {
		return err
	}
	replayer := &replayer{command: r, file: file, target: target}
	defer replayer.close()
	faulty := false
	for item, err := range sources.Read(r.Traces, traceSources()) {
		if err != nil {
			return err
		}
		result, err := replayer.replay(ctx, item.Name, item.Trace)
		if err != nil {
			return err
		}
		faulty = faulty || len(result.findings) > 0
		if err := r.print(result); err != nil {
			return err
		}
	}
	if faulty {
		return errFindings
	}
	return nil
}

// replayer keeps one runner for each model that the traces are for.
type replayer struct {
	command *replayCommand
	file    *replay.TargetsFile
	target  *replay.Target
	open    map[string]*opened
}

type opened struct {
	target  *replay.Target
	runner  replay.Runner
	referee *campaign.Referee
}

func (r *replayer) replay(ctx context.Context, name string, t *trace.Trace) (*replayed, error) {
	o, err := r.forModel(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result := &replayed{file: name, trace: t}
	if err := o.runner.Run(ctx, t, &result.run); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	findings, err := o.referee.Judge(t, &result.run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result.findings = append(result.findings, findings...)
	if err := result.lookAtHangs(ctx, r.command.limits()); err != nil {
		return nil, err
	}
	result.solves = append(result.solves, o.referee.Solves()...)
	result.mismatches = append(result.mismatches, o.referee.Mismatches()...)
	slices.SortStableFunc(result.mismatches, func(a, b oracle.Mismatch) int { return cmp.Compare(a.Call, b.Call) })
	return result, nil
}

func (r *replayer) forModel(t *trace.Trace) (*opened, error) {
	if o := r.open[t.Model.Name]; o != nil {
		return o, nil
	}
	target, err := r.target.ForModel(t.Model, r.file)
	if err != nil {
		return nil, err
	}
	runner, err := replay.Open(target, replay.Way(r.command.Way), r.command.limits())
	if err != nil {
		return nil, err
	}
	description, err := runner.Description()
	if err != nil {
		runner.Close()
		return nil, err
	}
	o := &opened{target: target, runner: runner,
		referee: campaign.NewReferee(oracle.Config{Policies: description.Policies, Exact: r.command.Exact, CrossCheck: r.command.Conflicts > 0, Compared: len(r.command.Target) > 1}, r.command.Conflicts)}
	if r.open == nil {
		r.open = make(map[string]*opened)
	}
	r.open[t.Model.Name] = o
	return o, nil
}

func (r *replayer) close() {
	for _, o := range r.open {
		o.runner.Close()
		o.referee.Close()
	}
}

func (r *replayCommand) print(result *replayed) error {
	if r.JSON {
		return json.NewEncoder(os.Stdout).Encode(result.record(r.Target[0]))
	}
	out := new(bytes.Buffer)
	if !r.Quiet {
		out.Write(annotatedLog(result.trace, &result.run, result.findings))
	}
	for i := range result.findings {
		f := &result.findings[i]
		fmt.Fprintf(out, "%s: %s: fault %s\n", result.file, faultPlace(f.Call, len(result.trace.Calls)), faultTitle(f))
		fmt.Fprintf(out, "  observed  %s\n  expected  %s\n  known by  %s\n", f.Observed, f.Expected, f.Known)
		if r.Quiet {
			break // the worst
		}
	}
	for _, m := range result.mismatches {
		note := ""
		if m.Proven {
			note = " (the answer is right, the expectation is not)"
		}
		fmt.Fprintf(out, "%s: call %d: the trace expects %s, the target answered %s%s\n", result.file, m.Call+1, m.Want, m.Got, note)
	}
	for _, why := range result.slow {
		fmt.Fprintf(out, "%s: no finding: %s\n", result.file, why)
	}
	if stderr := result.wrote(); stderr != "" && !r.Quiet {
		fmt.Fprintf(out, "The process wrote:\n%s\n", bytes.TrimRight([]byte(stderr), "\n"))
	}
	switch {
	case len(result.findings) > 0:
	case len(result.mismatches) > 0:
		fmt.Fprintf(out, "%s: nothing wrong was found, but not every answer is the expected one\n", result.file)
	default:
		fmt.Fprintf(out, "%s: nothing wrong was found\n", result.file)
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}

// wrote is what the target printed.
func (result *replayed) wrote() string {
	return cmp.Or(result.run.Death.Stderr, result.run.Output.Text)
}

type replayRecord struct {
	File       string            `json:"file"`
	Target     string            `json:"target"`
	Model      string            `json:"model"`
	End        string            `json:"end"`
	Call       int               `json:"end_call,omitempty"`
	Signal     int               `json:"signal,omitempty"`
	Stderr     string            `json:"stderr,omitempty"`
	Log        string            `json:"log"`
	Findings   []findingRecord   `json:"findings"`
	Mismatches []oracle.Mismatch `json:"mismatches,omitempty"`
	Slow       []string          `json:"slow,omitempty"`
}

type findingRecord struct {
	Key      string `json:"key"`
	Class    string `json:"class"`
	Name     string `json:"class_name"`
	Call     int    `json:"call"`
	Check    string `json:"check"`
	Detail   string `json:"detail"`
	Observed string `json:"observed"`
	Expected string `json:"expected"`
	Known    string `json:"known_by"`
	Voted    bool   `json:"voted,omitempty"`
}

func (result *replayed) record(target string) replayRecord {
	record := replayRecord{File: result.file, Target: target, Model: result.trace.Model.Name,
		End: result.run.End.String(), Signal: result.run.Death.Signal, Stderr: result.wrote(),
		Log: string(result.trace.AppendLog(nil, &result.run)), Findings: []findingRecord{}, Mismatches: result.mismatches, Slow: result.slow}
	if result.run.End != trace.Finished {
		record.Call = result.run.Call + 1
	}
	for i := range result.findings {
		f := &result.findings[i]
		record.Findings = append(record.Findings, findingRecord{Key: f.Key(target), Class: string(f.Class), Name: f.Class.Info().Name,
			Call: f.Call + 1, Check: f.Check, Detail: f.Detail, Observed: f.Observed, Expected: f.Expected, Known: f.Known, Voted: f.Voted})
	}
	return record
}
