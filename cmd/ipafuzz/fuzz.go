package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/replay"
)

const (
	// demoTarget is fuzzed when no target is named: a planted defect, so that
	// the first run shows what a finding looks like.
	demoTarget = "ref:defect=redeclare-adds"
	demoTime   = 10 * time.Second
)

type fuzzCommand struct {
	Target   string        `help:"What to fuzz: a shared library, a directory with libipamir<name>.a, a name from the targets file, or ref. Default: ${demo}, a demonstration." placeholder:"TARGET"`
	Time     *durationFlag `help:"How long (default: until Ctrl-C; the demonstration: 10s)." placeholder:"30s"`
	Traces   uint64        `help:"How many traces (default: no limit)." placeholder:"N"`
	Findings int           `help:"Stop after so many different findings (default: no limit)." placeholder:"N"`
	Seed     *seedFlag     `help:"Seed of the run; the same seed makes the same traces (default: drawn, and printed)." placeholder:"SEED"`
	Out      string        `help:"Directory for what is found." default:"ipafuzz-out" type:"path" placeholder:"DIR"`
	Way      string        `help:"How traces are isolated: persistent (many a process, fastest) or fork (one a process)." enum:"persistent,fork" default:"persistent"`
	Workers  int           `help:"Worker processes (default: one for two cores)." placeholder:"N"`
	Without  []string      `help:"Features that traces must not have, to get past a shallow fault; 'ipafuzz gen --features' lists them." placeholder:"FEATURE,..."`
	JSON     bool          `help:"Print the summary as JSON."`
	targetFlags
	limitFlags
}

func (f *fuzzCommand) Run(ctx context.Context) error {
	config := campaign.Config{
		Way: replay.Way(f.Way), Limits: f.limits(), Without: f.Without, Traces: f.Traces,
		Findings: f.Findings, Workers: f.Workers, Out: f.Out, Program: programName(),
	}
	if f.Time != nil {
		config.Time = f.Time.Duration
	}
	if f.Target == "" {
		f.Target = demoTarget
		if f.Time == nil {
			config.Time = demoTime
		}
		fmt.Fprintf(os.Stderr, "No --target: a demonstration on the built-in library, in which a defect was planted (%s).\n", demoTarget)
	}
	if f.Seed != nil {
		config.Seed = uint64(*f.Seed)
	} else {
		config.Seed = rand.Uint64()
	}
	if f.Workers == 0 {
		config.Workers = max(1, runtime.NumCPU()/2)
	}
	if f.Workers < 0 {
		return badUse("--workers: want a number above 0, got %d", f.Workers)
	}
	var err error
	if config.Target, _, err = f.resolve(f.Target); err != nil {
		return err
	}
	status := newStatus(os.Stderr, config.Time)
	config.OnFinding = func(found *campaign.Found) { status.line(announce(found)) }
	c, err := campaign.New(config)
	if err != nil {
		return directoryMistake(err)
	}
	fmt.Fprintf(os.Stderr, "Fuzzing %s (%s) with seed %#x; findings go to %s. Ctrl-C ends the run.\n",
		config.Target.Name, config.Target.Model.Name, config.Seed, f.Out)
	stop := status.show(c)
	summary, err := c.Run(ctx)
	stop()
	if printed := f.report(summary, config); printed != nil {
		err = errors.Join(err, printed)
	}
	if err != nil {
		return err
	}
	if len(summary.Found) > 0 {
		return errFindings
	}
	return nil
}

func (f *fuzzCommand) report(summary campaign.Summary, config campaign.Config) error {
	if f.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(jsonSummary(summary, config))
	}
	printSummary(os.Stdout, summary, config)
	return nil
}
