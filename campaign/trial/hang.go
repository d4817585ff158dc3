package trial

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// hangFactor is how many times the limit a hang must run without an answer, and
// hangLongest bounds that time.
const (
	hangFactor  = 10
	hangLongest = 10 * time.Minute
)

// A Hang is a suspected hang: traces of a target that met their time limit.
//
// It is a hang if the trace has no answer within ten times the limit either, and
// the built-in library solves it in less than a thousandth of the limit
// (ReferenceTime). Otherwise the problem may be hard, and slowness is not a fault.
type Hang struct {
	Target   *replay.Target
	Key      oracle.Key
	Limits   replay.Limits // that were met
	NewJudge func() *Judge
	// Spend reserves time for a long run, or returns why there is not so much left.
	Spend func(time.Duration) (why string)
}

// A HangVerdict is what the confirmation of a hang came to.
type HangVerdict struct {
	Why     string // it is not confirmed; "" if it is
	Quick   bool   // alone, the trace finished in next to no time
	Finding oracle.Finding
	Run     trace.Run
}

// Limit returns the time limit that was met.
func (h *Hang) Limit() time.Duration { return LeastLimit(h.Limits) }

func (h *Hang) longest() time.Duration { return min(h.Limit()*hangFactor, hangLongest) }

// Shows runs the trace under limits and returns the finding that is the hang, or nil.
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

// Easy returns how long the built-in library takes, or why the trace may be hard.
func (h *Hang) Easy(ctx context.Context, t *trace.Trace) (took time.Duration, why string, err error) {
	return ReferenceTime(ctx, t, h.Limit())
}

// Confirm runs the trace with ten times the limit; seen is the finding that
// raised the suspicion.
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
		if same == nil { // it ran out of memory instead, say
			same, ended = &seen, fmt.Sprintf(", but an end (%s)", v.Run.End)
		}
	}
	if same == nil {
		took := time.Since(begun)
		if v.Run.End == trace.Finished { // without the time its process took to start
			took = time.Duration(v.Run.Usage.WallNanos)
			v.Quick = took < h.Limit()/hangFactor
		}
		v.Why = fmt.Sprintf("it met the limit of %v, and ended within ten times of it, after %v",
			h.Limit(), took.Round(time.Millisecond))
		return v, nil
	}
	v.Finding = *same
	v.Finding.Observed = fmt.Sprintf("no answer %s within %v, and none within %v%s",
		seen.Detail, h.Limit(), h.longest(), ended)
	v.Finding.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace, "+
		"less than a thousandth of %v", easy, h.Limit())
	return v, nil
}

// atMost bounds a limit, where 0 means none.
func atMost(limit, most time.Duration) time.Duration {
	if limit == 0 {
		return most
	}
	return min(limit, most)
}
