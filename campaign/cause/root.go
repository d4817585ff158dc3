package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A root is a minimal trace that is reduced further, until only its mistake remains. Minimal traces of one
// fault differ because their symptoms do: one fails at the objective, another at a value. If traces ask
// every question, smaller ones make the same mistake, and often all of them reduce to one root.

// HasRoot reports whether the root can tell more than the cause. The mistake must be one that shows
// whatever the trace asks, and the failure must not need rare inputs, except assumptions: contradicting ones are just
// one way to have no solution, and those of universal variables one way to have a core.
func (d *Diagnosis) HasRoot() bool {
	if !d.showsUnasked() {
		return false
	}
	inputs := d.Cause.rareInputs().Needs()
	return !slices.ContainsFunc(inputs, func(v *Variant) bool {
		return v.Name != "contradicting-assumptions" && v.Name != "universal-assumption"
	})
}

// showsUnasked reports whether the mistake is one that shows whatever the trace asks.
func (d *Diagnosis) showsUnasked() bool {
	switch d.Mistake {
	case "", OddValues, WrongBoth, WrongObjective, WrongModel:
		return false
	}
	return true
}

// AddsInput reports whether t has rare inputs that the given trace does not have. For example, one variable in place of
// two can repeat a literal. Such a trace may fail because of another fault. That a trace has no soft literals does not
// count.
func AddsInput(given, t *trace.Trace) bool {
	return adds(given, t, func(v *Variant) bool { return v.Name != "no-soft" })
}

// AddsMore is AddsInput without the inputs that are left if others go, which any reduction may add.
func AddsMore(given, t *trace.Trace) bool {
	return adds(given, t, func(v *Variant) bool { return !v.left })
}

func adds(given, t *trace.Trace, counts func(*Variant) bool) bool {
	for i := range variants {
		v := &variants[i]
		if v.rare && !v.place && counts(v) && v.In(t) && !v.In(given) {
			return true
		}
	}
	return false
}

// AddsCalls reports whether t has a kind of call that the given trace does not have: a reduction may turn an assumption
// into a clause. A root with such calls may make the mistake of another fault.
func AddsCalls(given, t *trace.Trace) bool {
	return slices.ContainsFunc(t.Calls, func(c trace.Call) bool {
		return !slices.ContainsFunc(given.Calls, func(of trace.Call) bool { return of.Op == c.Op })
	})
}

// RootTrace returns the root, or nil if it is unknown.
func (d *Diagnosis) RootTrace() *trace.Trace {
	if d.Root == "" {
		return nil
	}
	t, err := trace.ParseString(d.Root)
	if err != nil {
		return nil
	}
	return t
}

// NeedsMore reports whether a root needs inputs that the failure does not need. If so, the reduction went
// astray and another fault makes the mistake there. Some needs say little: which solve has an assumption,
// what changes between two solves, and options. And if the order of literals matters, chance decides.
func (d *Diagnosis) NeedsMore(root Cause) bool {
	var needs []*Variant
	for _, v := range d.Cause.Needs() {
		needs = append(needs, v.broad())
	}
	return slices.ContainsFunc(root.Needs(), func(v *Variant) bool {
		input := v.rare || v.Name == "unused-variable" || v.broad().Name == "assumption"
		return input && !v.change && v.Name != "option" && !slices.Contains(needs, v.broad())
	})
}

// goesAstrayAs reports whether two failures that depend on the order of literals may have a search that
// goes wrong in the same place.
func (f *Failure) goesAstrayAs(g *Failure) bool {
	why, other := f.atRoot(), g.atRoot()
	if why == "" || other == "" {
		return false
	}
	if why.needs("option") != other.needs("option") && f.Mistake == MissedSolution && g.Mistake == MissedSolution {
		return false // an option may choose another way to the optimum, which then has its own mistake
	}
	// A defect in how cores are paid needs different weights; one in the search for solutions needs none.
	weighs := why.needs("unequal-weights") || other.needs("unequal-weights")
	why, other = f.unled(why), g.unled(other)
	posed := func(v *Variant) bool { return v.undoes || v.Name == "lone-universal" }
	return f.sharesMistake(g) && why.rareInputs() == other.rareInputs() && why.only(posed) == other.only(posed) ||
		why == Nothing && other == Nothing && !weighs && !f.playsApart(g)
}

// atRoot returns the part of the cause that the root also has. The mistake needs no more.
func (f *Failure) atRoot() Cause {
	if f.Root == nil || f.Cause == "" {
		return f.Cause
	}
	return f.Cause.only(func(v *Variant) bool { return v.In(f.Root) })
}

// sharesRootNeeds reports whether the roots need the same things and anything at all. Minimal traces of one fault often
// need more than their roots, each something else: one a second solve, the other a query.
func (f *Failure) sharesRootNeeds(g *Failure) bool {
	if f.Root == nil || g.Root == nil || f.Cause == "" || g.Cause == "" || f.leftRoot() || g.leftRoot() {
		return false
	}
	needs := f.needsAtRoot()
	return needs != Nothing && needs == g.needsAtRoot()
}

// needsAtRoot returns the parts of the cause that the root also has, perhaps elsewhere than the minimal trace, without
// weights that tell one solution from another.
func (f *Failure) needsAtRoot() Cause {
	var kept []*Variant
	for _, v := range f.Cause.Needs() {
		switch broad := v.broad(); {
		case v.Name == "unequal-weights":
		case v.change && v.In(f.Root):
			kept = append(kept, v)
		case broad.In(f.Root):
			kept = append(kept, broad)
		}
	}
	return causeOf(kept)
}

// needsSeveral reports whether the needs, which are all or a part of the cause, are several things, and the root has
// several of them, too, if it is known. A root with fewer shows that the mistake does not need the others.
func (f *Failure) needsSeveral(needs Cause) bool {
	return len(needs.Needs()) > 1 && (f.Root == nil || len(f.needsAtRoot().Needs()) > 1)
}

// sharesRoot reports whether the roots are the same up to names. Several variables of one may correspond to
// one variable of the other.
func (f *Failure) sharesRoot(g *Failure) bool {
	return f.Root != nil && g.Root != nil && !f.leftRoot() && !g.leftRoot() &&
		len(substance(f.Root)) == len(substance(g.Root)) && (Embeds(f.Root, g.Root) || Embeds(g.Root, f.Root))
}

// leftRoot reports whether the failure needs something that its root does not have: a rare order of calls or, for a
// false solution whose root has nothing else that the failure needs, a change between two solves. Then the reduction
// went astray, and another fault makes the mistake there.
func (f *Failure) leftRoot() bool {
	changes := f.Cause.only(func(v *Variant) bool { return v.change }) != Nothing
	if changes && f.Mistake == FalseSolution && !Named("incremental").In(f.Root) && f.needsAtRoot() == Nothing {
		return true
	}
	return f.Cause.only(func(v *Variant) bool { return v.rare && v.place && !v.In(f.Root) }) != Nothing
}

// rootsApart reports whether the roots are known and neither is part of the other. A root with two solves and nothing
// in between is part of nearly every root with two solves, so it is apart from those that change something in between.
func (f *Failure) rootsApart(g *Failure) bool {
	repeats := Named("immediate-solve")
	return f.Root != nil && g.Root != nil && (!Embeds(f.Root, g.Root) && !Embeds(g.Root, f.Root) ||
		repeats.In(f.Root) != repeats.In(g.Root))
}

// essence returns the cause without the parts that only lead the search to the place where it fails.
func essence(c Cause) Cause {
	return c.only(func(v *Variant) bool { return v.Name != "option" && v.Name != "unequal-weights" })
}

// steps returns the essence of the cause of a search that gives up. If an option chooses that search, large weights,
// soft literals of both polarities and variables in no clause only change how many steps it takes.
func steps(c Cause) Cause {
	if !c.needs("option") {
		return essence(c)
	}
	return essence(c).only(func(v *Variant) bool {
		return !slices.Contains([]string{"large-weight", "both-polarities", "unused-variable"}, v.Name)
	})
}

// needs reports whether the variant is part of the cause.
func (c Cause) needs(variant string) bool { return slices.Contains(c.Needs(), Named(variant)) }

// unled returns the essence of the cause without soft literals of both polarities, which
// lead a search that depends on the order of literals. Under an assumption, a search in a formula with quantifiers just
// ends sooner.
func (f *Failure) unled(c Cause) Cause {
	return essence(c).only(func(v *Variant) bool {
		return v.Name != "both-polarities" && !(f.isQuantified() &&
			(v.broad().Name == "assumption" || v.Within == "last-assumption"))
	})
}

// playsApart reports whether two mistakes about formulas with quantifiers cannot come from one place of the search. One
// that misses solutions does not claim others, and wrong values come from a right search. Only a wrong core may belong
// to either.
func (f *Failure) playsApart(g *Failure) bool {
	core := f.Mistake == WrongCore || g.Mistake == WrongCore
	return f.isQuantified() && f.mistakesApart(g) && (!core || f.Mistake == WrongValues || g.Mistake == WrongValues)
}
