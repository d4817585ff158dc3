package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type replayCommand struct {
	Traces    []string   `arg:"" help:"Traces: files, archives (or one trace of it, ARCHIVE:NUMBER), directories; - is standard input." placeholder:"TRACE"`
	Target    []string   `required:"" sep:"none" help:"The library to run them on; named several times, the targets are compared." placeholder:"TARGET"`
	Factor    float64    `help:"Compared: how many times the median of the others a target may take, with three targets or more." default:"100" placeholder:"100"`
	Way       string     `help:"How traces are isolated: fork, persistent or inproc (in this process, for a debugger)." enum:"fork,persistent,inproc" default:"fork"`
	Conflicts uint64     `help:"How many conflicts the built-in solver may spend on proving what a solve should have answered; 0: it is not asked." default:"${thorough}" placeholder:"N"`
	Exact     bool       `help:"Compare all expectations, not only those of solve and obj, which every right solver must answer alike."`
	Quiet     bool       `short:"q" help:"Print a line a trace, without the calls."`
	JSON      bool       `help:"Print a JSON object a line for every trace."`
	Bisect    bool       `help:"For 'git bisect run': exit with 0 when the failure of the traces is not there, 1 when it is, 125 when that cannot be told, 128 when the bisection is set up wrongly."`
	Key       oracle.Key `help:"With --bisect: the failure to look for (default: the one in the notes of a trace; else any)." placeholder:"KEY"`
	targetFlags
	limitFlags
}

func (r *replayCommand) Run(ctx context.Context) error {
	if r.Bisect {
		return r.bisect(ctx)
	}
	if !r.Key.IsZero() {
		return exit.Misusef("--key is for --bisect")
	}
	if len(r.Target) > 1 {
		return r.compare(ctx)
	}
	target, file, err := r.resolve(r.Target[0])
	if err != nil {
		return err
	}
	replayer := trial.NewReplayer(target, file, r.replaying())
	defer replayer.Close()
	faulty := false
	for item, err := range sources.Read(r.Traces, traceSources()) {
		if err != nil {
			return err
		}
		result, err := replayer.Replay(ctx, item.Name, item.Trace)
		if err != nil {
			return err
		}
		faulty = faulty || len(result.Findings) > 0
		if err := r.print(result); err != nil {
			return err
		}
	}
	if faulty {
		return exit.ErrFindings
	}
	return nil
}

// replaying says how the flags want traces to be run and judged.
func (r *replayCommand) replaying() trial.Replaying {
	return trial.Replaying{Way: replay.Way(r.Way), Limits: r.limits(), Conflicts: r.Conflicts, Exact: r.Exact, Compared: len(r.Target) > 1, Factor: r.Factor}
}

func (r *replayCommand) print(result *trial.Replayed) error {
	if r.JSON {
		return json.NewEncoder(os.Stdout).Encode(result.Record(r.Target[0]))
	}
	out := new(bytes.Buffer)
	if !r.Quiet {
		out.Write(terminal.AnnotatedLog(result.Trace, &result.Run, result.Findings))
	}
	for i := range result.Findings {
		f := &result.Findings[i]
		fmt.Fprintf(out, "%s: %s: fault %s\n", result.Name, terminal.FaultPlace(f.Call, len(result.Trace.Calls)), terminal.FaultTitle(f))
		fmt.Fprintf(out, "  observed  %s\n  expected  %s\n  known by  %s\n", f.Observed, f.Expected, f.Known)
		if r.Quiet {
			break // the worst
		}
	}
	for _, m := range result.Mismatches {
		note := ""
		if m.Proven {
			note = " (the answer is right, the expectation is not)"
		}
		fmt.Fprintf(out, "%s: call %d: the trace expects %s, the target answered %s%s\n", result.Name, m.Call+1, m.Want, m.Got, note)
	}
	for _, why := range result.Slow {
		fmt.Fprintf(out, "%s: no finding: %s\n", result.Name, why)
	}
	if stderr := result.Wrote(); stderr != "" && !r.Quiet {
		fmt.Fprintf(out, "The process wrote:\n%s\n", bytes.TrimRight([]byte(stderr), "\n"))
	}
	switch {
	case len(result.Findings) > 0:
	case len(result.Mismatches) > 0:
		fmt.Fprintf(out, "%s: nothing wrong was found, but not every answer is the expected one\n", result.Name)
	default:
		fmt.Fprintf(out, "%s: nothing wrong was found\n", result.Name)
	}
	_, err := os.Stdout.Write(out.Bytes())
	return err
}
