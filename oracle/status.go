package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// RefusesCall begins the detail of a finding about a right call that returned an error code.
const RefusesCall = "refuses a right call: "

// statusCheck checks the number that solve returned: the interface must define it, and it must not be
// a refusal.
type statusCheck struct{}

func (statusCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	switch {
	case s.solution || s.status == apimodel.Unsatisfiable || s.status == apimodel.Interrupted:
	case s.status == apimodel.Failure && j.weighted:
		if in.ZeroWeight && j.rules.zeroWeightMayBeRefused {
			return
		}
		if in.SumHi != 0 {
			return // no standard defines such sums: a target may refuse them
		}
		j.decide()
		s.truth.decided = true
		j.report(in, Finding{Class: GaveUp, Call: s.call, Detail: "answers ERROR", Observed: "status 40",
			Expected: "an answer: only standard calls were made", Known: "the interface"})
	default:
		j.decide()
		s.truth.decided = true
		expected := "0, 10 or 20"
		if j.weighted {
			expected = "0, 10, 20, 30 or 40"
		}
		j.report(in, Finding{Class: WrongStatus, Call: s.call, Detail: "unknown status",
			Observed: fmt.Sprintf("status %d", s.status), Expected: expected, Known: "the interface"})
	}
}

// terminateCheck checks how a solve treats the terminate callback: an exact solver stops early only if
// the callback says stop, then stops soon, and does not stay stopped in the next solve.
type terminateCheck struct{}

const manyPolls = 100_000 // more calls than this after the callback said stop mean that the search went on

func (c terminateCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	effort := j.run.Answers.EffortOf(j.run.Answers.At(s.call))
	if effort.PollsAfter > manyPolls {
		j.decideBy(in, Finding{Class: WrongTermination, Call: s.call, Detail: IgnoresStop,
			Observed: printable.Things(int64(effort.PollsAfter), "call") + " of the callback after it had said stop",
			Expected: "the end of the search", Known: "the callback's own count"})
	} else if j.rules.stopsPromptly && effort.PollsAfter > 0 {
		j.decideBy(in, Finding{Class: WrongTermination, Call: s.call, Detail: IgnoresStop,
			Observed: fmt.Sprintf("%s of the callback after it had said stop, and solve answered %d",
				printable.Things(int64(effort.PollsAfter), "call"), s.status),
			Expected: "no more calls of the callback, and an interrupted solve",
			Known:    "the callback's own count, and policy terminate-stop"})
	} else if j.rules.stopsPromptly && s.terminate.saidStop(effort.Polls) &&
		(s.status == apimodel.Unsatisfiable || s.optimal || !j.weighted && s.solution) {
		j.decideBy(in, Finding{Class: WrongTermination, Call: s.call, Detail: IgnoresStop,
			Observed: fmt.Sprintf("the callback had said stop, and solve answered %d", s.status),
			Expected: "an interrupted solve", Known: "the callback's own count, and policy terminate-stop"})
	}
	if j.rules.callsBack && s.terminate.installed && effort.Nanos > 0 && effort.Polls == 0 {
		j.decideBy(in, Finding{Class: WrongTermination, Call: s.call, Detail: "does not call the callback",
			Observed: "the callback was never called", Expected: "at least one call",
			Known: "the callback's own count, and policy terminate-called"})
	}
	if effort.Polls > 0 {
		c.notInstalled(j, in, &s.terminate, effort.Polls)
	}
	if effort.OthersPolled {
		c.ofAnother(j, in, "terminate")
	}
	if s.status == apimodel.Interrupted || j.weighted && s.status == apimodel.Satisfiable {
		c.interrupted(j, in, effort.Polls, effort.Polls > 0 || effort.Nanos > 0)
	}
}

// TakenAway is the detail of a finding about a callback that is called although it was taken away.
const TakenAway = "calls a callback that was taken away"

// notInstalled judges calls of a callback that is not installed: one that the client removed or never gave
// to this solver.
func (terminateCheck) notInstalled(j *Judge, in *instance, c *callback, calls uint32) {
	if c.installed || c.takenAway && !j.rules.offUninstalls {
		return
	}
	f := Finding{Class: WrongTermination, Call: in.answer.call, Detail: "calls a callback that was never given",
		Observed: printable.Things(int64(calls), "call") + " of it", Expected: "none", Known: "the callback's own count"}
	if c.takenAway {
		f.Detail, f.Known = TakenAway, f.Known+", and policy terminate-null"
	}
	j.decideBy(in, f)
}

// OfAnother is the detail of a finding about a solve that calls a callback which the client gave to another
// instance.
const OfAnother = "calls a callback of another instance"

func (terminateCheck) ofAnother(j *Judge, in *instance, name string) {
	j.decideBy(in, Finding{Class: WrongTermination, Call: in.answer.call, Detail: OfAnother,
		Observed: "this solve called the " + name + " callback of another instance",
		Expected: "calls of the callbacks of its own instance only",
		Known:    "the callback's argument, and the thread in which it was called"})
}

// interrupted judges a solve that ended early. measured is false if the effort of the solve is
// unknown, as in a text log: then nobody knows whether the callback said stop.
func (terminateCheck) interrupted(j *Judge, in *instance, polls uint32, measured bool) {
	s := &in.answer
	count := s.terminate.count
	canSay := s.terminate.installed && count > 0
	earlier := in.stoppedCall
	if canSay && (polls >= count || !measured) {
		in.stoppedCall = s.call
	}
	switch {
	case canSay && polls >= count:
		j.decide()
		s.truth.decided = s.truth.decided || s.status == apimodel.Interrupted
		return
	case s.limited:
		j.decide()
		s.truth.decided = s.truth.decided || s.status == apimodel.Interrupted
		return
	case canSay && !measured, j.rules.mayGiveUp:
		return
	}
	j.decide()
	s.truth.decided = true
	why := "no callback is installed"
	if s.terminate.installed {
		why = fmt.Sprintf("the callback says stop from its call %d on and was called %s", count,
			printable.Times(int64(polls)))
		if count == 0 {
			why = "the callback never says stop"
		}
	}
	f := Finding{Class: GaveUp, Call: s.call, Detail: NoReason,
		Observed: fmt.Sprintf("status %d", s.status),
		Expected: "a complete answer", Known: why}
	if earlier >= 0 {
		f.Class, f.Detail = WrongTermination, StaysStopped
		f.Known = fmt.Sprintf("%s; the solve of call %d was stopped", why, earlier+1)
	}
	j.report(in, f)
}

// Details of findings about solves that end without an answer, or should have.
const (
	IgnoresStop  = "ignores stop"
	NoReason     = "gives up without reason"
	StaysStopped = "stays stopped" // an earlier solve was stopped
)

// codeCheck checks the error codes of IPASIR-2: a right call returns none, and a wrong call returns the one
// that the interface defines for it.
type codeCheck struct{}

func (codeCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if _, failed := j.run.AllocationFailed(call); failed {
		return // a call may say so by its code
	}
	f := Finding{Class: WrongState, Call: call, Known: "the interface"}
	switch c.Op {
	case apimodel.OpErrors:
		j.decide()
		if a.Num == 0 {
			return
		}
		complaint := apimodel.ReadError(a.Num)
		f.Detail, f.Observed, f.Expected = complaint.Wrong, complaint.Observed, complaint.Expected
		if complaint.Refused != "" {
			f.Detail = RefusesCall + complaint.Refused
		}
	case apimodel.OpMisuse:
		misuse, made := apimodel.ReadMisuse(a.Num)
		if !made {
			return
		}
		j.decide()
		if slices.Contains(misuse.Right, misuse.Code) {
			return
		}
		f.Detail = "code of " + misuse.Call
		f.Observed = fmt.Sprintf("%s in %s returned %s", misuse.Call, misuse.State, misuse.Code)
		f.Expected = strings.Join(misuse.Right, " or ")
	default:
		return
	}
	j.reportOf(in, -1, f)
}

// CheckOf returns the check of the interface that a finding of class WrongState shows to be missing or wrong, given its
// detail. A library makes one check for both bounds of an option, and one whether a solve runs or not.
func CheckOf(detail string) string {
	return eitherBound.Replace(strings.TrimSuffix(detail, " during a solve"))
}

var eitherBound = strings.NewReplacer("below its least value", "out of bounds",
	"above its greatest value", "out of bounds")
