package shrink

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The limits of candidates follow from the first run (limit.Within).
//
// If the failure consists in meeting a limit, every candidate that fails takes as long as the limit. So
// candidates get a lower limit: a multiple of the time that the trace took up to the call that hangs. The
// result of a round must meet the full limit, since a candidate may be merely slow. If it does not, the
// lower limit rises. A limit of memory then rises above the full one: the search looks for the smallest
// numbers that still fail, and traces that barely meet a limit fail only sometimes.
//
// A failure that first takes much memory takes long, too. There, a candidate whose memory grows fast counts
// as failing, and the result of a round must show the failure itself.
const (
	raise       = 8
	leastGrowth = 128 << 20
	memoryShare = 8
)

// limited reports whether failures of the class consist in meeting a limit.
func limited(c oracle.Class) bool {
	return c == oracle.TooSlow || c == oracle.TooMuchMemory || c == oracle.TooMuchOutput
}

// adjust derives the limits of candidates from a run that showed the failure.
func (p *pool) adjust(run *trace.Run, class oracle.Class) {
	full := p.full
	limits := full
	switch {
	case class == oracle.TooMuchMemory && p.limits.Memory > full.Memory: // a lower limit did not work
		return
	case limited(class):
		limits = limit.ToMeet(full, class, run, p.least)
	default:
		limits = limit.Within(full, time.Duration(run.Usage.WallNanos), p.least, limit.LeastWall)
		if p.heavy = !p.misled && run.Usage.PeakKB<<10 > 2*leastGrowth; p.heavy {
			limits.Growth = leastGrowth
		}
	}
	p.hurried = limited(class) && limits != full || p.heavy
	p.mu.Lock()
	p.limits = limits
	p.mu.Unlock()
}

// certify runs the result of a round with the full limits. If the result meets them, the limits of
// candidates fall to fit the smaller trace. If it does not, it was merely slow, and the limits of
// candidates rise.
func (p *pool) certify(ctx context.Context, t *trace.Trace) (bool, error) {
	session := trial.NewExamination(p.target, p.description, p.full, false)
	defer session.Close()
	var run trace.Run
	same, _, err := session.Shows(ctx, t, p.wanted, &run)
	if err != nil {
		return false, err
	}
	if same != nil {
		p.certified = certified{*same, run}
		p.adjust(&run, same.Class)
		return true, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	full := p.full
	p.limits.CPU = limit.Lower(full.CPU, p.limits.CPU*raise)
	p.limits.Wall = limit.Lower(full.Wall, p.limits.Wall*raise)
	if p.wanted.Key.Class == oracle.TooMuchMemory {
		p.limits.Memory = full.Memory + full.Memory/memoryShare
	}
	if p.heavy {
		p.limits.Growth, p.heavy, p.misled = full.Growth, false, true
	}
	return false, nil
}

// asHeavy returns the finding that a candidate of a heavy failure met the limit of memory, or nil.
func (p *pool) asHeavy(findings []oracle.Finding) *oracle.Finding {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(findings, func(f oracle.Finding) bool {
		return f.IsMemoryLimit() && (p.wanted.Weight == 0 || f.Weight == p.wanted.Weight)
	})
	if at < 0 || !p.heavy {
		return nil
	}
	return &findings[at]
}

// certified holds the last run that met the full limits, and its finding.
type certified struct {
	finding oracle.Finding
	run     trace.Run
}
