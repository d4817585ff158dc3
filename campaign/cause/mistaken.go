package cause

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Mistake runs the trace and tells what is wrong with its answers. After a wrong core, it solves once more under the
// assumptions of the core alone.
func (p *Prober) Mistake(ctx context.Context, t *trace.Trace) (Mistake, error) {
	values := aboutValues(p.finding.Class, p.finding.Detail)
	var run trace.Run
	failures, err := p.session.Run(ctx, t, &run)
	if err != nil {
		return "", err
	}
	if t.Model.Quantified() {
		return p.quantifiedMistake(ctx, t, &run, failures)
	}
	mistake := mistakeOf(p.related(failures), values)
	if mistake == OddValues && p.finding.Class != oracle.ValuesDisagree {
		return p.besideOddValues(ctx, t, values)
	}
	if mistake != WrongCore {
		return mistake, nil
	}
	for _, under := range underCores(t, &run.Answers, failures) {
		if failures, err = p.session.Run(ctx, under, &run); err != nil {
			return "", err
		}
		if other := mistakeOf(failures, values); other == MissedSolution {
			return other, nil
		}
	}
	return mistake, nil
}

// besideOddValues returns the mistake of a trace with odd values. They may be of variables that only queries name,
// while the answer is wrong without them, too. So it asks about the others alone. And if an answer about one value is
// wrong although nothing else is asked, no other answer can contradict it.
func (p *Prober) besideOddValues(ctx context.Context, t *trace.Trace, values bool) (Mistake, error) {
	plain := Unasked(t)
	asked := append([]*trace.Trace{Questioned(plain)}, askedOneValue(plain)...)
	for _, t := range asked {
		var run trace.Run
		failures, err := p.session.Run(ctx, t, &run)
		if err != nil {
			return "", err
		}
		if mistake := mistakeOf(p.related(failures), values); mistake != "" && mistake != OddValues {
			return mistake, nil
		}
	}
	return OddValues, nil
}

// related leaves out failures that say nothing about the one that p looks for. A learned clause follows from the
// clauses alone, so an assumption that is ignored is another mistake.
func (p *Prober) related(failures []oracle.Finding) []oracle.Finding {
	if p.finding.Class != oracle.LearnedNotImplied {
		return failures
	}
	return slices.DeleteFunc(slices.Clone(failures), func(f oracle.Finding) bool {
		return f.Class == oracle.ModelFalsifies && f.Detail == "assumption"
	})
}

// A formula with quantifiers is true or false, so what a wrong answer says about it depends on chance: a formula that
// is not read as given may be true instead of false, or false instead of true. Three experiments look further.
//
//   - If a solve repeats the answer to the solve before, though the formula or the assumptions have changed, that is
//     the mistake, whichever answer it is.
//   - Values of the outermost block that do not win are wrong for one of two reasons: the answer is wrong under these
//     values, too, or the values are not those that the search found. Solves under the values tell which (values.go).
//   - A core is wrong for the same two reasons, and a solve under the core alone tells which.

// quantifiedMistake returns the mistake of a run of a trace with quantifiers.
func (p *Prober) quantifiedMistake(ctx context.Context, t *trace.Trace, run *trace.Run, failures []oracle.Finding) (
	Mistake, error,
) {
	// A value of an inner variable does not contradict an answer, so it is another mistake.
	rest := slices.DeleteFunc(slices.Clone(failures), func(f oracle.Finding) bool {
		return f.Class == oracle.ValuesDisagree
	})
	if p.finding.Class != oracle.ValuesDisagree || len(rest) > 0 {
		failures = rest
	}
	if isWrongStatus(p.finding) && slices.ContainsFunc(failures, isWrongStatus) { // values may be wrong, too
		failures = slices.DeleteFunc(slices.Clone(failures), func(f oracle.Finding) bool { return !isWrongStatus(f) })
	}
	mistake := mistakeOf(failures, true)
	if repeatsAnswer(t, &run.Answers, failures) {
		return OldAnswer, nil
	}
	var under []*trace.Trace
	switch {
	case mistake == FalseSolution && !slices.ContainsFunc(failures, func(f oracle.Finding) bool {
		return f.Class == oracle.ClaimsSolution
	}):
		mistake = WrongValues
		under = underValues(t, &run.Answers, failures)
	case mistake == WrongCore:
		under = underCores(t, &run.Answers, failures)
	}
	for _, t := range under {
		if fixed, err := p.fixesUniversals(ctx, t); err != nil {
			return "", err
		} else if !fixed {
			continue
		}
		failures, err := p.session.Run(ctx, t, run)
		if err != nil {
			return "", err
		}
		for i := range failures {
			switch f := &failures[i]; {
			case f.Solve != len(t.Calls)-1:
			case f.Class == oracle.ClaimsSolution:
				return FalseSolution, nil
			case f.Class == oracle.ClaimsNoSolution:
				return MissedSolution, nil
			}
		}
	}
	return mistake, nil
}

// repeatsAnswer reports whether a solve wrongly has the answer of the solve before.
func repeatsAnswer(t *trace.Trace, answers *trace.Answers, failures []oracle.Finding) bool {
	for i := range failures {
		f := &failures[i]
		if f.Solve < 0 || !isWrongStatus(*f) {
			continue
		}
		before := solveBefore(t, f.Solve)
		if before >= 0 && answers.At(before).Num == answers.At(f.Solve).Num &&
			!slices.ContainsFunc(failures, func(f oracle.Finding) bool { return f.Solve == before }) {
			return true
		}
	}
	return false
}

// isWrongStatus reports whether a failure is that a solve should have had another status.
func isWrongStatus(f oracle.Finding) bool {
	switch f.Class {
	case oracle.ClaimsSolution, oracle.ClaimsNoSolution, oracle.AnswersDiffer:
		return true
	}
	return f.Class == oracle.WrongTermination && f.Detail == oracle.IgnoresStop
}

// fixesUniversals reports whether the target can solve under the universal literals that the last solve of the trace
// assumes: whether it does so for a formula that says no more than that they are true.
func (p *Prober) fixesUniversals(ctx context.Context, t *trace.Trace) (bool, error) {
	formula, assumed := posedTo(t, len(t.Calls)-1)
	if universal, _ := formula.Outermost(); !universal || len(assumed) == 0 {
		return true, nil
	}
	alone := &trace.Trace{Model: t.Model}
	vars := make([]int32, len(assumed))
	for i, lit := range assumed {
		vars[i] = trace.Var(lit)
	}
	alone.List(0, apimodel.OpForall, vars...)
	for _, lit := range assumed {
		alone.Clause(0, true, lit)
	}
	for _, lit := range assumed {
		alone.Literal(0, apimodel.OpAssume, lit)
	}
	alone.Plain(0, apimodel.OpSolve)
	var run trace.Run
	failures, err := p.session.Run(ctx, alone, &run)
	return len(failures) == 0, err
}
