package oracle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/trace"
)

// endCheck reports how a run ended early: a crash, an exit, a limit.
type endCheck struct{}

func (endCheck) run(j *Judge) {
	run := j.run
	if run.End == trace.Finished {
		return
	}
	j.decide()
	f := Finding{Call: run.Call, Expected: "an answer", Known: "the operating system"}
	place := j.placeOfDeath()
	switch run.End {
	case trace.Killed:
		f.Class = classOfSignal(run.Death.Signal)
		f.Observed = message.SignalWithName(run.Death.Signal) + " " + place
		if run.Death.OtherThread {
			f.Observed += ", in another thread of the library while the call was running"
		}
		f.Detail = message.Death(&run.Death, message.Signal(run.Death.Signal), place)
		if run.FailedAllocation > 0 && strings.HasPrefix(f.Detail, message.Uncaught+" ") {
			f.Detail += " " + j.placeOfException(place)
		}
	case trace.Exited:
		f.Class = OtherExit
		f.Observed = fmt.Sprintf("exit code %d %s", run.Death.ExitCode, place)
		f.Detail = message.Death(&run.Death, fmt.Sprintf("exit %d", run.Death.ExitCode), place)
		if message.IsLeak(run.Death.Stderr) {
			f.Class = Leak
		}
	case trace.Deadlocked:
		f.Class, f.Detail = Deadlock, cmp.Or(message.Frames(run.Death.Frames), place)
		f.Observed = fmt.Sprintf("a deadlock %s: each of its %d threads waits for another one", place, run.Death.Threads)
		if run.Death.Threads == 1 {
			f.Observed = "a deadlock " + place + ": the only thread waits for another one"
		}
		f.Known = "what its threads wait for: no time limit, timer or other process ends the wait"
	case trace.OutOfTime, trace.OutOfCPU:
		f.Class, f.Detail = TooSlow, place
		if run.Death.Stopped {
			f.Observed, f.Known = run.End.String()+" "+place+": a signal had stopped the process", "the operating system"
		}
	case trace.OutOfMemory:
		f.Class, f.Detail = TooMuchMemory, place
	case trace.OddOutput:
		f.Class, f.Detail, f.Observed, f.Expected = WrongStatus, run.Death.Fault, run.Death.Output, "an answer in its dialect"
		f.Known = "the rules for the output of solvers"
		if run.Death.Fault == tooManyValues {
			f.Class = ModelTooBig
		}
	case trace.Trespassed:
		what, _, _ := strings.Cut(run.Death.Output, " ")
		f.Class, f.Detail, f.Observed = Trespass, what+" "+place, run.Death.Output+" "+place
		f.Expected, f.Known = "a target that leaves other files and processes alone", "the system calls of the target"
	case trace.OutOfOutput:
		f.Class, f.Detail = TooMuchOutput, place
	}
	if f.Observed == "" {
		f.Observed = run.End.String() + " " + place
		f.Known = "the limits of the run"
	}
	if run.End == trace.Killed || run.End == trace.Exited {
		if words := message.LastWords(&run.Death); words != "" {
			f.Observed += fmt.Sprintf(", after printing %q", words)
		}
	}
	if run.Death.AtExit {
		f.Detail = "at exit: " + f.Detail
	}
	j.report(j.dyingInstance(), f)
}

// tooManyValues is the only fault in a program's output that has a class of its own.
const tooManyValues = "model too big"

// placeOfException names the function of the library that lets an exception out. After a failed allocation, the
// fault is that this function has no handler, wherever in it the allocation is.
func (j *Judge) placeOfException(place string) string {
	op := apimodel.OpInit
	if !j.run.Death.InInit {
		if j.run.Death.AtExit || j.run.Call < 0 || j.run.Call >= len(j.t.Calls) {
			return place
		}
		op = j.t.Calls[j.run.Call].Op
	}
	if call := j.t.Model.Call(op); call != nil {
		return "in " + cmp.Or(call.Member, call.Name)
	}
	return place
}

var exceptionAfterFailure = regexp.MustCompile(`^` + allocationMark + `\S+ ` + message.Uncaught + ` \S.* (in .+)$`)

// CrashedAt returns where a run that shows the failure crashed, as message.Location does. If an allocation had
// failed, it returns the function that lets an exception out: a handler there mends all such places. It returns
// "" if the run did not crash, or the place is unknown.
func (f *Finding) CrashedAt(end trace.End, death *trace.Death) string {
	if f.Check != "end" || end == trace.Finished {
		return ""
	}
	if f.Class == FailedAllocation {
		if groups := exceptionAfterFailure.FindStringSubmatch(f.Detail); groups != nil {
			return groups[1]
		}
	}
	return message.Location(death)
}

// placeOfDeath says where the run ended: in which call, after the last one, or in another process.
func (j *Judge) placeOfDeath() string {
	switch death := &j.run.Death; {
	case death.AtExit:
		return "in a destructor, when the process ended"
	case death.InParent: // the call that the trace had reached by then is chance
		return "in the process that forks for each trace"
	}
	return j.placeOf(j.run.Call)
}

func (j *Judge) placeOf(call int) string { return placeOf(j.t, call) }

func placeOf(t *trace.Trace, call int) string {
	if call < 0 || call >= len(t.Calls) {
		return "in the final release"
	}
	if call := t.Model.Call(t.Calls[call].Op); call != nil {
		return "in " + call.Name
	}
	return "in an unknown call"
}

// dyingInstance returns the instance of the call in which the run ended. In the final release, nobody knows the
// instance, so dyingInstance returns the one with the largest weights: the weight class of the finding must not
// depend on the order of the instances.
func (j *Judge) dyingInstance() *instance {
	if call := j.run.Call; call >= 0 && call < len(j.t.Calls) {
		return j.instance(j.t.Calls[call].Instance)
	}
	var heaviest *instance
	for _, in := range j.instances[:j.used] {
		if heaviest == nil || in.SumHi > heaviest.SumHi || in.SumHi == heaviest.SumHi && in.SumLo > heaviest.SumLo {
			heaviest = in
		}
	}
	return heaviest
}

// classOfSignal returns the class that the published classification gives a signal. SIGILL comes from a trap
// that a compiler puts where code must never arrive, or from a jump into data. Both count as segmentation faults.
func classOfSignal(signal int) Class {
	switch syscall.Signal(signal) {
	case syscall.SIGABRT:
		return Abort
	case syscall.SIGBUS:
		return BusError
	case syscall.SIGFPE:
		return ArithmeticError
	case syscall.SIGSEGV, syscall.SIGILL:
		return Segfault
	}
	return OtherSignal
}

// afterFailedAllocation changes the findings from the call in which an allocation failed, or all if that was in
// an earlier trace of the process. The library may report the failure: solve may give up or answer an error, and
// the library may print a message. So afterFailedAllocation drops findings about these, and about termination.
// All others get class 5.8. Only exceeded time and memory limits keep their classes, because they need more runs
// to confirm.
func (j *Judge) afterFailedAllocation(from int) {
	j.findings = slices.DeleteFunc(j.findings, func(f Finding) bool {
		return f.Call >= from && (f.Class == GaveUp || f.Class == ErrorMessage || f.Class == WrongTermination)
	})
	for i := range j.findings {
		f := &j.findings[i]
		if f.Call < from || f.Class == TooSlow || f.Class == TooMuchMemory {
			continue
		}
		f.FollowsFailedAllocation(j.t, from)
	}
	// The new classes may change the order.
	slices.SortStableFunc(j.findings, WorstFirst)
}

// What a finding says about a failed allocation: a note behind what was observed, and what it permits.
const (
	allocationNote   = " (an allocation had failed "
	allocationAllows = "an error, or a solver that can be used: "
)

// FollowsFailedAllocation makes f a finding about an allocation that failed in a call of the trace or, if call is
// -1, in an earlier trace of the process.
func (f *Finding) FollowsFailedAllocation(t *trace.Trace, call int) {
	place := "in an earlier trace of the process"
	if call >= 0 {
		place = placeOf(t, call)
	}
	if call > 0 && startsThreads(t, call-1) {
		place = "while instances ran at the same time"
	}
	f.Class, f.Detail = FailedAllocation, allocationMark+string(f.Class)+" "+f.Detail
	f.Observed += allocationNote + place + ")"
	f.Expected = allocationAllows + f.Expected
}

// startsThreads reports whether the calls behind this one are made at the same time.
func startsThreads(t *trace.Trace, call int) bool {
	c := &t.Calls[call]
	if c.Op != apimodel.OpOption {
		return false
	}
	name, value := t.Option(c)
	return name == apimodel.Threads && value == "1"
}

// WithoutAllocation returns the finding as it would be if it did not follow a failed allocation.
func (f *Finding) WithoutAllocation() Finding {
	plain := *f
	failure, found := strings.CutPrefix(f.Detail, allocationMark)
	class, detail, named := strings.Cut(failure, " ")
	if f.Class != FailedAllocation || !found || !named {
		return plain
	}
	plain.Class, plain.Detail = Class(class), detail
	if at := strings.LastIndex(f.Observed, allocationNote); at >= 0 {
		plain.Observed = f.Observed[:at]
	}
	plain.Expected = strings.TrimPrefix(f.Expected, allocationAllows)
	return plain
}

// IsAlike reports whether two failures are of one class, both crashes, or both wrong answers: a broken library
// crashes in many places, and answers many questions wrongly.
func (f *Finding) IsAlike(other Finding) bool {
	crash := func(c Class) bool { return c[0] == '1' }
	wrong := func(c Class) bool { return c[0] == '2' || c >= WrongState && c <= AnswersDiffer }
	return f.Class == other.Class || crash(f.Class) && crash(other.Class) || wrong(f.Class) && wrong(other.Class)
}

// messageCheck looks for error messages of a library that continued to answer. It runs last and reports a message
// only if there is no other finding, because the message may be about that one. A sanitizer's report beside wrong
// answers is another failure: a race, say, which these may hide in every trace.
type messageCheck struct{}

const messageCheckName = "message"

func (messageCheck) run(j *Judge) {
	out := &j.run.Output
	if out.Text == "" || !j.rules.messagesAreFaults || len(j.findings) > 0 && j.run.End != trace.Finished {
		return
	}
	line, detail := message.Error(out.Text)
	if line == "" || (len(j.findings) > 0 || refusedSomething(j)) && !message.IsSanitizers(line) {
		return
	}
	j.decide()
	observed := fmt.Sprintf("went on after printing %q", line)
	if accesses := message.Race(out.Text); accesses != "" {
		observed += ": " + accesses
	}
	j.reportOf(j.dyingInstance(), -1, Finding{Class: ErrorMessage, Call: len(j.t.Calls), Detail: detail,
		Observed: observed, Expected: "no error message beside right answers",
		Known: "the output of the process", Suspects: out.Of, Suspect: out.At})
}

// refusedSomething reports whether the run has a refused option or a solve without a complete answer. A message
// may explain either.
func refusedSomething(j *Judge) bool {
	for i := range j.t.Calls {
		a := j.run.Answers.At(i)
		switch op := j.t.Calls[i].Op; {
		case a.Kind != trace.Answered:
		case op == apimodel.OpOption && a.Num != 0:
			return true
		case op == apimodel.OpSolve && int32(a.Num) != apimodel.Satisfiable && int32(a.Num) != apimodel.Unsatisfiable &&
			int32(a.Num) != apimodel.Optimum:
			return true
		}
	}
	return false
}

// WithoutMessages returns the findings without error messages, unless there are no others. Reports of sanitizers stay.
func WithoutMessages(findings []Finding) []Finding {
	kept := findings[:0:0]
	for _, f := range findings {
		if f.Check != messageCheckName || message.IsSanitizers(f.Observed) {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return findings
	}
	return kept
}
