package trial

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// threadRuns is how often a trace runs whose instances run at the same time, unless it fails earlier:
// threads seldom meet twice in the same way.
const threadRuns = 30

// startsThreads reports whether a call sets the option that lets instances run at the same time.
func startsThreads(t *trace.Trace, c *trace.Call) bool {
	if c.Op != apimodel.OpOption {
		return false
	}
	name, value := t.Option(c)
	return name == apimodel.Threads && value == "1"
}

// RunsAtOnce reports whether instances of the trace run at the same time.
func RunsAtOnce(t *trace.Trace) bool {
	for i := range t.Calls {
		if startsThreads(t, &t.Calls[i]) {
			return true
		}
	}
	return false
}

// inOrder returns the trace with the same calls, made one after the other.
func inOrder(t *trace.Trace) *trace.Trace {
	ordered := &trace.Trace{Model: t.Model, Planted: t.Planted}
	for i := range t.Calls {
		if c := &t.Calls[i]; !startsThreads(t, c) {
			ordered.Append(t, c)
		}
	}
	return ordered
}

// blamesThreads reports whether threads may cause a failure. Failures that exceed time or memory, or that
// only a vote supports, do not count, nor do failed allocations, since the order of calls chooses which one fails.
func blamesThreads(f *oracle.Finding) bool {
	return !f.Voted && f.Class != oracle.InstancesMix && f.Class != oracle.FailedAllocation &&
		f.Class != oracle.TooSlow && f.Class != oracle.TooMuchMemory
}

func atOnce(f oracle.Finding) oracle.Finding {
	f.Detail = "only when instances run at the same time: " + string(f.Class) + " " + f.Detail
	f.Class = oracle.InstancesMix
	f.Known += "; one after the other, the same calls are answered correctly"
	return f
}
