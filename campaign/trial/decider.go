package trial

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// deciderTime is how long one formula may take; after it the answer counts as
// not known. The formulas of the papers are decided in far less.
const deciderTime = 500 * time.Millisecond

// A Decider asks the built-in library whether formulas are satisfiable.
type Decider struct {
	ctx    context.Context
	runner replay.Runner
	t      trace.Trace
	run    trace.Run
	Err    error // a failure of the surroundings; nothing is decided after it
}

// OpenDecider starts the built-in library; the decider must be closed.
func OpenDecider(ctx context.Context) (*Decider, error) {
	target, err := targets.Resolve("ref", apimodel.IPASIR.Name, nil)
	if err != nil {
		return nil, err
	}
	limits := replay.DefaultLimits
	limits.CPU = deciderTime
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return nil, err
	}
	return &Decider{ctx: ctx, runner: runner}, nil
}

// Close ends its process.
func (d *Decider) Close() { d.runner.Close() }

// Decide solves the hard clauses, then all of them.
func (d *Decider) Decide(f *family.Formula) (hard, all, known bool) {
	if d.Err != nil {
		return false, false, false
	}
	d.t.Reset(apimodel.IPASIR)
	for _, soft := range []bool{false, true} {
		for i := range f.Clauses() {
			if lits, weight := f.Clause(i); (weight > 0) == soft {
				d.t.Clause(0, true, lits...)
			}
		}
		d.t.Plain(0, apimodel.OpSolve)
	}
	if d.Err = d.runner.Run(d.ctx, &d.t, &d.run); d.Err != nil || d.run.End != trace.Finished {
		return false, false, false
	}
	var status [2]int
	n := 0
	for i := range d.t.Calls {
		if d.t.Calls[i].Op == apimodel.OpSolve {
			status[n] = int(d.run.Answers.At(i).Int())
			n++
		}
	}
	final := func(s int) bool { return s == apimodel.Satisfiable || s == apimodel.Unsatisfiable }
	return status[0] == apimodel.Satisfiable, status[1] == apimodel.Satisfiable, final(status[0]) && final(status[1])
}
