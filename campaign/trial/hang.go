package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A hang must run without an answer for hangFactor times its limit, but no longer than hangLongest. A small
// trace of a quick target need not run for longer than SmallLongest, unless its limit is longer.
const (
	hangFactor       = 10
	hangLongest      = 10 * time.Minute
	SmallLongest     = 5 * time.Second
	smallLongestWall = 20 * time.Second
)

// While nobody knows what is usual for the target, a small trace must run for newLongest of processor time, or sleep
// for newAsleep: some libraries start a runtime of seconds in their first solve. Its calls before the one that hangs
// must take less than a share of 1/beforeShare of that, or the target is slow in general.
const (
	newLongest  = 8 * time.Second
	newAsleep   = 10 * time.Second
	beforeShare = 100
)

// A Hang is a trace that met a time limit and may hang in a target.
//
// The hang is confirmed if the trace gives no answer for far longer either, and the built-in library solves
// it in less than a thousandth of the limit (ReferenceTime). Otherwise the problem may be hard, and
// slowness is not a fault.
type Hang struct {
	Target *replay.Target
	Key    oracle.Key
	Limits replay.Limits // of the user
	// Short is the CPU time of candidates; Confirm gives the result more. While the search loses much time
	// to slow traces, Short may be so short that many healthy traces exceed it. Unhurried is its value at
	// other times.
	Short, Unhurried time.Duration
	Small            bool // the trace is small, and such traces are usually quick
	Quick            bool // they are so quick that the trace is reduced before it is confirmed
	New              bool // the trace is small, and too few traces have ended to tell what is usual
	Traces           int  // number of traces of one process that were joined into the trace, or 1
	NewJudge         func() *Judge
}

// A HangVerdict is the result of confirming a hang.
type HangVerdict struct {
	Why     string // why the hang is not confirmed; "" if it is
	Slow    bool   // not confirmed: it took long again, but ended within the limit of the user
	Finding oracle.Finding
	Others  []oracle.Finding // findings of a run that does not hang
	Run     trace.Run
}

// Limit returns the time limit of the user.
func (h *Hang) Limit() time.Duration { return LeastLimit(h.Limits) }

// Shorter returns the limits of candidates: those of the user with the short time limit.
func (h *Hang) Shorter() replay.Limits {
	return Shorten(h.Limits, h.Short)
}

// First returns the limits of the first run. A trace that is reduced before it is confirmed must first hang
// for several times the limit of candidates, and for as long as the search waits while it loses little time.
// Otherwise reductions would spend seconds on healthy traces that are only slow. Each such reduction makes the
// next first run longer (Unhurried).
func (h *Hang) First() replay.Limits {
	if !h.Quick {
		return h.Shorter()
	}
	return h.lasting(max(several*h.Short, h.Unhurried, SmallLongest/20))
}

// Sample returns the limits of a run that tells whether a trace has a known hang or fails in another way, somewhat
// later than the search waits.
func (h *Hang) Sample() replay.Limits {
	if !h.Quick {
		return h.Shorter()
	}
	return h.lasting(max(several*max(h.Short, h.Unhurried), SmallLongest/5))
}

const several = 3

// lasting returns the limits of the user with that much processor time, at most.
func (h *Hang) lasting(cpu time.Duration) replay.Limits {
	longer := *h
	longer.Short = cpu
	return longer.Shorter()
}

// Longer returns the limits with which a hang is confirmed.
func (h *Hang) Longer() replay.Limits {
	limits := h.longest()
	switch {
	case h.New:
		limits.CPU = min(limits.CPU, max(h.Limits.CPU, newLongest))
		limits.Wall = min(limits.Wall, max(h.Limits.Wall/2, limits.CPU+newAsleep-newLongest, newAsleep))
	case h.Small:
		limits.CPU = min(limits.CPU, max(h.Limits.CPU, SmallLongest))
		limits.Wall = min(limits.Wall, max(h.Limits.Wall, smallLongestWall))
	}
	return limits
}

// longest returns the limits with which a hang is confirmed if the time is not the only evidence against the trace.
func (h *Hang) longest() replay.Limits {
	limits := h.Limits.Longer(hangFactor)
	limits.CPU, limits.Wall = Lower(limits.CPU, hangLongest), Lower(limits.Wall, hangLongest)
	return limits
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
	return ReferenceTime(ctx, t, h.allowed())
}

// mostJoined bounds how many of the joined traces count in allowed.
const mostJoined = 20

// allowed returns the limit of the user times the number of joined traces.
func (h *Hang) allowed() time.Duration {
	return h.Limit() * time.Duration(min(h.Traces, mostJoined))
}

// TookLong reports whether a trace that ended after took may have met a time limit earlier because it is
// slow.
func (h *Hang) TookLong(took time.Duration) bool { return took > h.Short/10 }

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
		if v.Run.Call != seen.Call || v.Run.End == trace.Trespassed || h.withinLimits(&v.Run, took) {
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
		switch least := LeastLimit(limits); {
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
	v.Finding.Observed = fmt.Sprintf("no answer %s within %v%s", seen.Detail, LeastLimit(limits), ended)
	v.Finding.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace, "+
		"less than a thousandth of %v", easy, h.allowed())
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
		before := limits
		before.CPU, before.Wall = limits.CPU/beforeShare, wallOverCPU*limits.CPU/beforeShare
		if _, err := h.Run(ctx, t.Prefix(call), before, run); err != nil {
			return limits, 0, nil, err
		}
		if run.End.IsTimeLimit() {
			limits = h.longest()
		}
	}
	begun := time.Now()
	findings, err = h.Run(ctx, t, limits, run)
	if sooner := limits.CPU < h.longest().CPU; err == nil && h.New && sooner && isUnclear(run, limits.CPU) {
		limits, begun = h.longest(), time.Now()
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

// withinLimits reports whether a run that took that long would not have met a time limit of the user. How it ended is
// then its failure, not that it was slow. If its processor time is known, only that counts: the rest may have gone to
// other processes.
func (h *Hang) withinLimits(run *trace.Run, took time.Duration) bool {
	if used := time.Duration(run.Usage.CPUNanos); used > 0 {
		return h.Limits.CPU == 0 || used < h.Limits.CPU
	}
	return (h.Limits.CPU == 0 || took < h.Limits.CPU) && (h.Limits.Wall == 0 || took < h.Limits.Wall)
}
