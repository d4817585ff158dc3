package shrink

import (
	"context"
	"errors"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// CutHang drops the calls after the one that hangs. It uses the short limit: the caller confirms the result
// with the long one.
func CutHang(ctx context.Context, h *trial.Hang, t *trace.Trace, call int) (*trace.Trace, error) {
	return dd.Cut(t, call, func(candidate *trace.Trace) (bool, error) {
		if _, why, err := h.Easy(ctx, candidate); why != "" || err != nil {
			return false, err
		}
		var run trace.Run
		same, err := h.Shows(ctx, candidate, h.Shorter(), &run)
		return same != nil, err
	})
}

// smallShare is the factor by which candidates of a small trace run shorter than the short limit of a hang.
// The result of each round must hang for that limit.
const smallShare = 8

// A HangReduction is the result of reducing the trace of a hang.
type HangReduction struct {
	dd.Result                     // of the search, but with the trace that was kept
	Smaller    bool               // Trace is not the given trace
	NotMinimal string             // why the trace is not minimal
	Confirmed  *trial.HangVerdict // of Trace; nil if Trace is the given one and was confirmed before
}

// Hang reduces the trace of a hang; run and finding come from a run that showed the hang. A smaller trace
// must be confirmed to hang: if it was merely slow, Hang returns the given trace. If the target is quick,
// nobody has confirmed the given trace, so Hang does.
func Hang(
	ctx context.Context, h *trial.Hang, description *apimodel.Description,
	run *trace.Run, finding *oracle.Finding, t *trace.Trace, config dd.Config,
) (HangReduction, error) {
	result, err := reduceHang(ctx, h, description, run, finding, t, config)
	kept := HangReduction{Result: result, NotMinimal: WhyNotMinimal(result.Ended)}
	switch {
	case errors.Is(err, dd.ErrDoubtful):
		kept = HangReduction{NotMinimal: err.Error()}
	case err != nil:
		return kept, err
	case errors.Is(result.Ended, context.Canceled):
		return kept, result.Ended
	case len(result.Trace.Calls) > 0:
		kept.Smaller = trace.CallsAlone(result.Trace) != trace.CallsAlone(t)
	}
	confirm := func(t *trace.Trace) error {
		v, err := h.Confirm(ctx, t, *finding)
		kept.Confirmed = &v
		return err
	}
	if kept.Smaller {
		if err := confirm(kept.Trace); err != nil || kept.Confirmed.Why == "" {
			return kept, err
		}
		kept.NotMinimal = "the reduced trace did not hang as long: " + kept.Confirmed.Why
		kept.Smaller, kept.Minimal, kept.Confirmed = false, false, nil
	}
	kept.Trace = t
	if h.Quick {
		return kept, confirm(t)
	}
	return kept, nil
}

// reduceHang searches for a smaller trace. A candidate that hangs uses up its time limit, so candidates
// have a short one, based on the time that the trace took before the call that hangs. The result of a round
// must hang for the user's limit or, if the trace is small, for the hang's short limit. reduceHang rejects
// candidates that the built-in library does not solve easily: they may be hard problems.
func reduceHang(
	ctx context.Context, h *trial.Hang, description *apimodel.Description,
	run *trace.Run, finding *oracle.Finding, t *trace.Trace, config dd.Config,
) (dd.Result, error) {
	limits := h.User
	if h.Small {
		limits = h.Shorter()
	}
	p := newPool(h.Target, description, limits, 1)
	defer p.close()
	if h.Small { // such traces usually take a thousandth of the short limit
		p.least = h.Candidate / smallShare / time.Duration(h.Traces)
	}
	p.wanted.Key = h.Key
	p.adjust(run, finding.Class)
	test := func(ctx context.Context, worker int, candidate *trace.Trace) (dd.Verdict, error) {
		v, err := p.Test(ctx, worker, candidate)
		if err == nil && v.Same {
			var why string
			_, why, err = h.Easy(ctx, candidate)
			v.Same = why == ""
		}
		return v, err
	}
	config.Description, config.Known = description, &dd.Verdict{Same: true, Call: finding.Call}
	if p.hurried {
		// Use the ctx of the whole run, so that certifying ends with it.
		config.Certify = func(_ context.Context, t *trace.Trace) (bool, error) { return p.certify(ctx, t) }
	}
	return dd.Minimize(ctx, t, dd.TestFunc(test), config)
}
