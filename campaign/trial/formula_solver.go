package trial

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// formulaTime bounds the CPU time for one formula. If it runs out, the answer is unknown. The formulas of
// published families take far less.
const formulaTime = 500 * time.Millisecond

// A FormulaSolver asks the built-in library whether formulas are satisfiable.
type FormulaSolver struct {
	ctx    context.Context
	runner replay.Runner
	t      trace.Trace
	run    trace.Run
	Err    error // why the library could not run; then, all answers are unknown
}

// OpenFormulaSolver starts the built-in library for formulas of a model: IPASIR, or QBF for
// quantified ones. The caller must close the solver.
func OpenFormulaSolver(ctx context.Context, model *apimodel.Model) (*FormulaSolver, error) {
	target, err := targets.Resolve("ref", model.Name, nil)
	if err != nil {
		return nil, err
	}
	limits := replay.DefaultLimits
	limits.CPU = formulaTime
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return nil, err
	}
	return &FormulaSolver{ctx: ctx, runner: runner}, nil
}

// Close ends the library's process.
func (s *FormulaSolver) Close() { s.runner.Close() }

// Decide solves the hard clauses, then all clauses. It reports which of the two are satisfiable and whether
// both answers are known.
func (s *FormulaSolver) Decide(f *family.Formula) (hard, all, known bool) {
	if s.Err != nil {
		return false, false, false
	}
	s.t.Reset(apimodel.IPASIR)
	for _, soft := range []bool{false, true} {
		for i := range f.Clauses() {
			if lits, weight := f.Clause(i); (weight > 0) == soft {
				s.t.Clause(0, true, lits...)
			}
		}
		s.t.Plain(0, apimodel.OpSolve)
	}
	status := s.answers()
	if len(status) < 2 {
		return false, false, false
	}
	return status[0] == apimodel.Satisfiable, status[1] == apimodel.Satisfiable, true
}

// DecideQuantified solves a quantified formula. It reports whether the formula is true and whether that is
// known.
func (s *FormulaSolver) DecideQuantified(f *qbf.Formula) (isTrue, known bool) {
	if s.Err != nil {
		return false, false
	}
	s.t.Reset(apimodel.QBF)
	f.Append(&s.t)
	s.t.Plain(0, apimodel.OpSolve)
	status := s.answers()
	return len(status) == 1 && status[0] == apimodel.Satisfiable, len(status) == 1
}

// answers runs the trace and returns the answers of its solves, up to the first unknown one.
func (s *FormulaSolver) answers() (status []int) {
	if s.Err = s.runner.Run(s.ctx, &s.t, &s.run); s.Err != nil || s.run.End != trace.Finished {
		return nil
	}
	for i := range s.t.Calls {
		if s.t.Calls[i].Op != apimodel.OpSolve {
			continue
		}
		answer := int(s.run.Answers.At(i).Int())
		if answer != apimodel.Satisfiable && answer != apimodel.Unsatisfiable {
			break
		}
		status = append(status, answer)
	}
	return status
}
