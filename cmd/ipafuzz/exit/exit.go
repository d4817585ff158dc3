// Package exit chooses the exit code of ipafuzz. The codes are part of the interface: by them, scripts tell
// a finding from a failure of ipafuzz.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/ulimit"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// The exit codes.
const (
	Success  = 0 // the command succeeded and found nothing wrong
	Findings = 1 // the target did something wrong
	Usage    = 2 // bad arguments, traces, targets or directories
	Failure  = 3 // ipafuzz or its environment failed; says nothing about the target
	Doubt    = 4 // no finding, but something stayed unchecked, or a target ended the run
)

// ErrFindings ends a command that has printed findings.
var ErrFindings = errors.New("findings")

// ErrDoubt ends a command that has found nothing but cannot say that nothing is wrong. The command has
// printed why.
var ErrDoubt = errors.New("not clean")

var unread bool

// Unread records that the command cannot read a part of what it was given and goes on without it. The caller has said
// so. The command then does not end with Success.
func Unread() { unread = true }

// Of returns the error that chooses the exit code of a command that checks answers. With strict, something unchecked
// is as bad as a finding.
func Of(found bool, open []unchecked.Item, strict bool) error {
	switch {
	case found || strict && (unread || len(open) > 0):
		return ErrFindings
	case len(open) > 0:
		return ErrDoubt
	}
	return nil
}

// A With ends a command with the given exit code. The command has printed why.
type With int

// Error returns the message.
func (w With) Error() string { return fmt.Sprintf("exit code %d", int(w)) }

// A usageError is a mistake of the caller.
type usageError struct{ error }

// Unwrap returns the cause.
func (e usageError) Unwrap() error { return e.error }

// Misuse marks an error as a mistake of the caller.
func Misuse(err error) error { return usageError{err} }

// Misusef returns an error that is a mistake of the caller.
func Misusef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// MisuseOfDirectory marks an error about a campaign directory as a mistake of the caller.
func MisuseOfDirectory(err error) error {
	if is[*store.DirectoryError](err) || is[*store.ResumeError](err) || is[*store.DamagedError](err) ||
		is[*store.StoredError](err) || is[*store.TwiceError](err) {
		return Misuse(err)
	}
	return err
}

// Code prints the error of a command and returns the exit code for it.
func Code(stderr io.Writer, err error) int {
	with := With(0)
	switch {
	case err == nil && unread:
		return Doubt
	case err == nil:
		return Success
	case errors.Is(err, ErrFindings):
		return Findings
	case errors.Is(err, ErrDoubt):
		return Doubt
	case errors.As(err, &with):
		return int(with)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "ipafuzz: interrupted")
		return Failure
	}
	fmt.Fprintf(stderr, "ipafuzz: %s\n", printable.Text(err.Error()))
	limit := ulimit.Explain(err)
	if limit != "" {
		fmt.Fprintln(stderr, limit)
	}
	if isMisuse(err) && !isBrokenDisk(err) && limit == "" {
		return Usage
	}
	fmt.Fprintln(stderr, "ipafuzz or its environment failed; this says nothing about the target.")
	return Failure
}

func isMisuse(err error) bool {
	return is[usageError](err) || is[*sources.Error](err) || is[*gen.ConfigError](err) || is[*replay.TargetError](err) ||
		is[*trace.ParseError](err) || is[*trace.CheckError](err) || is[*format.CannotSayError](err)
}

// isBrokenDisk reports whether a disk is full or damaged, which is not a mistake of the
// caller.
func isBrokenDisk(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EIO)
}

func is[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}
