package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// Exit codes as 'git bisect run' reads them.
const (
	bisectGood  = 0
	bisectBad   = 1
	bisectSkip  = 125 // nobody can tell for this build
	bisectAbort = 128 // the bisection itself is set up wrongly: it must not go on
)

// bisect says whether the library has the failure of the traces: bad when one of
// them shows it, good when none does.
func (r *replayCommand) bisect(ctx context.Context) error {
	if len(r.Target) > 1 || r.Way != "fork" || r.Exact || r.JSON {
		return bisectWrong(exit.Misusef("--bisect takes one target, and neither --way nor --exact nor --json"))
	}
	items, err := sources.All(r.Traces, traceSources())
	if err != nil {
		return bisectWrong(err)
	}
	undecided := false
	for _, item := range items {
		key := r.Key
		if key.IsZero() {
			key, err = trial.KeyIn(item.Trace)
		}
		var seen *trial.Sighting
		if err == nil {
			seen, err = r.sighting(ctx, item, key)
		}
		switch {
		case ctx.Err() != nil:
			return bisectWrong(ctx.Err())
		case err != nil:
			fmt.Fprintf(os.Stderr, "ipafuzz: %v\n", err)
			fmt.Printf("%s: cannot tell\n", item.Name)
			undecided = true
		case seen.Seen:
			fmt.Printf("%s: bad: %s\n", item.Name, failureName(key))
			return exit.With(bisectBad)
		case seen.Undecided() != "":
			fmt.Printf("%s: cannot tell: %s\n", item.Name, seen.Undecided())
			undecided = true
		default:
			fmt.Printf("%s: good: not seen in %d runs: %s\n", item.Name, seen.Runs, failureName(key))
			for i := range seen.Others {
				fmt.Printf("%s: something else was seen: %s\n", item.Name, terminal.FaultTitle(&seen.Others[i]))
			}
		}
	}
	if undecided {
		return exit.With(bisectSkip)
	}
	return exit.With(bisectGood)
}

func failureName(key oracle.Key) string {
	if key.IsZero() {
		return "any failure"
	}
	return key.String()
}

func bisectWrong(err error) error {
	fmt.Fprintf(os.Stderr, "ipafuzz: %v\n", err)
	return exit.With(bisectAbort)
}

func (r *replayCommand) sighting(ctx context.Context, item sources.Item, key oracle.Key) (*trial.Sighting, error) {
	target, file, err := r.resolve(r.Target[0])
	if err == nil {
		target, err = targets.ForModel(target, item.Trace.Model, file)
	}
	if err != nil {
		return nil, err
	}
	description, err := trial.Describe(target, r.limits())
	if err != nil {
		return nil, err
	}
	return trial.Shows(ctx, target, description, r.limits(), item.Trace, key)
}
