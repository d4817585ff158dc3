package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

func (r *Result) set(outcome Outcome, reason string) { r.Outcome, r.Reason = outcome, reason }

// fail records a fault, or a difference described like one, of call number call (from 0).
func (r *Result) fail(call int, f *oracle.Finding) {
	t := r.Case.Trace
	r.Outcome, r.Call = Fail, call+1
	r.Observed, r.Expected, r.Class, r.Detail = f.Observed, f.Expected, string(f.Class), f.Detail
	if call < len(t.Calls) {
		r.Line = string(t.AppendRequest(nil, call))
	}
	r.Reason = fmt.Sprintf("%s: %s, expected %s", place(t, call), f.Observed, f.Expected)
}

// place names call number call (from 0), counted from 1.
func place(t *trace.Trace, call int) string {
	if call >= len(t.Calls) {
		return "final release"
	}
	return fmt.Sprintf("call %d (%s)", call+1, shortened(string(t.AppendRequest(nil, call)), 40))
}

// outOfMemory reports whether the run met the memory limit, or the library reported that it got no
// more memory.
func outOfMemory(run *trace.Run) bool {
	return run.End == trace.OutOfMemory || run.End != trace.Finished && message.SaysNoMemory(run.Death.Stderr)
}

// A WrongCaseError is a case whose expectations are impossible.
type WrongCaseError struct {
	Call int // from 1
	Want string
}

// Error returns the message.
func (e *WrongCaseError) Error() string {
	return fmt.Sprintf("call %d: the case expects %s, which is wrong", e.Call, e.Want)
}

// judge decides the outcome of a run. It returns an error if the case itself is wrong.
func (r *Result) judge(run *trace.Run, d *apimodel.Description) error {
	t := r.Case.Trace
	if r.Case.Open != "" {
		r.set(Unspecified, shown(t, run))
		return nil
	}
	if r.Case.Large && outOfMemory(run) {
		r.set(Unsupported,
			fmt.Sprintf("ran out of memory in %s: for the largest variables the library needs more than the limit",
				place(t, run.Call)))
		return nil
	}
	judge := oracle.New(oracle.Config{Policies: d.Policies, Exact: true})
	refused := refusal(t, run)
	earliest := len(t.Calls) + 1 // the call of the first failure
	for _, f := range judge.Judge(t, run) {
		behind := refused >= 0 && f.Call >= refused && f.Check != "end"
		if f.Call < earliest && !behind {
			earliest = f.Call
			r.fail(f.Call, &f)
		}
	}
	gaveUp, unread := -1, unreadSolve(t, run)
	byCall := func(a, b oracle.Mismatch) int { return cmp.Compare(a.Call, b.Call) }
	mismatches := slices.SortedFunc(slices.Values(judge.Mismatches()), byCall)
	for _, m := range mismatches {
		switch {
		case m.Proven:
			return &WrongCaseError{Call: m.Call + 1, Want: m.Want}
		case m.Call >= earliest || m.Call >= returned(t, run) || refused >= 0 && m.Call >= refused ||
			gaveUp >= 0 && m.Call > gaveUp:
		case r.stoppedByItself(m.Call, run, d):
			gaveUp = m.Call
		case run.Answers.At(m.Call).Kind == trace.Unsupported: // the verdict mentions it in the end
		case unread >= 0 && m.Call > unread:
		default:
			earliest = m.Call
			r.fail(m.Call, &oracle.Finding{Class: oracle.Class(r.Class), Observed: answerWord(m.Got),
				Expected: answerWord(m.Want)})
		}
	}
	if i := nameless(t, run); i >= 0 && i < earliest && r.Outcome != Fail {
		r.fail(i, &oracle.Finding{Observed: "an empty text", Expected: "a name and a version"})
	}
	if run.End != trace.Finished {
		r.Stderr = run.Death.Stderr
	}
	switch missing := unsupported(t, run); {
	case r.Outcome == Fail:
	case refused >= 0:
		r.set(Unsupported, fmt.Sprintf("call %d (solve) answered 40: the library does not support what was called",
			refused+1))
	case missing >= 0:
		why := ": the target lacks the function"
		if t.Calls[missing].Op == apimodel.OpSolve {
			why = ": the target cannot take this problem, by its description or its format"
		}
		r.set(Unsupported, place(t, missing)+why)
	case gaveUp >= 0:
		r.set(Unchecked, fmt.Sprintf("call %d (solve) gave up, as the target says that it may (give-up=allowed)", gaveUp+1))
	case judge.Unchecked().Any():
		r.set(Unchecked, unchecked.Text(judge.Unchecked().Items()))
	default:
		r.set(Pass, "")
	}
	return nil
}

// returned returns the number of calls that returned.
func returned(t *trace.Trace, run *trace.Run) int {
	if run.End == trace.Finished {
		return len(t.Calls)
	}
	return min(run.Call, len(t.Calls))
}

// refusal returns the first solve that answered 40, or -1. With 40, ipamir.h lets a library
// say that it does not support something. So that answer is not a failure here, and nothing
// after it is judged.
func refusal(t *trace.Trace, run *trace.Run) int {
	return first(t, run, func(op apimodel.Op, a *trace.Answer) bool {
		return t.Model == apimodel.IPAMIR && op == apimodel.OpSolve && a.Kind == trace.Answered && a.Int() == apimodel.Failure
	})
}

// first returns the first call that returned and satisfies is, or -1.
func first(t *trace.Trace, run *trace.Run, is func(apimodel.Op, *trace.Answer) bool) int {
	for i := range t.Calls[:returned(t, run)] {
		if is(t.Calls[i].Op, run.Answers.At(i)) {
			return i
		}
	}
	return -1
}

// nameless returns the first call that returned an empty signature, or -1.
func nameless(t *trace.Trace, run *trace.Run) int {
	return first(t, run, func(op apimodel.Op, a *trace.Answer) bool {
		return op == apimodel.OpSignature && a.Kind == trace.Answered && a.Len == 0
	})
}

func unsupported(t *trace.Trace, run *trace.Run) int {
	return first(t, run, func(_ apimodel.Op, a *trace.Answer) bool { return a.Kind == trace.Unsupported })
}

// unreadSolve returns the first solve that was not made because the target cannot read its formula, or
// -1.
func unreadSolve(t *trace.Trace, run *trace.Run) int {
	return first(t, run, func(op apimodel.Op, a *trace.Answer) bool {
		return op == apimodel.OpSolve && a.Kind == trace.Unsupported
	})
}

// stoppedByItself reports whether a target that may give up interrupted a solve.
func (r *Result) stoppedByItself(call int, run *trace.Run, d *apimodel.Description) bool {
	t := r.Case.Trace
	if t.Calls[call].Op != apimodel.OpSolve || d.Policy("give-up") != "allowed" {
		return false
	}
	status := run.Answers.At(call).Int()
	return status == apimodel.Interrupted || t.Model == apimodel.IPAMIR && status == apimodel.Satisfiable
}

// shown lists the answers to the queries of a case that no expectation settles.
func shown(t *trace.Trace, run *trace.Run) string {
	log := t.Clone()
	log.Want, log.Got = trace.Answers{}, run.Answers
	var parts []string
	for i := range t.Calls[:returned(t, run)] {
		if t.Model.Call(t.Calls[i].Op).Reply != apimodel.ReplyNothing && t.Want.At(i).Kind == trace.NotAnswered {
			parts = append(parts, string(log.AppendCall(nil, i)))
		}
	}
	if run.End != trace.Finished {
		end := run.End.String()
		if run.End == trace.Killed {
			end = fmt.Sprintf("killed by signal %d", run.Death.Signal)
		}
		parts = append(parts, end+" in "+place(t, run.Call))
	}
	return strings.Join(parts, ", ")
}

func answerWord(text string) string {
	switch text {
	case "-", "":
		return "no answer"
	}
	return text
}

func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}
