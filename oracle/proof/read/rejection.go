package read

import (
	"errors"
	"fmt"
)

// ErrUnsupported is the error for proofs that may be right and that ipafuzz cannot check.
var ErrUnsupported = errors.New("unsupported proof")

// ErrNoChecker is the error for proofs that only another program can check, and that program is missing.
// ErrCheckerFails is the error if it is there and fails: it says nothing about the proof. Both are ErrUnsupported.
var (
	ErrNoChecker    = fmt.Errorf("%w: its checker is missing", ErrUnsupported)
	ErrCheckerFails = fmt.Errorf("%w: its checker failed", ErrUnsupported)
)

// A Kind says how a proof is wrong.
type Kind int

const (
	// Malformed: a line does not follow the format.
	Malformed Kind = iota + 1
	// Truncated: the proof ends within a line, or without a conclusion.
	Truncated
	// Unjustified: a lemma or a conclusion does not follow.
	Unjustified
	// Different: the proof proves something else than what was claimed: it has clauses, assumptions or a
	// core of another problem.
	Different
	// Contradicting: the proof concludes another answer than the solver gave.
	Contradicting
)

// String returns the kind in a word.
func (k Kind) String() string {
	switch k {
	case Malformed:
		return "malformed"
	case Truncated:
		return "truncated"
	case Unjustified:
		return "unjustified"
	case Different:
		return "different"
	case Contradicting:
		return "contradicting"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// A Rejection says why a proof is wrong, and where.
type Rejection struct {
	Kind   Kind
	Line   int64 // from 1; 0 in binary; -1 if the error is about the whole proof
	Offset int64 // of the step, in bytes
	Err    error
}

// Error returns the message.
func (r *Rejection) Error() string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("proof line %d: %v", r.Line, r.Err)
	case r.Line < 0:
		return r.Err.Error()
	}
	return fmt.Sprintf("proof byte %d: %v", r.Offset, r.Err)
}

// Unwrap returns the cause.
func (r *Rejection) Unwrap() error { return r.Err }

// kindError is an error with a kind, from code that does not know the line.
type kindError struct {
	kind Kind
	error
}

// Unwrap returns the cause.
func (e kindError) Unwrap() error { return e.error }

// Errorf makes an error of a kind. Reader.At turns it into a Rejection.
func Errorf(kind Kind, format string, args ...any) error {
	return kindError{kind, fmt.Errorf(format, args...)}
}

// At turns an error about the current step into a Rejection. If the source failed, it returns that error.
func (r *Reader) At(err error) error {
	if r.err != nil {
		return r.err
	}
	if err == nil {
		return nil
	}
	var known *Rejection
	if errors.As(err, &known) {
		return err
	}
	kind := Malformed
	var k kindError
	if errors.As(err, &k) {
		kind = k.kind
	}
	rejection := &Rejection{Kind: kind, Offset: r.start, Err: err}
	if !r.binary {
		rejection.Line = r.startLine
	}
	return rejection
}

// Locate is At for an earlier step, for which Line returned line.
func (r *Reader) Locate(line int64, err error) error {
	r.start, r.startLine = line, line
	return r.At(err)
}

// KindOf returns the kind of an error that Errorf made.
func KindOf(err error) (Kind, bool) {
	var k kindError
	ok := errors.As(err, &k)
	return k.kind, ok
}
