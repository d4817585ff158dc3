package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/trace"
)

// noTrace is the profile of a number that there is no trace of, since another
// program made none. A trace that makes a solver and nothing else takes its place,
// so that numbers stay what they are; it is not counted.
const noTrace = ""

// filtered is the profile of a number whose trace is not run, since it has what
// is to be avoided.
const filtered = "-"

// GeneratorFaults are what another program did wrong that was to make traces.
// They are never findings.
type GeneratorFaults struct {
	Numbers uint64 // that there is no trace of
	By      map[external.Reason]uint64
	First   []*external.Fault // one of each reason

	inRow uint64 // since the last trace that it made
	good  bool   // it has made one
}

func (f *GeneratorFaults) clone() GeneratorFaults {
	c := *f
	c.By, c.First = maps.Clone(f.By), slices.Clone(f.First)
	return c
}

// A run ends when a generator has made none of the first traces, or none of very
// many in a row: it would go on for ever and find nothing.
const (
	faultyAtFirst = 10
	faultyInRow   = 1000
)

// A GeneratorError ends a run whose generator makes no traces.
type GeneratorError struct {
	Numbers uint64 // in a row
	Last    *external.Fault
}

func (e *GeneratorError) Error() string {
	return fmt.Sprintf("the generator made no trace in %d attempts; of the last one: %v", e.Numbers, e.Last)
}

func (e *GeneratorError) Unwrap() error { return e.Last }

// open opens a source of the cell's traces, without features beside those that
// the cell is without.
func (of *cell) open(without []string) (Source, error) {
	config := of.generate
	config.Without = slices.Concat(config.Without, without)
	return OpenSource(of.From, config)
}

// makeTrace fills t with the trace of an origin and names its profile.
func makeTrace(ctx context.Context, source Source, from origin, t *trace.Trace) (profile string, err error) {
	err = source.Make(ctx, from.number, from.seed(), t)
	if fault := new(external.Fault); errors.As(err, &fault) {
		idle(from, t)
		return noTrace, err
	}
	return source.Profile(), err
}

func idle(from origin, t *trace.Trace) {
	t.Reset(from.cell.Target.Model)
	t.Plain(0, apimodel.OpInit)
}

// make is makeTrace for a trace that is to be run: faults of the generator are
// counted, and end the run when there is nothing else.
func (l *lane) make(ctx context.Context, from origin, without []string, t *trace.Trace) (profile string, err error) {
	source, err := l.source(from.cell, without)
	if err != nil {
		return noTrace, err
	}
	profile, err = makeTrace(ctx, source, from, t)
	if err == nil && hasTrait(t, l.c.config.Avoid) {
		idle(from, t)
		profile = filtered
	}
	if from.cell.From == nil || err != nil && profile != noTrace {
		return profile, err
	}
	c := l.c
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &c.faults
	if err == nil {
		f.good, f.inRow = true, 0
		return profile, nil
	}
	fault := new(external.Fault)
	errors.As(err, &fault)
	if f.By == nil {
		f.By = make(map[external.Reason]uint64)
	}
	if f.By[fault.Reason] == 0 {
		f.First = append(f.First, fault)
	}
	f.By[fault.Reason]++
	f.Numbers++
	if f.inRow++; f.inRow >= faultyInRow || !f.good && f.inRow >= faultyAtFirst {
		return profile, &GeneratorError{f.inRow, fault}
	}
	return profile, nil
}

// noTraces is the error of a run that ends before that, without a trace.
func (c *Campaign) noTraces() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := &c.faults; !f.good && f.Numbers > 0 {
		return &GeneratorError{f.Numbers, f.First[0]}
	}
	return nil
}
