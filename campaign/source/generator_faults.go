package source

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/external"
)

// GeneratorFaults counts the failures of an external generator. They are never findings.
type GeneratorFaults struct {
	Numbers uint64 // numbers without a trace
	By      map[external.Reason]uint64
	First   []*external.Fault // the first of each reason

	inRow uint64 // failures since the last trace
	good  bool   // the generator has made a trace
}

// Clone returns a copy, which shares only the faults themselves.
func (f *GeneratorFaults) Clone() GeneratorFaults {
	c := *f
	c.By, c.First = maps.Clone(f.By), slices.Clone(f.First)
	return c
}

// Generated counts a trace, or a failure of the generator. It returns an error if the generator seems to
// make no traces at all.
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

// NoTraces returns an error if the generator has failed and never made a trace.
func (f *GeneratorFaults) NoTraces() error {
	if !f.good && f.Numbers > 0 {
		return &GeneratorError{f.Numbers, f.First[0]}
	}
	return nil
}

// A campaign ends if the generator fails so often at the start, or in a row. Otherwise it would run forever
// and find nothing.
const (
	faultyAtFirst = 10
	faultyInRow   = 1000
)

// A GeneratorError reports a generator that makes no traces.
type GeneratorError struct {
	Numbers uint64 // failures in a row
	Last    *external.Fault
}

// Error returns the message.
func (e *GeneratorError) Error() string {
	return fmt.Sprintf("the generator made no trace in %d attempts; the last one: %v", e.Numbers, e.Last)
}

// Unwrap returns the cause.
func (e *GeneratorError) Unwrap() error { return e.Last }
