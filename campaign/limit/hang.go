package limit

import (
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A hang must run without an answer for hangFactor times its limit, but no longer than hangLongest. A small
// trace of a quick target need not run for longer than smallLongest, unless its limit is longer.
const (
	hangFactor       = 10
	hangLongest      = 10 * time.Minute
	smallLongest     = 5 * time.Second
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

const (
	// fewCalls is the largest number of calls in a small trace; joined traces may have as many for each.
	fewCalls = 500
	// If a trace that takes as long as quick must hang, it takes less time to reduce it before it is confirmed.
	quick = smallLongest / 10
	// newCandidate is the time of candidates while all that is known of the target is a call that ended quickly.
	newCandidate = 400 * time.Millisecond
)

// A Hang says how long a trace that may hang runs on its way to a finding: as a candidate, at first, and when it is
// confirmed.
type Hang struct {
	User   replay.Limits
	Traces int  // number of traces of one process that were joined into the trace, or 1
	Small  bool // the trace is small, and such traces are usually quick
	Quick  bool // they are so quick that the trace is reduced before it is confirmed
	New    bool // the trace is small, and too few traces have ended to tell what is usual
	// Candidate is the processor time of candidates; the confirmation gives the result more. While the search loses much
	// time to slow traces, it may be so short that many healthy traces exceed it. Calm is its value at other times.
	Candidate, Calm time.Duration
}

// Size records whether a trace of that many calls is small, and traces are usually quick. If they are quick, the runs
// of the hang take seconds in all, and do not yield to the search: otherwise they would wait for minutes on a busy
// machine. If nothing is known yet, since nearly all traces hang, the search has nothing better to do either.
func (h *Hang) Size(calls int, known Expectation) {
	few := calls <= h.Traces*fewCalls
	h.Small = few && known.Hangs(smallLongest/time.Duration(h.Traces))
	h.Quick = h.Small && h.Traces == 1 && known.Hangs(quick)
	h.New = h.Small && known.Basis < Traces
	h.User.Yields = !h.Quick && !(few && known.Basis < Traces)
}

// Learn sets the limits of candidates by what the kind of the trace usually needs.
func (h *Hang) Learn(needs Needs, warmup time.Duration) {
	joined := 2 * time.Duration(h.Traces)
	h.Candidate, h.Calm = joined*Search(needs, false)+warmup, joined*Calm(needs)+warmup // each has a process of its own
	if h.New {
		h.Candidate, h.Calm = newCandidate, newCandidate
	}
}

// IsFirst reports whether nothing is known yet about how long other traces take.
func IsFirst(known Expectation) bool {
	return known.Basis == Nothing || known.Basis == OneCall && known.Hangs(smallLongest)
}

// Limit returns the time limit of the user.
func (h *Hang) Limit() time.Duration { return Least(h.User) }

// Shorter returns the limits of candidates: those of the user with the short time limit.
func (h *Hang) Shorter() replay.Limits {
	return Shorten(h.User, h.Candidate)
}

// First returns the limits of the first run. A trace that is reduced before it is confirmed must first hang
// for several times the limit of candidates, and for as long as the search waits while it loses little time.
// Otherwise reductions would spend seconds on healthy traces that are only slow. Each such reduction makes the
// next first run longer (Calm).
func (h *Hang) First() replay.Limits {
	if !h.Quick {
		return h.Shorter()
	}
	return h.lasting(max(threefold*h.Candidate, h.Calm, smallLongest/20))
}

// Sample returns the limits of a run that tells whether a trace has a known hang or fails in another way, somewhat
// later than the search waits.
func (h *Hang) Sample() replay.Limits {
	if !h.Quick {
		return h.Shorter()
	}
	return h.lasting(max(threefold*max(h.Candidate, h.Calm), smallLongest/5))
}

// lasting returns the limits of the user with that much processor time, at most.
func (h *Hang) lasting(cpu time.Duration) replay.Limits {
	longer := *h
	longer.Candidate = cpu
	return longer.Shorter()
}

// Longer returns the limits with which a hang is confirmed.
func (h *Hang) Longer() replay.Limits {
	limits := h.Longest()
	switch {
	case h.New:
		limits.CPU = min(limits.CPU, max(h.User.CPU, newLongest))
		limits.Wall = min(limits.Wall, max(h.User.Wall/2, limits.CPU+newAsleep-newLongest, newAsleep))
	case h.Small:
		limits.CPU = min(limits.CPU, max(h.User.CPU, smallLongest))
		limits.Wall = min(limits.Wall, max(h.User.Wall, smallLongestWall))
	}
	return limits
}

// Longest returns the limits with which a hang is confirmed if the time is not the only evidence against the trace.
func (h *Hang) Longest() replay.Limits {
	limits := h.User.Longer(hangFactor)
	limits.CPU, limits.Wall = Lower(limits.CPU, hangLongest), Lower(limits.Wall, hangLongest)
	return limits
}

// Before returns the limits for the calls before the one that hangs, while nobody knows what is usual.
func (h *Hang) Before() replay.Limits {
	limits := h.Longer()
	limits.CPU, limits.Wall = limits.CPU/beforeShare, wallOverCPU*limits.CPU/beforeShare
	return limits
}

// mostJoined bounds how many of the joined traces count in Allowed.
const mostJoined = 20

// Allowed returns the limit of the user times the number of joined traces.
func (h *Hang) Allowed() time.Duration {
	return h.Limit() * time.Duration(min(h.Traces, mostJoined))
}

// TookLong reports whether a trace that ended after took may have met a time limit earlier because it is
// slow.
func (h *Hang) TookLong(took time.Duration) bool { return took > h.Candidate/10 }

// Permits reports whether a run that took that long would not have met a time limit of the user. How it ended is
// then its failure, not that it was slow. If its processor time is known, only that counts: the rest may have gone to
// other processes.
func (h *Hang) Permits(run *trace.Run, took time.Duration) bool {
	if used := time.Duration(run.Usage.CPUNanos); used > 0 {
		return h.User.CPU == 0 || used < h.User.CPU
	}
	return (h.User.CPU == 0 || took < h.User.CPU) && (h.User.Wall == 0 || took < h.User.Wall)
}
