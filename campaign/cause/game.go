package cause

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A formula with quantifiers is true or false, so what a wrong answer says about it depends on chance: a formula that
// is not read as given may be true instead of false, or false instead of true. Four experiments look further.
//
//   - If a solve repeats the answer to the solve before, though the formula or the assumptions have changed, that is
//     the mistake, whichever answer it is.
//   - Values of the outermost block that do not win are wrong for one of two reasons: the answer is wrong under these
//     values, too, or the values are not those that the search found. Solves under the values tell which (values.go).
//   - A core is wrong for the same two reasons, and a solve under the core alone tells which.
//   - A target that gives a value of an inner variable may take that for an outermost one, so that the variable cannot
//     depend on others. Clauses that make it equal to a universal one tell.

// isQuantified reports whether the failure is about formulas with quantifiers.
func (f *Failure) isQuantified() bool { return f.Minimal != nil && f.Minimal.Model.Quantified() }

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

// solveBefore returns the solve before that one in the same life, or -1.
func solveBefore(t *trace.Trace, solve int) int {
	before := -1
	for i := range t.Calls[:solve] {
		switch c := &t.Calls[i]; {
		case c.Instance != t.Calls[solve].Instance:
		case c.Op == apimodel.OpSolve:
			before = i
		case c.Op == apimodel.OpRelease:
			before = -1
		}
	}
	return before
}

// TryDependence looks for the mistake behind a value of an inner variable. It returns the trace that makes it, or else
// the given one.
func (d *Diagnosis) TryDependence(ctx context.Context, minimal *trace.Trace, mistaken Mistaken) (*trace.Trace, error) {
	for _, t := range dependent(minimal) {
		questioned := Questioned(t)
		mistake, err := mistaken(ctx, questioned)
		if err != nil {
			return minimal, err
		}
		if mistake == MissedSolution {
			d.Mistake, d.Questioned = mistake, questioned.String()
			return t, nil
		}
	}
	return minimal, nil
}

// mostDependent bounds the variables that dependent looks at.
const mostDependent = 4

// dependent returns, for each of a few existential variables of the last solve, the trace with one more solve in which
// the variable must be equal to a universal one outside of it.
func dependent(t *trace.Trace) (traces []*trace.Trace) {
	last := lastSolve(t)
	if last < 0 {
		return nil
	}
	instance := t.Calls[last].Instance
	formula, _ := posedTo(t, last)
	universal := int32(0)
	for _, block := range formula.Prefix {
		for _, v := range block.Vars {
			switch {
			case block.Universal:
				universal = v
			case universal != 0 && len(traces) < mostDependent:
				d := edit(t, func(d *draft, i int, _ *trace.Call) { d.keep(i) })
				d.equal(instance, universal, v)
				d.to.Plain(instance, apimodel.OpSolve)
				d.origin = append(d.origin, -1)
				if legal := d.legal(nil); legal != nil {
					traces = append(traces, legal)
				}
			}
		}
	}
	return traces
}

// onlyPlayDecides reports whether the trace is one solve of a formula that unit propagation and universal reduction do
// not decide. A core does not follow from the assumptions alone, so it suffices if that holds without them.
func onlyPlayDecides(t *trace.Trace) bool {
	solve := -1
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Op == apimodel.OpSolve && solve >= 0, c.Instance != t.Calls[0].Instance:
			return false
		case c.Op == apimodel.OpSolve:
			solve = i
		}
	}
	if solve < 0 {
		return false
	}
	formula, assumed := posedTo(t, solve)
	return !decided(formula, assumed) || len(assumed) > 0 && !decided(formula, nil)
}

// decided reports whether unit propagation and universal reduction tell whether the formula is true under the
// literals.
func decided(formula qbf.Formula, holds []int32) bool {
	level, universal := make(map[int32]int), make(map[int32]bool)
	for i, block := range formula.Prefix {
		for _, v := range block.Vars {
			level[v], universal[v] = i+1, block.Universal
		}
	}
	holds = slices.Clone(holds)
	for again := true; again; {
		again = false
		open := 0 // clauses
		for _, clause := range formula.Clauses {
			var free []int32 // the literals that are neither true nor false
			satisfied := false
			for _, lit := range clause {
				satisfied = satisfied || slices.Contains(holds, lit) || slices.Contains(clause, -lit)
				if !slices.Contains(holds, -lit) && !slices.Contains(free, lit) {
					free = append(free, lit)
				}
			}
			if satisfied {
				continue
			}
			open++
			innermost := -1 // level of the existential literals
			for _, lit := range free {
				if v := trace.Var(lit); !universal[v] {
					innermost = max(innermost, level[v])
				}
			}
			free = slices.DeleteFunc(free, func(lit int32) bool {
				return universal[trace.Var(lit)] && level[trace.Var(lit)] > innermost
			})
			switch {
			case len(free) == 0:
				return true
			case len(free) == 1:
				holds, again = append(holds, free[0]), true
			}
		}
		if open == 0 {
			return true
		}
	}
	return false
}
