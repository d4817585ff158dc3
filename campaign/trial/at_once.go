package trial

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// threadRuns is how often a trace runs whose instances run at the same time, unless it fails earlier:
// threads seldom meet twice in the same way.
const threadRuns = 30

// orderedRuns is how many runs in order must pass for each run that a failure of threads took: a failure of the
// same rate in order would show in 98 of 100 cases.
const orderedRuns = 4

// atOnceTime bounds the runs that look for a failure of threads again.
const atOnceTime = 2 * time.Second

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
func inOrder(t *trace.Trace) *trace.Trace { return without(t, startsThreads) }

// without returns the trace without some calls.
func without(t *trace.Trace, some func(*trace.Trace, *trace.Call) bool) *trace.Trace {
	rest := &trace.Trace{Model: t.Model, Planted: t.Planted}
	for i := range t.Calls {
		if c := &t.Calls[i]; !some(t, c) {
			rest.Append(t, c)
		}
	}
	return rest
}

// blamesThreads reports whether threads may cause a failure. Failures that exceed time or memory, or that
// only a vote supports, do not count, nor do failed allocations, since the order of calls chooses which one fails.
func blamesThreads(f *oracle.Finding) bool {
	return !f.Voted && f.Class != oracle.InstancesMix && f.Class != oracle.FailedAllocation &&
		f.Class != oracle.TooSlow && f.Class != oracle.TooMuchMemory
}

// Recurs runs a trace whose instances run at the same time again and again, with limits near the run that failed.
// It returns the first failure that threads cause, of whatever key: what they do to each other shows in another
// way each time. A failure that occurs in order, too, needs the key. The class says what is to blame.
func (s *Session) Recurs(ctx context.Context, t *trace.Trace, key oracle.Key, run *trace.Run) (*oracle.Finding, error) {
	defer s.SetLimits(s.limits)
	s.SetLimits(limit.Near(s.limits, run))
	for n, begun := 1, time.Now(); time.Since(begun) < atOnceTime; n++ {
		findings, err := s.runs(ctx, t, run, 1)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(findings, func(f oracle.Finding) bool { return blamesThreads(&f) })
		if at < 0 {
			continue
		}
		f, ordered := findings[at], inOrder(t)
		var after trace.Run
		if findings, err = s.runs(ctx, ordered, &after, orderedRuns*max(n, threadRuns)); err != nil {
			return nil, err
		}
		if len(findings) == 0 {
			f = atOnce(f)
			return &f, nil
		}
		if f.Key(s.Target.Name) != key {
			return nil, nil
		}
		return s.BlameInstances(ctx, ordered, f)
	}
	return nil, nil
}

func atOnce(f oracle.Finding) oracle.Finding {
	f.Detail = "only when instances run at the same time: " + string(f.Class) + " " + f.Detail
	f.Class = oracle.InstancesMix
	f.Known += "; one after the other, the same calls are answered correctly"
	return f
}
