package oracle

import (
	"fmt"
	"path"
	"strings"
	"syscall"

	"github.com/ipafuzz/ipafuzz/trace"
)

// endCheck looks at how the run ended: a crash, an exit, a limit.
type endCheck struct{}

func (endCheck) name() string { return "end" }

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
		f.Observed = fmt.Sprintf("signal %d (%s) %s", run.Death.Signal, signalName(run.Death.Signal), place)
		if run.Death.OtherThread {
			f.Observed += ", in another thread of the library while the call was running"
		}
		f.Detail = deathDetail(&run.Death, signalName(run.Death.Signal), place)
	case trace.Exited:
		f.Class = OtherExit
		f.Observed = fmt.Sprintf("exit code %d %s", run.Death.ExitCode, place)
		f.Detail = deathDetail(&run.Death, fmt.Sprintf("exit %d", run.Death.ExitCode), place)
		if isLeakReport(run.Death.Stderr) {
			f.Class = Leak
		}
	case trace.OutOfTime, trace.OutOfCPU:
		f.Class, f.Detail = TooSlow, place
	case trace.OutOfMemory:
		f.Class, f.Detail = TooMuchMemory, place
	case trace.OddOutput:
		f.Class, f.Detail, f.Observed, f.Expected = WrongStatus, run.Death.Fault, run.Death.Output, "an answer as its dialect has it"
		f.Known = "the rules for the output of solvers"
		if run.Death.Fault == tooManyValues {
			f.Class = ModelTooBig
		}
	case trace.OutOfOutput:
		f.Class, f.Detail = TooMuchOutput, place
	}
	if f.Observed == "" {
		f.Observed = run.End.String() + " " + place
		f.Known = "the limits of the run"
	}
	j.report(j.dyingInstance(), f)
}

// tooManyValues is the fault of output that has a class of its own.
const tooManyValues = "model too big"

// placeOfDeath names the call in progress.
func (j *Judge) placeOfDeath() string {
	if j.run.Call < 0 || j.run.Call >= len(j.t.Calls) {
		return "in the final release"
	}
	if call := j.t.Model.Call(j.t.Calls[j.run.Call].Op); call != nil {
		return "in " + call.Name
	}
	return "in an unknown call"
}

// dyingInstance is the instance of the call in progress. In the final release
// it is not known which one it was: the one with the largest weights stands for
// them all, so that the key does not depend on their order.
func (j *Judge) dyingInstance() *instance {
	if call := j.run.Call; call >= 0 && call < len(j.t.Calls) {
		return j.instance(j.t.Calls[call].Instance)
	}
	var heaviest *instance
	for _, in := range j.instances[:j.used] {
		if heaviest == nil || in.sumHi > heaviest.sumHi || in.sumHi == heaviest.sumHi && in.sumLo > heaviest.sumLo {
			heaviest = in
		}
	}
	return heaviest
}

// classOfSignal follows the numbers of the published classification. SIGILL is
// what compilers put where the code must never come, and what a jump into data
// meets: both go with the segmentation faults.
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

func signalName(signal int) string {
	switch syscall.Signal(signal) {
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGBUS:
		return "SIGBUS"
	case syscall.SIGFPE:
		return "SIGFPE"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGILL:
		return "SIGILL"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGTRAP:
		return "SIGTRAP"
	}
	return fmt.Sprintf("signal %d", signal)
}

// deathDetail is the stable text of a death: what the process said about it
// (an assertion, a sanitizer's report, an exception), else the top frames, else
// only where it happened.
func deathDetail(death *trace.Death, how, place string) string {
	if said := reportIn(death.Stderr); said != "" {
		return said
	}
	if frames := topFrames(death.Frames); frames != "" {
		return how + " " + frames
	}
	return how + " " + place
}

const keyFrames = 3

// topFrames joins the first frames that say something: not those of the C
// library, in which an abort ends, and not ipafuzz's own. A recursion counts
// once, so that its depth is not part of the key.
func topFrames(frames []trace.Frame) string {
	var parts []string
	for _, frame := range frames {
		module := path.Base(frame.Module)
		if frame.Module == "" || isSystem(module) || isOwn(module, frame.Function) {
			continue
		}
		place := sourceName(frame.Function)
		if place == "" {
			place = fmt.Sprintf("%s+%#x", module, frame.Offset)
		}
		if len(parts) > 0 && parts[len(parts)-1] == place {
			continue
		}
		if parts = append(parts, place); len(parts) == keyFrames {
			break
		}
	}
	return strings.Join(parts, " ")
}

// sourceName takes off what a compiler appends to a function that it has cut up
// or specialised: it changes from build to build.
func sourceName(function string) string {
	if strings.HasPrefix(function, "_Z") {
		return function // a mangled name may hold dots of its own
	}
	name, _, _ := strings.Cut(function, ".")
	return name
}

var systemModules = []string{"libc.so", "libc-", "libpthread", "ld-linux", "ld-2", "libstdc++", "libc++", "libgcc_s", "libm.so", "libm-",
	"libasan", "libubsan", "libtsan", "liblsan", "libclang_rt", "linux-vdso", "[vdso]"}

func isSystem(module string) bool {
	for _, prefix := range systemModules {
		if strings.HasPrefix(module, prefix) {
			return true
		}
	}
	return false
}

// isOwn knows the code of the executor and the worker, which stands between a
// target's functions and the beginning of the stack. A target that is linked
// into the worker shares its module, so there the names tell them apart.
func isOwn(module, function string) bool {
	if strings.HasPrefix(function, "ipafuzz_") {
		return true
	}
	if !strings.HasPrefix(module, "ipafuzz") && !strings.HasSuffix(module, ".test") {
		return false
	}
	switch sourceName(function) {
	case "", "make", "walk", "answer_solve", "answer_model", "answer_core", "start_solver", "run_job", "run_forked", "run_batch", "enter", "_start":
		return true
	}
	return false
}
