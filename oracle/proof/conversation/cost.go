package conversation

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace"
)

// costsAt returns what the literals cost in a solve, and whether that depends on the policies redeclare and soft-zero.
func costsAt(t *trace.Trace, solve int) (costs []proof.Cost, isRedeclared, isZero bool) {
	index := make(map[int32]int)
	for _, c := range callsBefore(t, solve) {
		if c.Op == apimodel.OpSoftClause && c.Len == 1 {
			costs = append(costs, proof.Cost{Lit: -t.Lit(c), Weight: c.Num})
		}
		if c.Op != apimodel.OpSoft {
			continue
		}
		at, isKnown := index[t.Lit(c)]
		_, isNegated := index[-t.Lit(c)]
		isRedeclared, isZero = isRedeclared || isKnown || isNegated, isZero || c.Num == 0
		if !isKnown {
			at = len(costs)
			index[t.Lit(c)] = at
			costs = append(costs, proof.Cost{Lit: t.Lit(c)})
		}
		costs[at].Weight = c.Num
	}
	return costs, isRedeclared, isZero
}

// hasRelaxations reports whether a formula file has a soft clause that does not have one literal.
func hasRelaxations(t *trace.Trace, solve int) bool {
	for _, c := range callsBefore(t, solve) {
		if c.Op == apimodel.OpSoftClause && c.Len != 1 {
			return true
		}
	}
	return false
}

// isUnambiguous reports whether a proof about clauses alone can only be about the hard clauses of a formula file, in
// their order. If a soft clause has several literals, a program may add a variable to it and use it like a hard one. If
// a hard clause follows a soft one, its number depends on the program.
func isUnambiguous(t *trace.Trace, solve int) bool {
	hasSoft := false
	for _, c := range callsBefore(t, solve) {
		hasSoft = hasSoft || c.Op == apimodel.OpSoftClause
		if hasSoft && c.Op == apimodel.OpClause {
			return false
		}
	}
	return !hasRelaxations(t, solve)
}

// compareConclusion compares the conclusion of a proof with the status of a solve and with the costs that the
// client got after it.
func compareConclusion(t *trace.Trace, answers *trace.Answers, solve int, conclusion *proof.Conclusion) error {
	instance := t.Calls[solve].Instance
	status := int32(answers.At(solve).Int())
	if err := compareStated(&trace.Proof{}, status, conclusion); err != nil || status == apimodel.Unsatisfiable {
		return err
	}
	optimum, _ := conclusion.Optimum()
	for i := solve + 1; i < len(t.Calls); i++ {
		c := &t.Calls[i]
		switch a := answers.At(i); {
		case c.Instance != instance:
		case c.Op == apimodel.OpObj && a.Kind == trace.Answered && a.Num != optimum:
			return contradicting("it concludes a cost of %d, and the solver said %d", optimum, a.Num)
		case !c.Op.Does(apimodel.Asks) && !c.Op.Does(apimodel.Steers):
			return nil
		}
	}
	return nil
}
