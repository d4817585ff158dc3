package shrink

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// fixings are the surroundings in which fix tries to make a failure repeatable, in order. The first ones
// fix least.
var fixings = []replay.Fixed{
	replay.FixedAddresses,
	replay.FixedAddresses | replay.FixedMemory,
	replay.FixedAddresses | replay.FixedMemory | replay.FixedProcessor,
}

// fixedRuns is the number of separate processes in all of which a trace must fail to count as repeatable. A
// failure that shows in half of all runs passes this test in one of 256 cases.
const fixedRuns = 8

// A Repeatable failure shows in all of fixedRuns processes with the same surroundings.
type Repeatable struct {
	Fixed   replay.Fixed // all of these surroundings; 0: there are none in which it always shows
	Finding oracle.Finding
	Run     trace.Run
	Rate    trial.Rate
}

// MakeRepeatable looks for surroundings in which a trace that fails by chance always fails.
func MakeRepeatable(ctx context.Context, target *replay.Target, description *apimodel.Description, limits replay.Limits,
	wanted trial.Wanted, t *trace.Trace) (Repeatable, error) {
	for _, fixed := range fixings {
		if limits.Fixed|fixed == limits.Fixed {
			continue
		}
		limits.Fixed |= fixed
		r := Repeatable{Fixed: limits.Fixed}
		for r.Rate.Always() && r.Rate.Runs < fixedRuns {
			session := trial.NewExamination(target, description, limits, false)
			var run trace.Run
			same, _, err := session.Shows(ctx, t, wanted, &run)
			session.Close()
			if err != nil {
				return Repeatable{}, err
			}
			r.Rate.Runs++
			if same != nil {
				r.Rate.Failed++
				r.Finding, r.Run = *same, run
			}
		}
		if r.Rate.Always() {
			return r, nil
		}
	}
	return Repeatable{}, nil
}

// fix looks for surroundings in which the trace always fails, and returns the rate in them. If it finds them, all runs
// from then on use them. A failure that consists in meeting a limit has none.
func (p *pool) fix(ctx context.Context, t *trace.Trace, rate trial.Rate, result *Reduction) (trial.Rate, error) {
	if rate.Always() || limited(result.Finding.Class) {
		return rate, nil
	}
	r, err := MakeRepeatable(ctx, p.target, p.description, p.full, p.wanted, t)
	if err != nil || r.Fixed == 0 {
		return rate, err
	}
	p.mu.Lock()
	p.full.Fixed, p.limits.Fixed = r.Fixed, r.Fixed
	p.mu.Unlock()
	result.Fixed, result.Finding, result.Key, result.Run = r.Fixed, r.Finding, p.keyOf(&r.Finding), r.Run
	return r.Rate, nil
}
