package bindings

import (
	"context"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/internal/ulimit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// A failure is an error on its way to Python, where Kind selects the exception.
type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`

	File   string       `json:"file,omitempty"` // parse, illegal
	Line   int          `json:"line,omitempty"` // from 1; 0: the trace was not text
	Column int          `json:"column,omitempty"`
	Call   int          `json:"call,omitempty"`   // illegal: from 1
	Target string       `json:"target,omitempty"` // target
	Runs   int          `json:"runs,omitempty"`   // not-failing
	Seen   []oracle.Key `json:"seen,omitempty"`   // not-failing: other failures
	Stack  string       `json:"stack,omitempty"`  // internal
}

// A useError is a mistake of the caller for which no package has a type.
type useError struct{ error }

// Unwrap returns the cause.
func (e useError) Unwrap() error { return e.error }

func failureOf(err error) *failure {
	f := &failure{Kind: "failed", Message: err.Error()}
	if limit := ulimit.Explain(err); limit != "" {
		f.Message += ". " + limit
	}
	var parse *trace.ParseError
	var check *trace.CheckError
	var target *replay.TargetError
	var not *shrink.NotFailingError
	var bug *caught.Panic
	switch {
	case errors.As(err, &bug):
		f.Kind, f.Message, f.Stack = "internal", fmt.Sprintf("ipafuzz has a bug: %v", bug.Value), string(bug.Stack)
	case errors.As(err, &parse):
		f.Kind, f.File, f.Line, f.Column = "parse", parse.File, parse.Line, parse.Column
		if is[*apimodel.IllegalCall](err) {
			f.Kind = "illegal"
		}
	case errors.Is(err, trace.ErrBinary):
		f.Kind = "parse"
	case errors.As(err, &check):
		f.Kind, f.Call = "illegal", check.Call+1
	case errors.As(err, &target):
		f.Kind, f.Target = "target", target.Target
	case errors.As(err, &not):
		f.Kind, f.Runs, f.Seen = "not-failing", not.Runs, not.Other
	case is[*trial.DisagreementError](err):
		f.Kind = "internal"
	case misused(err):
		f.Kind = "use"
	case errors.Is(err, context.Canceled):
		f.Kind = "cancelled"
	}
	return f
}

func misused(err error) bool {
	return is[useError](err) || is[*gen.ConfigError](err) || is[*sources.Error](err) || is[*store.DirectoryError](err) ||
		is[*store.ResumeError](err) || is[*export.CannotSayError](err) || is[*format.CannotSayError](err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
