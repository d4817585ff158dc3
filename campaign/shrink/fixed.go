package shrink

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
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

// fix looks for surroundings in which a trace that fails by chance always fails. If it finds them, all runs
// of the reduction use them.
func (p *pool) fix(ctx context.Context, t *trace.Trace, result *Reduction) error {
	limits := p.full
	for _, fixed := range fixings {
		if limits.Fixed|fixed == limits.Fixed {
			continue
		}
		limits.Fixed |= fixed
		rate, before := trial.Rate{}, *result
		for rate.Failed == rate.Runs && rate.Runs < fixedRuns {
			session := trial.NewExamination(p.target, p.description, limits, false)
			var run trace.Run
			same, _, err := session.Shows(ctx, t, p.wanted, &run)
			session.Close()
			if err != nil {
				return err
			}
			rate.Runs++
			if same != nil {
				rate.Failed++
				result.Finding, result.Key, result.Run = *same, p.keyOf(same), run
			}
		}
		if rate.Always() {
			p.full, p.limits, result.Before, result.Fixed = limits, limits, rate, limits.Fixed
			return nil
		}
		*result = before
	}
	return nil
}
