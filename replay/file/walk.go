package file

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A solver is an instance and the result of its last solve.
type solver struct {
	replay.Instance
	answer *result
}

// run runs one trace. Each solve is a run of the program. Its result answers the queries that
// follow.
func (q *queue) run(t *trace.Trace, run *trace.Run) error {
	begun := time.Now()
	*run = trace.Run{Answers: run.Answers}
	answers := &run.Answers
	answers.Reset()
	for range t.Calls {
		answers.Of = append(answers.Of, trace.Answer{})
	}
	formulas := make(map[int]*format.Formula)
	for _, formula := range format.Solves(t) {
		formulas[formula.Call] = formula
	}
	solvers := make(map[uint16]*solver)
	for i := range t.Calls {
		c := &t.Calls[i]
		s := solvers[c.Instance]
		if s == nil {
			s = &solver{Instance: replay.NewInstance()}
			if c.Op != apimodel.OpInit && c.Op != apimodel.OpSignature {
				s.State = apimodel.Start
			}
			if c.Op != apimodel.OpSignature {
				solvers[c.Instance] = s
			}
		}
		row := t.Model.Call(c.Op)
		if row == nil {
			return fmt.Errorf("model %s has no call %v", t.Model.Name, c.Op)
		}
		s.Name(t, c)
		answer := &answers.Of[i]
		switch {
		case !row.Legal.Has(s.State):
			answer.Kind = trace.Withheld
			continue
		case row.Optional != "" && !posesFormula(t.Model, row):
			answer.Kind = trace.Unsupported
			continue
		}
		answer.Kind = trace.Answered
		if c.Op != apimodel.OpSolve {
			q.answer(t, c, s, answer, answers)
			s.Made(t.Model, c)
			continue
		}
		solve := time.Now()
		solved, err := q.solve(formulas[i], t, run)
		switch {
		case err != nil:
			return err
		case run.End != trace.Finished:
			*answer = trace.Answer{}
			run.Call = i
			run.Usage.WallNanos = uint64(time.Since(begun))
			return nil
		case solved == nil:
			answer.Kind, s.State = trace.Unsupported, apimodel.Input
			continue
		}
		s.answer = solved
		answer.Num = uint64(q.statusOf(solved, formulas[i]))
		answers.SetEffort(answer, trace.Effort{Nanos: uint64(time.Since(solve))})
		s.Solved(t.Model, answer.Int())
	}
	run.Usage.WallNanos = uint64(time.Since(begun))
	return nil
}

// posesFormula reports whether an optional call only changes the formula of the next solve, so
// that any program supports it: frames and groups of clauses, and imported clauses.
func posesFormula(m *apimodel.Model, row *apimodel.Call) bool {
	return row.Op == apimodel.OpImport || m.Quantified() && row.Optional != "" && row.Does == apimodel.Poses
}

// solve runs the program on a formula. It returns nil if the program cannot read the
// formula.
func (q *queue) solve(formula *format.Formula, t *trace.Trace, run *trace.Run) (*result, error) {
	if q.driver.misreads(formula) != "" {
		return nil, nil
	}
	answer, err := q.solveFile(formula, t, run)
	if _, ok := errors.AsType[*format.CannotSayError](err); ok {
		return nil, nil
	}
	return answer, err
}

// statusOf returns the status that an API would answer. A solution counts as optimal if there is
// nothing to optimise.
func (q *queue) statusOf(s *result, formula *format.Formula) int32 {
	priced := q.target.Model.Optimizes()
	switch {
	case !priced && s.status == apimodel.Optimum:
		return apimodel.Satisfiable
	case priced && s.status == apimodel.Satisfiable && (!formula.HasSoft() || q.driver.complete):
		return apimodel.Optimum
	}
	return s.status
}

// answer answers a call that is not a solve.
func (q *queue) answer(t *trace.Trace, c *trace.Call, s *solver, answer *trace.Answer,
	answers *trace.Answers) {
	switch c.Op.Reply() {
	case apimodel.ReplyText:
		answer.Pos = uint32(len(answers.Text))
		answers.Text = append(answers.Text, q.Signature()...)
		answer.Len = uint32(len(answers.Text)) - answer.Pos
	case apimodel.ReplyWeight:
		if s.answer.objective == nil {
			answer.Kind = q.driver.untold()
			return
		}
		answer.Num = s.answer.objective.Uint64()
	case apimodel.ReplyLit:
		if !s.answer.tellsValues() {
			answer.Kind = q.driver.untold()
			return
		}
		lit := t.Lit(c)
		value, known := s.answer.told(trace.Var(lit))
		switch {
		case !known:
		case value == (lit > 0):
			answer.Num = uint64(int64(lit))
		default:
			answer.Num = uint64(int64(-lit))
		}
	case apimodel.ReplyModel:
		if !s.answer.tellsValues() {
			answer.Kind = q.driver.untold()
			return
		}
		answer.Pos = uint32(len(answers.Lits))
		for _, v := range s.Vars {
			if value, known := s.answer.told(v); known && value {
				answers.Lits = append(answers.Lits, v)
			} else if known {
				answers.Lits = append(answers.Lits, -v)
			}
		}
		answer.Len = uint32(len(answers.Lits)) - answer.Pos
	case apimodel.ReplyFlag, apimodel.ReplyCore: // the output does not say which assumptions failed
		answer.Kind = trace.Unsupported
	}
}

// untold is the answer to a query about values or the objective that the output leaves out. Only a dialect in which
// programs can tell them makes that an omission.
func (f *driver) untold() trace.AnswerKind {
	if f.dialect.statusOnly || f.format.Quantified() {
		return trace.Unsupported
	}
	return trace.NotAnswered
}

// value returns the value of a variable in the last solution.
func (s *result) value(v int32) (value, known bool) {
	value, known = s.values[v]
	return value, known || s.restIsFalse && v <= s.formula.MaxVar
}

// settle adds to the objective the cost that the file left out, and reports a value that is not
// a cost. It drops the objective if there is no solution: then the program has printed a bound.
func (s *result) settle(offset uint64) {
	if s.hasStatus && (s.status == apimodel.Unsatisfiable || s.status == apimodel.Interrupted) {
		s.objective = nil
	}
	if s.objective == nil {
		return
	}
	s.objective.Add(s.objective, new(big.Int).SetUint64(offset))
	if s.fault == "" && !s.objective.IsUint64() {
		s.fault, s.where = faultObjective, "the cost is "+s.objective.String()+", want one from 0 to 2^64-1"
	}
}
