package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A hang must run for hangFactor times its limit without an answer, but no longer
// than hangLongest.
const (
	hangFactor  = 10
	hangLongest = 10 * time.Minute
)

// A Hang is a suspected hang of a target: a trace met the time limit.
//
// The hang is confirmed if the trace has no answer within ten times the limit either,
// and the built-in library solves it in less than a thousandth of the limit
// (ReferenceTime). Otherwise the problem may be hard, and slowness is not a fault.
type Hang struct {
	Target   *replay.Target
	Key      oracle.Key
	Limits   replay.Limits // the trace met one of them
	NewJudge func() *Judge
	// Spend reserves time for a long run, or says why that much is not left.
	Spend func(time.Duration) (why string)
}

// A HangVerdict is the result of confirming a hang.
type HangVerdict struct {
	Why     string // why the hang is not confirmed; "" if it is
	Quick   bool   // the trace, run alone, finished within the limit
	Finding oracle.Finding
	Run     trace.Run
}

// Limit returns the time limit that the trace met.
func (h *Hang) Limit() time.Duration { return LeastLimit(h.Limits) }

func (h *Hang) longest() time.Duration { return min(h.Limit()*hangFactor, hangLongest) }

// Shows runs the trace under limits and returns the finding with the hang's key, or nil.
func (h *Hang) Shows(
	ctx context.Context, t *trace.Trace, limits replay.Limits, run *trace.Run,
) (*oracle.Finding, error) {
	session := NewSession(h.Target, limits, h.NewJudge())
	defer session.Close()
	findings, err := session.Run(ctx, t, run)
	if at := WithKey(findings, h.Target.Name, h.Key); at >= 0 {
		same := findings[at]
		return &same, err
	}
	return nil, err
}

// Easy returns the time that the built-in library takes, or why the trace may be hard.
func (h *Hang) Easy(ctx context.Context, t *trace.Trace) (took time.Duration, why string, err error) {
	return ReferenceTime(ctx, t, h.Limit())
}

// Confirm runs the trace with ten times the limit. The finding seen raised the
// suspicion.
func (h *Hang) Confirm(ctx context.Context, t *trace.Trace, seen oracle.Finding) (HangVerdict, error) {
	var v HangVerdict
	easy, why, err := h.Easy(ctx, t)
	if why != "" || err != nil {
		return HangVerdict{Why: why}, err
	}
	limits := h.Limits.Longer(hangFactor)
	limits.CPU, limits.Wall = atMost(limits.CPU, hangLongest), atMost(limits.Wall, hangLongest)
	if why := h.Spend(h.longest()); why != "" {
		return HangVerdict{Why: why}, nil
	}
	begun := time.Now()
	same, err := h.Shows(ctx, t, limits, &v.Run)
	if err != nil {
		return v, err
	}
	ended := ""
	switch v.Run.End {
	case trace.Finished, trace.OutOfCPU, trace.OutOfTime:
	default:
		if same == nil { // for example, it ran out of memory instead
			same, ended = &seen, fmt.Sprintf(": the run ended (%s)", v.Run.End)
		}
	}
	if same == nil {
		took := time.Since(begun)
		if v.Run.End == trace.Finished { // leave out the start of the process
			took = time.Duration(v.Run.Usage.WallNanos)
			v.Quick = took < h.Limit()/hangFactor
		}
		v.Why = fmt.Sprintf("the trace met the limit of %v but ended within ten times that limit, after %v",
			h.Limit(), took.Round(time.Millisecond))
		return v, nil
	}
	v.Finding = *same
	v.Finding.Observed = fmt.Sprintf("no answer %s within %v, nor within %v%s",
		seen.Detail, h.Limit(), h.longest(), ended)
	v.Finding.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace, "+
		"less than a thousandth of %v", easy, h.Limit())
	return v, nil
}

// atMost bounds a limit; 0 stands for no limit.
func atMost(limit, most time.Duration) time.Duration {
	if limit == 0 {
		return most
	}
	return min(limit, most)
}
