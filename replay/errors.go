package replay

import (
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A TargetError reports a target that cannot be used: there is no such target, or it is not a
// solver, for example. It is never a finding.
type TargetError struct {
	Target string
	Reason string
}

// Error returns the message.
func (e *TargetError) Error() string { return fmt.Sprintf("target %s: %s", e.Target, e.Reason) }

// Unusable returns a TargetError.
func Unusable(target, format string, args ...any) error {
	return &TargetError{Target: target, Reason: printable.Text(fmt.Sprintf(format, args...))} // it may quote the target
}

// NotInProcess returns the TargetError for a target that cannot be loaded into this process,
// because it is a program.
func NotInProcess(target, kind string) error {
	return Unusable(target, "a %s target is a program of its own and cannot run in this process", kind)
}

// A SpecError is a TargetError for a spec that names no target.
type SpecError struct{ TargetError }

// Misnamed returns a SpecError.
func Misnamed(target, format string, args ...any) error {
	return &SpecError{TargetError{target, fmt.Sprintf(format, args...)}}
}

// Unwrap returns the TargetError.
func (e *SpecError) Unwrap() error { return &e.TargetError }

// A ProtocolError reports a runner that violates the protocol. None of its answers can be
// trusted, so it is never a finding.
type ProtocolError struct {
	Target string
	Reason string
	Trace  *trace.Trace // the one in progress, or nil
}

// Error returns the message.
func (e *ProtocolError) Error() string {
	return fmt.Sprintf("target %s: its runner does not keep to the protocol: %s "+
		"(docs/protocol.md; 'ipafuzz conform --pipe COMMAND' checks a runner)", e.Target, printable.Text(e.Reason))
}

// Violation says what the runner did wrong.
func (e *ProtocolError) Violation() string { return e.Reason }

// Unwrap returns the same error as a TargetError.
func (e *ProtocolError) Unwrap() error { return &TargetError{e.Target, e.Reason} }

// InProgress returns the trace in which a runner broke the protocol or made a mistake, according to the error, or nil.
func InProgress(err error) *trace.Trace {
	if violated, ok := errors.AsType[*ProtocolError](err); ok {
		return violated.Trace
	}
	if mistaken, ok := errors.AsType[*MistakeError](err); ok {
		return mistaken.Trace
	}
	return nil
}

// ErrInterrupted is the error of Collect after Interrupt.
var ErrInterrupted = errors.New("the run was interrupted")

// maxExcerpt is how many bytes of a line a message shows.
const maxExcerpt = 60

// Excerpt quotes a line of output for a message.
func Excerpt(line []byte) string {
	if len(line) > maxExcerpt {
		return fmt.Sprintf("%q... (%d bytes)", line[:maxExcerpt], len(line))
	}
	return fmt.Sprintf("%q", line)
}
