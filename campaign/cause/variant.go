// Package cause finds out by experiment what a failure needs, and which failures have the same fault.
//
// A Variant takes one special thing out of a minimal trace and keeps what the trace asks. Determine runs
// the variants: those that make the failure go away name the Cause. Compare and Group use causes, mistakes and
// places of crashes to tell which failures have one fault. A Prober tells whether a version
// fails; nothing else in this package runs targets.
//
// The Mistake is what is wrong if a trace asks everything (Questioned). After a wrong core, a solve under the core
// alone tells a missed solution from a wrong list.
package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Variant takes out one possible cause of a failure.
type Variant struct {
	Name  string // must never change: stored causes have it
	Needs string // what a failure needs if the variant makes it go away, for "needs ..."

	// Within names a broader variant, which also takes out what this one does. A cause that names this
	// variant need not name the broader one.
	Within string

	// Detail describes the need more precisely for one trace; nil if there is nothing to add.
	Detail func(t *trace.Trace) string

	// propositional marks a variant that adds variables or moves clauses. That would change the meaning of
	// formulas with quantifiers, frames or groups.
	propositional bool

	rare  bool // few traces have what the variant takes out
	use   bool // it is about how a solver is used, not about the formula
	place bool // it takes out in one place what Within takes out everywhere
	left  bool // a trace may have it that is part of one without it

	change bool // it is about a change since an earlier solve
	undoes bool // it can be, if the failure needs a second solve
	apply  func(t *trace.Trace) []*Version

	// in reports whether a trace has what the variant takes out. If in is nil, a trace has it if there are
	// versions.
	in func(t *trace.Trace) bool
}

// Versions returns what the variant makes of a legal trace. There are several versions if a single one
// might miss the place of the failure, and none if the variant does not apply. All are legal and differ
// from the trace.
func (v *Variant) Versions(t *trace.Trace) []*Version {
	if v.propositional && t.Model.Quantified() {
		return nil
	}
	versions := slices.DeleteFunc(v.apply(t), func(n *Version) bool {
		return n == nil || trace.Check(n.Trace) != nil
	})
	for _, n := range versions {
		if n.Control != nil && trace.Check(n.Control) != nil {
			return nil
		}
	}
	return versions
}

// In reports whether the trace has what the variant takes out, even if no version can take it out.
func (v *Variant) In(t *trace.Trace) bool {
	if v.in != nil {
		return v.in(t)
	}
	return len(v.Versions(t)) > 0
}

// inAll reports whether all traces have, anywhere, what the variant takes out.
func (v *Variant) inAll(traces []*trace.Trace) bool {
	return !slices.ContainsFunc(traces, func(t *trace.Trace) bool { return !v.broad().In(t) })
}

// hasCall returns a function that reports whether a trace has a call of the operation.
func hasCall(op apimodel.Op) func(*trace.Trace) bool {
	return func(t *trace.Trace) bool {
		return slices.ContainsFunc(t.Calls, func(c trace.Call) bool { return c.Op == op })
	}
}

// broad returns the variant that takes out the same everywhere, which may be v itself.
func (v *Variant) broad() *Variant {
	if v.place {
		return Named(v.Within)
	}
	return v
}

// needs says what a failing trace needs.
func (v *Variant) needs(t *trace.Trace) string {
	if v.Detail != nil {
		return v.Detail(t)
	}
	return v.Needs
}

// Named returns the variant with that name, or nil.
func Named(name string) *Variant {
	for i := range variants {
		if variants[i].Name == name {
			return &variants[i]
		}
	}
	return nil
}

var variants = slices.Concat([]Variant{
	{Name: "repeated-soft", rare: true, Needs: "the same soft literal declared twice", apply: softOnce,
		Detail: detailSoftOnce},
	{Name: "both-polarities", rare: true, Needs: "a literal and its negation, both soft", apply: onePolarity},
	{Name: "zero-weight", rare: true, Needs: "a soft literal of weight 0", apply: noZeroWeights},
	{Name: "large-weight", rare: true, Needs: "large weights", apply: smallWeights, Detail: detailLargeWeights},
	{Name: "unequal-weights", Needs: "a weight above 1", apply: unitWeights, in: hasUnequalWeights},
	{Name: "no-soft", rare: true, left: true, Needs: needsNoSoft, apply: anySoft, Detail: detailNoSoft},

	{Name: "wide-soft-clause", Needs: "a soft clause of several literals", apply: narrowSofts, in: hasSoftClause(isWide)},
	{Name: "empty-soft-clause", rare: true, Needs: "an empty soft clause", apply: noEmptySofts},
	{Name: "soft-tautology", rare: true, Needs: "a soft clause with a literal and its negation", apply: noSoftTautologies},
	{Name: "soft-repeated-literal", rare: true, Needs: "a soft clause with the same literal twice",
		apply: distinctSoftLiterals},
	{Name: "repeated-soft-clause", rare: true, Needs: "the same soft clause twice", apply: distinctSofts,
		in: hasRepeatedSofts},

	{Name: "empty-clause", rare: true, Needs: "an empty clause", apply: noEmptyClauses},
	{Name: "tautology", rare: true, Needs: "a clause with a literal and its negation", apply: noTautologies,
		in: hasTautology},
	{Name: "repeated-literal", rare: true, Needs: "a clause with the same literal twice", apply: distinctLiterals},
	{Name: "repeated-clause", propositional: true, Needs: "the same clause twice", apply: distinctClauses},
	{Name: "clause-in-pieces", rare: true, Needs: "a clause given in several calls", apply: wholeClauses},
	{Name: "import", rare: true, Needs: "a clause that a callback gives", apply: addedImports},
	{Name: "long-clause", rare: true, propositional: true, Needs: "a clause of more than three literals",
		apply: shortClauses, Detail: detailLongClause},
	{Name: "unused-variable", propositional: true, Needs: "a variable that is in no clause when it is named",
		apply: usedVariables},
	{Name: "variable-gap", rare: true, left: true, Needs: "a gap in the numbers of variables",
		apply: denseVariables, Detail: detailGap},

	{Name: "assumption", use: true, Needs: "an assumption", apply: noAssumptions, in: assumes(anyTurn)},
	{Name: "last-assumption", place: true, Within: "assumption", Needs: "an assumption for the last solve",
		apply: noLastAssumptions, in: assumes(lastTurn)},
	{Name: "universal-assumption", rare: true, Within: "last-assumption", Needs: "an assumption of a universal variable",
		apply: noUniversalAssumptions, in: assumesUniversals},
	{Name: "earlier-assumption", place: true, change: true, Within: "assumption",
		Needs: "an assumption for a solve before the last one",
		apply: noEarlierAssumptions, in: assumes(earlierTurn)},
	{Name: "repeated-assumption", rare: true, Within: "assumption", Needs: "the same assumption twice for one solve",
		apply: distinctAssumptions},
	{Name: "contradicting-assumptions", rare: true, Within: "assumption",
		Needs: "a literal and its negation, both assumed", apply: oneAssumedPolarity},
	{Name: "constraint", rare: true, Needs: "a clause for one solve only (constrain)", apply: noConstraints},

	{Name: "empty-block", rare: true, left: true, Needs: "a block without variables", apply: noEmptyBlocks},
	{Name: "divided-block", rare: true, left: true, Needs: "two neighbouring blocks with one quantifier",
		apply: joinedBlocks},
	{Name: "extension", rare: true, Needs: "a block that gets more variables", apply: noExtensions,
		in: hasCall(apimodel.OpExtend)},
	{Name: "free-variable", rare: true, left: true, Needs: "a variable that no block has", apply: noFreeVariables,
		in: hasFreeVariables},
	{Name: "frame", rare: true, undoes: true, Needs: "a push", apply: noFrames, in: hasCall(apimodel.OpPush)},
	{Name: "group", rare: true, undoes: true, Needs: "a group of clauses", apply: noGroups, in: hasCall(apimodel.OpOpen)},

	{Name: "second-instance", rare: true, Needs: "a second solver instance", apply: oneInstance},
	{Name: "earlier-life", rare: true, Needs: "a solver that was released before", apply: oneLife},
	{Name: "incremental", change: true, Needs: "a second solve of one solver", apply: freshInstance},
	{Name: "immediate-solve", place: true, rare: true, propositional: true, Within: "incremental",
		Needs: "two solves with no call in between but queries",
		apply: separatedSolves, in: hasImmediateSolves},
	{Name: "late-clause", place: true, change: true, propositional: true, Within: "incremental",
		Needs: "a clause added after a solve",
		apply: earlyClauses},
	{Name: "late-soft", place: true, change: true, Within: "incremental", Needs: "a soft literal declared after a solve",
		apply: earlySofts},
	{Name: "earlier-query", place: true, rare: true, Within: "incremental",
		Needs: "a query about an answer before the last one",
		apply: lastQueries},

	{Name: "terminate", use: true, Needs: "a terminate callback", apply: without(apimodel.OpTerminate)},
	{Name: "learn", use: true, Needs: "a learn callback", apply: without(apimodel.OpLearn)},
	{Name: "option", use: true, Needs: "an option that is set", apply: without(apimodel.OpOption), Detail: detailOption},
	{Name: "havoc", rare: true, Needs: "a call of havoc", apply: without(apimodel.OpHavoc)},
}, withoutCalls(), []Variant{
	{Name: "negative-query", rare: true, Needs: "a query about a negative literal", apply: positiveQueries},
	{Name: "query-beyond", rare: true, left: true, propositional: true,
		Needs: "a query about a variable above all that other calls name", apply: queriesWithin},
	{Name: "repeated-query", rare: true, left: true, Needs: "the same query twice about one answer",
		apply: distinctQueries},
})

// withoutCalls returns the variants that rows of calls name: each drops the calls that name it.
func withoutCalls() (variants []Variant) {
	for op := range apimodel.NumOps {
		row := op.Row()
		if row == nil || row.Needs == "" {
			continue
		}
		var ops []apimodel.Op
		for other := range apimodel.NumOps {
			if o := other.Row(); o != nil && o.Variant == row.Variant {
				ops = append(ops, other)
			}
		}
		variants = append(variants, Variant{Name: row.Variant, rare: true, Needs: row.Needs, apply: without(ops...)})
	}
	return variants
}
