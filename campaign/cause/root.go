package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A root is what remains of a minimal trace that is reduced until only its mistake has to
// stay. Minimal traces of one fault differ because their symptoms do: one fails at the
// objective, another at a value. If traces ask for everything, smaller ones make the same
// mistake, and often all come down to one root.

// HasRoot reports whether the root tells more than the cause. The failure must have a
// mistake that shows whatever the trace asks, and must need no rare inputs. Two are
// exceptions: soft literals of both polarities steer the search, and assumptions that
// contradict each other are one way to have no solution.
func (d *Diagnosis) HasRoot() bool {
	switch d.Mistake {
	case "", OddValues, WrongObjective, WrongModel: // what is asked matters
		return false
	}
	inputs := d.Cause.rareInputs().Needs()
	return !slices.ContainsFunc(inputs, func(v *Variant) bool {
		return v.Name != "both-polarities" && v.Name != "contradicting-assumptions"
	})
}

// AddsInput reports whether t has rare inputs that the given trace does not have, such as an empty
// clause, which is what remains of a clause. A root with them may make the mistake of another fault.
func AddsInput(given, t *trace.Trace) bool {
	for i := range variants {
		v := &variants[i]
		if v.rare && !v.place && v.Name != "no-soft" && v.In(t) && !v.In(given) {
			return true
		}
	}
	return false
}

// RootTrace returns the root, nil if it is unknown.
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

// NeedsMore reports whether a root needs inputs that the failure does not need. Then another
// fault makes the mistake there: the reduction went astray. Which solve has an assumption, what
// changes between two solves, and options say little; and where the order of literals matters,
// chance decides.
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

// goesAstrayAs reports whether the searches of two failures that depend on the order of
// literals may go wrong in one place.
func (f *Failure) goesAstrayAs(g *Failure) bool {
	why, other := f.atRoot(), g.atRoot()
	if why == "" || other == "" {
		return false
	}
	if why.needsOption() != other.needsOption() && f.Mistake == MissedSolution && g.Mistake == MissedSolution {
		return false // an option may choose another way to the optimum, which misses it by itself
	}
	why, other = unled(why), unled(other)
	return f.sharesMistake(g) && why.rareInputs() == other.rareInputs() || why == Nothing && other == Nothing
}

// atRoot returns the part of the cause that the root also has: the mistake needs no more.
func (f *Failure) atRoot() Cause {
	if f.Root == nil || f.Cause == "" {
		return f.Cause
	}
	return f.Cause.only(func(v *Variant) bool { return v.In(f.Root) })
}

// sharesRoot reports whether the roots are the same up to names. Several variables of one
// may be one variable in the other.
func (f *Failure) sharesRoot(g *Failure) bool {
	return f.Root != nil && g.Root != nil && len(substance(f.Root)) == len(substance(g.Root)) &&
		(Embeds(f.Root, g.Root) || Embeds(g.Root, f.Root))
}

// essence returns the cause without what only leads the search to the place where it fails.
func essence(c Cause) Cause {
	return c.only(func(v *Variant) bool { return v.Name != "option" && v.Name != "unequal-weights" })
}

// needsOption reports whether an option is part of the cause.
func (c Cause) needsOption() bool { return slices.Contains(c.Needs(), Named("option")) }

// unled returns the essence of the cause without soft literals of both polarities, which
// lead a search that depends on the order of literals.
func unled(c Cause) Cause {
	return essence(c).only(func(v *Variant) bool { return v.Name != "both-polarities" })
}
