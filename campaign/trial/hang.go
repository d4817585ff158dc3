package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Hang is a trace that met a time limit and may hang in a target.
//
// The hang is confirmed if the trace gives no answer for far longer either, and the built-in library solves
// it in less than a thousandth of the limit (ReferenceTime). Otherwise the problem may be hard, and
// slowness is not a fault.
type Hang struct {
	Target *replay.Target
	Key    oracle.Key
	limit.Hang
	NewJudge func() *Judge
}

// A HangVerdict is the result of confirming a hang.
type HangVerdict struct {
	Why     string // why the hang is not confirmed; "" if it is
	Slow    bool   // not confirmed: it took long again, but ended within the limit of the user
	Finding oracle.Finding
	Others  []oracle.Finding // findings of a run that does not hang
	Run     trace.Run
}

// Run runs the trace under limits in its own process and judges it.
func (h *Hang) Run(
	ctx context.Context, t *trace.Trace, limits replay.Limits, run *trace.Run,
) ([]oracle.Finding, error) {
	session := NewSession(h.Target, limits, h.NewJudge())
	defer session.Close()
	findings, err := session.Run(ctx, t, run)
	return slices.Clone(findings), err
}

// Shows runs the trace under limits and returns the finding with the hang's key, or nil.
func (h *Hang) Shows(
	ctx context.Context, t *trace.Trace, limits replay.Limits, run *trace.Run,
) (*oracle.Finding, error) {
	findings, err := h.Run(ctx, t, limits, run)
	if at := WithKey(findings, h.Target.Name, h.Key); at >= 0 {
		return &findings[at], err
	}
	return nil, err
}

// Easy returns the time that the built-in library takes, or why the trace may be hard.
func (h *Hang) Easy(ctx context.Context, t *trace.Trace) (took time.Duration, why string, err error) {
	return ReferenceTime(ctx, t, h.Allowed())
}

// Confirm runs the trace with a long limit. The finding seen is why the trace is suspected to hang.
func (h *Hang) Confirm(ctx context.Context, t *trace.Trace, seen oracle.Finding) (HangVerdict, error) {
	var v HangVerdict
	easy, why, err := h.Easy(ctx, t)
	if why != "" || err != nil {
		return HangVerdict{Why: why}, err
	}
	limits, took, findings, err := h.runLong(ctx, t, seen.Call, &v.Run)
	if err != nil {
		return v, err
	}
	var same *oracle.Finding
	if at := WithKey(findings, h.Target.Name, h.Key); at >= 0 {
		same = &findings[at]
	}
	ended := ""
	if !v.Run.End.IsTimeLimit() && v.Run.End != trace.Finished && same == nil {
		// A forbidden call is a failure whenever it comes: starting too many processes takes a while.
		if v.Run.Call != seen.Call || v.Run.End == trace.Trespassed || h.Permits(&v.Run, took) {
			v.Why = fmt.Sprintf("it met a time limit, and ended otherwise when it ran again (%s)", v.Run.End)
			v.Others = findings
			return v, nil
		}
		same, ended = &seen, fmt.Sprintf(": the run ended (%s)", v.Run.End) // it gave no answer until then
	}
	if same == nil {
		if v.Run.End == trace.Finished { // leave out the start of the process
			took = time.Duration(v.Run.Usage.WallNanos)
		}
		v.Why = fmt.Sprintf("it met a time limit, and ended after %v when it ran again", took.Round(time.Millisecond))
		switch least := limit.Least(limits); {
		case took < h.Limit():
			v.Slow = v.Run.End == trace.Finished && h.TookLong(took)
		case took < least: // wall time may exceed a limit of processor time
			v.Why = fmt.Sprintf("the trace took longer than %v but ended within %v, after %v; --cpu and --wall allow more",
				h.Limit(), least, took.Round(time.Millisecond))
		}
		v.Others = findings
		return v, nil
	}
	v.Finding = *same
	v.Finding.Observed = fmt.Sprintf("no answer %s within %v%s", seen.Detail, limit.Least(limits), ended)
	v.Finding.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace, "+
		"less than a thousandth of %v", easy, h.Allowed())
	return v, nil
}

// runLong runs the trace with the limits that confirm a hang, and returns these and how long it took. call is the one
// that seems to hang.
func (h *Hang) runLong(ctx context.Context, t *trace.Trace, call int, run *trace.Run) (
	limits replay.Limits, took time.Duration, findings []oracle.Finding, err error,
) {
	limits = h.Longer()
	call = min(call, len(t.Calls)-1) // the trace may have been reduced since it was seen to hang
	if h.New && call > 0 {
		if _, err := h.Run(ctx, t.Prefix(call), h.Before(), run); err != nil {
			return limits, 0, nil, err
		}
		if run.End.IsTimeLimit() {
			limits = h.Longest()
		}
	}
	begun := time.Now()
	findings, err = h.Run(ctx, t, limits, run)
	if sooner := limits.CPU < h.Longest().CPU; err == nil && h.New && sooner && isUnclear(run, limits.CPU) {
		limits, begun = h.Longest(), time.Now()
		findings, err = h.Run(ctx, t, limits, run)
	}
	return limits, time.Since(begun), findings, err
}

// isUnclear reports whether a run may have met a time limit for another reason than that a thread runs or sleeps
// forever: several threads shared the processor time, or one waited for a disk or another process.
func isUnclear(run *trace.Run, cpu time.Duration) bool {
	switch run.End {
	case trace.OutOfCPU:
		return time.Duration(run.Usage.WallNanos) < cpu*9/10
	case trace.OutOfTime:
		return !run.Death.Asleep || run.Death.Stopped
	}
	return false
}
