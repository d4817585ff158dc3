package source

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/external"
)

// GeneratorFaults are what another program did wrong that was to make traces.
// They are never findings.
type GeneratorFaults struct {
	Numbers uint64 // that there is no trace of
	By      map[external.Reason]uint64
	First   []*external.Fault // one of each reason

	inRow uint64 // since the last trace that it made
	good  bool   // it has made one
}

// Clone returns a copy that shares nothing with f.
func (f *GeneratorFaults) Clone() GeneratorFaults {
	c := *f
	c.By, c.First = maps.Clone(f.By), slices.Clone(f.First)
	return c
}

// Generated counts a trace that the generator made, or its fault. It returns an
// error if the generator makes no traces at all: the run would find nothing for ever.
func (f *GeneratorFaults) Generated(err error) error {
	fault := new(external.Fault)
	if !errors.As(err, &fault) {
		f.good, f.inRow = true, 0
		return nil
	}
	if f.By == nil {
		f.By = make(map[external.Reason]uint64)
	}
	if f.By[fault.Reason] == 0 {
		f.First = append(f.First, fault)
	}
	f.By[fault.Reason]++
	f.Numbers++
	if f.inRow++; f.inRow >= faultyInRow || !f.good && f.inRow >= faultyAtFirst {
		return &GeneratorError{f.inRow, fault}
	}
	return nil
}

// NoTraces returns an error if the generator has been asked and never made a trace.
func (f *GeneratorFaults) NoTraces() error {
	if !f.good && f.Numbers > 0 {
		return &GeneratorError{f.Numbers, f.First[0]}
	}
	return nil
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
