// Package diagnose determines the cause of a reduced failure, for campaigns and for 'ipafuzz minimize'. It
// brings the minimal trace into its normal form (package dd) and runs the experiments of package cause on
// the result.
package diagnose

import (
	"context"
	"errors"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Failure is a reduced failure.
type Failure struct {
	Key     oracle.Key
	Minimal *trace.Trace
	// Originals failed in the same way before they were reduced to the minimal trace. It needs nothing that one of them
	// lacks.
	Originals []*trace.Trace
	Rate      trial.Rate // how often the minimal trace fails
	// Config has the target's description and the condition for candidates that the reduction used.
	Config dd.Config
}

// leastShare is the least share of runs in which a minimal trace must fail.
const leastShare = 0.5

// HasCause reports whether experiments can tell the cause. They cannot if the minimal trace often passes,
// because then a version that passes says little. Nor can they if it leaks or writes too much, since any smaller
// trace may do so less, or by a failed allocation, since a smaller trace makes another allocation fail.
func (f *Failure) HasCause() bool {
	switch f.Key.Class {
	case oracle.TooMuchOutput, oracle.Leak, oracle.FailedAllocation:
		return false
	}
	return f.Rate.Share() >= leastShare
}

// MeetsLimit reports whether the failure consists in taking too much time or memory. Then the session must have
// limit.ToMeet. A version that stays below them passes, though the minimal trace met far higher limits. If none
// does, the cause stays unknown, since the target may need as much for everything.
func (f *Failure) MeetsLimit() bool {
	return f.Key.Class == oracle.TooSlow || f.Key.Class == oracle.TooMuchMemory
}

// A Result is the normal form of a minimal trace and the diagnosis of its failure.
type Result struct {
	// Normal fails with the key of the failure or, if the diagnosis is of another failure, with that one's
	// key.
	Normal    *trace.Trace
	Diagnosis *cause.Diagnosis
	Tests     int
}

// Cause determines the cause of the minimal trace in a few runs of the session, without its normal form and
// without the mistake. It returns nil if the cause cannot be determined.
func (f *Failure) Cause(ctx context.Context, session *trial.Session) (*cause.Diagnosis, error) {
	if !f.HasCause() {
		return nil, nil
	}
	prober, err := cause.NewProber(ctx, session, f.Minimal, f.Key, f.Rate)
	if err != nil {
		return nil, unlessNotFailing(err)
	}
	d, err := cause.Determine(ctx, f.Minimal, f.Originals, prober.Shows, nil, f.Config.Admits(f.Minimal))
	return d, unlessNotFailing(err)
}

// Run brings the minimal trace into its normal form and determines the cause in runs of the session. It
// returns nil if experiments cannot tell the cause, or if the trace did not fail again.
func (f *Failure) Run(ctx context.Context, session *trial.Session) (*Result, error) {
	if !f.HasCause() {
		return nil, nil
	}
	r := &Result{}
	prober, err := cause.NewProber(ctx, session, f.Minimal, f.Key, f.Rate)
	if err != nil {
		return nil, unlessNotFailing(err)
	}
	shows := func(ctx context.Context, t *trace.Trace) (bool, error) {
		r.Tests++
		return prober.Shows(ctx, t)
	}
	mistaken := func(ctx context.Context, t *trace.Trace) (cause.Mistake, error) {
		r.Tests++
		return prober.Mistake(ctx, t)
	}
	if f.MeetsLimit() {
		d, err := cause.Determine(ctx, f.Minimal, f.Originals, shows, nil, f.Config.Admits(f.Minimal))
		if err != nil || d.Cause == cause.Nothing {
			return nil, unlessNotFailing(err)
		}
		r.Normal, r.Diagnosis = f.Minimal, d
		return r, nil
	}
	test := dd.TestFunc(func(ctx context.Context, _ int, t *trace.Trace) (dd.Verdict, error) {
		if cause.AddsInput(f.Minimal, t) { // another fault may need that
			return dd.Verdict{Call: -1}, nil
		}
		r.Tests++
		same, err := prober.ShowsKey(ctx, t)
		return dd.Verdict{Same: same, Call: -1}, err
	})
	normal, err := dd.Canonical(ctx, f.Minimal, test, f.Config)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, unlessNotFailing(err)
	}
	r.Normal = normal.Trace
	r.Diagnosis, err = cause.Determine(ctx, r.Normal, f.Originals, shows, mistaken,
		f.Config.Admits(r.Normal))
	if err != nil {
		return nil, unlessNotFailing(err)
	}
	if key := prober.Key(); key != f.Key {
		r.Diagnosis.Of = key.Failure()
	}
	return r, nil
}

func unlessNotFailing(err error) error {
	if errors.Is(err, cause.ErrNotFailing) || errors.Is(err, dd.ErrNotFailing) {
		return nil
	}
	return err
}
