package cause

import (
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Failure is what Compare needs to know about one finding.
type Failure struct {
	Location string // where it crashes; "" if it does not crash or the place is unknown
	Symptom  string // a word for what is wrong, such as the name of its class; different symptoms mostly mean two faults
	Cause    Cause
	Minimal  *trace.Trace
	Key      string // tells failures of unknown cause apart
	Asked    Cause  // what may be needed only to see the failure
	// Beside has the keys of other failures of the trace.
	Beside  []string
	Mistake Mistake      // "" if it is unknown
	Root    *trace.Trace // all that is left if only the mistake has to stay; nil if it is unknown
	Order   bool         // the mistake depends on the order of literals: the search makes it
}

// A Relation says whether two failures have one fault.
type Relation uint8

const (
	Different Relation = iota
	Possibly
	Same
)

var relations = [...]string{"different", "possibly the same", "the same"}

// String returns the relation in a word.
func (r Relation) String() string { return relations[r] }

// Compare tells whether two failures have one fault.
//
// If both crash at a known place, the places decide: crashes in different places are possibly the same if they need the
// same, and else different. Otherwise two failures have one fault if one of these rules holds:
//
//   - They have the same symptom and mistake, and their causes are equal up to weights above 1 and
//     up to what changes between two solves. If they need nothing else, but perhaps what both may need only to be
//     seen, one minimal trace must also be part of the other, and so must one root, unless one depends on the order
//     of literals.
//   - One needs all the rare inputs that the other needs. They have the same symptom and mistake;
//     or none crashes, one needs everything that the other does, and not only one is a wrong state.
//   - They have the same symptom, mistake and root.
//   - They have the same symptom, and the search makes both mistakes: both depend on the order of literals, or
//     the mistakes are the same, and a root is of clauses that only a search refutes. Their roots need nothing
//     special, nor, with two mistakes, a weight above 1; or they have the same mistake and their roots need the
//     same rare inputs. The search goes astray, and chance decides where. For formulas with quantifiers, only a search
//     may decide the roots, and assumptions only shorten it. Of two mistakes, one must be a wrong core and the other a
//     wrong answer; with one mistake, both or neither need a universal block of one variable.
//   - They have the same symptom and mistake, and their causes are equal up to weights above 1 and
//     options, and name something else, or the mistake is that there is no answer. A search that an option chooses may
//     give up sooner with large weights.
//   - They have the same symptom and mistake, and their roots need the same things, or one needs everything that the
//     other does and that is several things, also of those that a known root has.
//   - They are about formulas with quantifiers and have the same symptom. Their causes name the same change between two
//     solves, and are equal up to other changes.
//   - Both follow from a refused call, and their roots are the same, or one cause has all parts of the other up to
//     what changes between two solves.
//   - Both are the same wrong state, and one needs everything that the other does.
//   - They have the same symptom, and their causes are equal and name several things, without those that both may need
//     only to be seen.
//   - They have the same symptom, their causes are equal, and one minimal trace is part of the
//     other. If they make different mistakes, so must one root be, where both are known, and neither may need all that
//     it needs only to be seen; nor may only one of them make a known mistake. If they need nothing special, each
//     trace must be part of the other, and they must not make different mistakes.
//   - They have the same symptom, and their causes name the same rare inputs. They have the same mistake,
//     one cause needs everything that the other does, or one trace is part of the other: a fault may need
//     the same inputs in different company.
//   - They have the same symptom, one needs everything that the other does, and one trace is part
//     of the other. Both need rare inputs, or one does, the mistakes are the same, and they need more
//     in common than what both may need only to be seen.
//   - Both need a terminate callback and nothing else, but perhaps a second solve, one trace is part of the other,
//     and one answer is wrong where the other ends a search that was told to stop: what the solver has by then is
//     taken for its answer.
//   - They have the same key, and their causes are equal up to weights above 1 and options, and
//     name something else.
//   - Their causes are equal and not empty, and their minimal traces are the same up to names and
//     queries, whatever their symptoms, unless they make different mistakes and both may need all of that only to be
//     seen.
//   - One is a right answer with a wrong proof, the other a wrong answer, and their causes are equal and not empty. If
//     the proof is about another problem, the causes name several things, or both need the same change between two
//     solves.
//   - Their causes are unknown, and their symptoms and keys are equal.
//
// A wrong proof has the symptom of a wrong answer with the same mistake: a proof of a wrong answer is wrong. All old
// answers have one symptom, but two are at most possibly the same if a clause added before the last solve makes only
// one target answer anew.
// What a failure may need only to be seen counts if both need it, unless it is a rare input and both may need it only
// to be seen. A trace is part of another if it embeds in it. If one of the failures needs nothing special, the other
// trace must not show the failure of the first beside its own.
//
// In doubt Compare keeps them apart, as possibly the same. If a cause is unknown, as of a failure by
// chance, failures with other symptoms are different.
func Compare(a, b *Failure) Relation {
	a, b = a.plain(), b.plain()
	if a.Location != "" && b.Location != "" {
		switch {
		case a.Location == b.Location:
			return Same
		case a.mayCrashAs(b):
			return Possibly
		}
		return Different
	}
	alike := a.Location == b.Location && (a.Symptom == b.Symptom || a.provesMistakeOf(b) || b.provesMistakeOf(a) ||
		a.Mistake == OldAnswer && b.Mistake == OldAnswer)
	if alike && a.Cause == "" && b.Cause == "" && a.Key != "" && a.Key == b.Key {
		return Same
	}
	if a.Minimal == nil || b.Minimal == nil {
		return Different
	}
	if a.repeatsApart(b) {
		return Possibly
	}
	why, other := a.inViewOf(b), b.inViewOf(a)
	if oneSolverAndAnother(why, other) {
		other = why
	}
	equal, needs := why == other && why != "", why.Needs()
	forth, back := a.isPart(b), b.isPart(a)
	part, related := forth || back, related(why, other)
	switch rare, others := a.telling(b, why.rare()), b.telling(a, other.rare()); {
	case alike && a.sharesMistake(b) && a.sharesRoot(b), alike && a.searchesAs(b) && a.goesAstrayAs(b):
		return Same
	case alike && a.sharesMistake(b) && a.sharesEssence(b) && a.Mistake != NoAnswer:
		if a.telling(b, a.essentialFor(b)) == Nothing && !a.tellsLittle() &&
			(!embed(a, b) || a.rootsApart(b) && !a.Order && !b.Order) {
			return Possibly
		}
		return Same
	case (a.inputsWithin(b) || b.inputsWithin(a)) && (alike && a.sharesMistake(b) ||
		related && !a.Crashes() && !b.Crashes() && a.isWrongState() == b.isWrongState()):
		return Same
	case alike && a.sharesMistake(b) && (a.Mistake == NoAnswer && steps(why) == steps(other) ||
		essence(why) == essence(other) && essence(why) != Nothing):
		return Same
	case alike && a.isQuantified() && a.changesAs(b) && a.sharesEssence(b):
		return Same
	case alike && a.sharesMistake(b) && (a.sharesRootNeeds(b) || related && a.needsSeveral(why) && b.needsSeveral(other)):
		return Same
	case a.sharesMistake(b) && a.Mistake == RefusedCall && (a.Symptom == b.Symptom || a.Symptom == wrongAnswer ||
		b.Symptom == wrongAnswer) && (a.sharesRoot(b) || a.Cause != "" && b.Cause != "" && a.relatesTo(b)):
		return Same
	case alike && related && a.isWrongState():
		return Same
	case alike && equal && (len(a.telling(b, why).Needs()) > 1 ||
		len(needs) > 0 && part && (a.Mistake == b.Mistake || a.needAlike(b)) ||
		forth && back && !a.mistakesApart(b)):
		return Same
	case (a.provesWhatMisled(b) || b.provesWhatMisled(a)) && (equal && len(needs) > 1 || a.changesAs(b)),
		(a.misproves(b) || b.misproves(a)) && equal && len(needs) > 0:
		return Same
	case alike && rare != Nothing && rare == others && (related || part || a.sharesMistake(b)):
		return Same
	case alike && (rare != Nothing || others != Nothing) && why != "" && other != "" && related && part &&
		(rare != Nothing && others != Nothing || a.sharesMistake(b) && a.sharesNeed(b)):
		return Same
	case equal && (why == "terminate" || why == "incremental + terminate") && part &&
		(a.Symptom == wrongAnswer && b.endsWrongly() || b.Symptom == wrongAnswer && a.endsWrongly()):
		return Same
	case alike && !a.Crashes() && a.Key != "" && a.Key == b.Key && essence(why) == essence(other) &&
		essence(why) != Nothing && !(a.isQuantified() && a.seenAlike(b)):
		return Same
	case equal && len(needs) > 0 && forth && back && a.Location == b.Location && !a.seenAlike(b):
		return Same
	case equal && len(needs) > 0, part && related && (alike || why != "" && other != ""), alike && a.Order && b.Order,
		a.mayCrashAs(b):
		return Possibly
	}
	return Different
}

// plain returns the failure, where an assumption that may be needed only to see it is of any variable.
func (f *Failure) plain() *Failure {
	if !f.Cause.needs("universal-assumption") || !f.Asked.needs("universal-assumption") {
		return f
	}
	var needs []*Variant
	for _, v := range f.Cause.Needs() {
		if v.Name == "universal-assumption" {
			v = Named("last-assumption")
		}
		needs = append(needs, v)
	}
	plain := *f
	plain.Cause = causeOf(needs)
	return &plain
}

// tellsLittle reports whether traces with the mistake need not be alike: values or a core are wrong, but not the
// answer. For formulas with quantifiers, their traces have blocks that depend on chance.
func (f *Failure) tellsLittle() bool {
	return f.isQuantified() && (f.Mistake == WrongValues || f.Mistake == WrongCore)
}

// isPart reports whether the minimal trace of f embeds in that of g. If f or g needs nothing special, that
// says little. Then g must not also show the failure of f: g's own failure may be of another fault.
func (f *Failure) isPart(g *Failure) bool {
	vague := len(f.Cause.Needs()) == 0 || len(g.Cause.Needs()) == 0
	if vague && f.Key != g.Key && slices.Contains(g.Beside, f.Key) {
		return false
	}
	return Embeds(f.Minimal, g.Minimal)
}

// inViewOf returns the cause of f. If some of it may be needed only to see the failure and g does not need
// it, it is left out, unless nothing would remain.
func (f *Failure) inViewOf(g *Failure) Cause {
	if f.Cause == "" {
		return ""
	}
	others, asked := g.Cause.Needs(), f.Asked.Needs()
	rest := f.Cause.only(func(v *Variant) bool { return !slices.Contains(asked, v) || slices.Contains(others, v) })
	if rest == Nothing {
		return f.Cause
	}
	return rest
}

// sharesMistake reports whether two failures have one known mistake.
func (f *Failure) sharesMistake(g *Failure) bool { return f.Mistake != "" && f.Mistake == g.Mistake }

// telling returns the needs that tell something about the faults, which are not those that both failures may have only
// to be seen: two answers about a literal and its negation contradict each other whatever made one of them wrong.
func (f *Failure) telling(g *Failure, needs Cause) Cause {
	return needs.only(func(v *Variant) bool { return !f.Asked.needs(v.Name) || !g.Asked.needs(v.Name) })
}

// isWrongState reports whether the failure is that a check of the interface is missing or wrong, or that a callback is
// called wrongly.
func (f *Failure) isWrongState() bool { return strings.HasPrefix(f.Symptom, wrongState) }

// sharesNeed reports whether both failures need anything but what both may need only to be seen, as every wrong core
// needs an assumption.
func (f *Failure) sharesNeed(g *Failure) bool {
	asked, others := f.Asked.Needs(), g.Asked.Needs()
	fault := func(v *Variant) bool { return !slices.Contains(asked, v) || !slices.Contains(others, v) }
	return f.Cause.only(fault) != Nothing && g.Cause.only(fault) != Nothing
}

// sharesEssence reports whether the causes are known and have the same essential parts.
func (f *Failure) sharesEssence(g *Failure) bool {
	return f.Cause != "" && g.Cause != "" && f.essentialFor(g) == g.essentialFor(f)
}

// relatesTo reports whether one cause has all essential parts of the other.
func (f *Failure) relatesTo(g *Failure) bool { return related(f.essentialFor(g), g.essentialFor(f)) }

// embed reports whether one of the minimal traces is part of the other.
func embed(f, g *Failure) bool { return Embeds(f.Minimal, g.Minimal) || Embeds(g.Minimal, f.Minimal) }

// endsWrongly reports whether the failure is that a search ends too late, or gives an answer although it
// was told to stop.
func (f *Failure) endsWrongly() bool { return f.Symptom == oracle.WrongTermination.Info().Name }

// Crashes reports whether the failure is that the process dies.
func (f *Failure) Crashes() bool { return f.Location != "" || f.Symptom == crash }

// essentialFor returns the cause of f without the parts that differ between traces of one fault: what may
// be needed only to see f, if g does not need it, and weights that tell one solution from another. All
// changes between two solves that make a stale answer wrong count as the same. A proof of another problem
// needs such a change, too, if only the solve that SolveAgain adds makes the mistake. A variable in no clause
// only leads a search that makes the mistake.
func (f *Failure) essentialFor(g *Failure) Cause {
	asked, others := f.Asked.Needs(), g.Cause.Needs()
	var kept []*Variant
	again := f.isProofOfOther() && f.Root != nil && Named("incremental").In(f.Root)
	if again {
		kept = append(kept, Named("incremental"))
	}
	for _, v := range f.Cause.Needs() {
		switch {
		case again && v.Name == "last-assumption": // of an earlier solve by now
		case v.Name == "unequal-weights", f.Order && v.Name == "unused-variable",
			slices.Contains(asked, v) && !slices.Contains(others, v):
		case f.isChange(v):
			kept = append(kept, Named("incremental"))
		default:
			kept = append(kept, v)
		}
	}
	return causeOf(kept)
}

// inputsWithin reports whether f needs rare inputs and g needs all of them. Large weights do not count:
// they go wrong in many ways. Nor does what is only a change since an earlier solve.
func (f *Failure) inputsWithin(g *Failure) bool {
	inputs := f.telling(g, f.rareInputs()).only(func(v *Variant) bool { return v.Name != "large-weight" }).Needs()
	others := g.Cause.only(func(v *Variant) bool { return !v.undoes || !g.isChange(v) }).Needs()
	return len(inputs) > 0 && !slices.ContainsFunc(inputs, func(v *Variant) bool { return !slices.Contains(others, v) })
}

// oneSolverAndAnother reports whether the causes differ only in whether the other solver was released
// before. A fault in what solvers share shows in both cases.
func oneSolverAndAnother(a, b Cause) bool {
	beside := func(c Cause) Cause { return c.only(func(v *Variant) bool { return !v.other }) }
	others := func(c Cause) int { return len(c.Needs()) - len(beside(c).Needs()) }
	return others(a) == 1 && others(b) == 1 && beside(a) == beside(b)
}

// Kind returns the place of the failure with the rare inputs or the option that it needs. If two failures
// have one key but different kinds, each may hide the other. Kind is coarser than Compare, which keeps
// apart many failures that have one fault.
func (f *Failure) Kind() string {
	kind := f.rareInputs()
	if kind == Nothing {
		kind = f.Cause.only(func(v *Variant) bool { return v.Name == "option" })
	}
	if kind == Nothing {
		return f.Location
	}
	return strings.TrimSpace(f.Location + " " + string(kind))
}

// MayHaveFaultOf reports whether a failure can have the fault of another one with its key. In doubt it can, also where
// Compare keeps the two apart. It cannot if it crashes elsewhere or needs other rare inputs or another option; nor, if
// neither needs any, if it needs only a part of what the other one needs, or nothing of that and Compare tells them
// apart.
func (f *Failure) MayHaveFaultOf(other *Failure) bool {
	relation := Compare(f, other)
	switch {
	case relation == Same:
		return true
	case f.Location != other.Location:
		return false
	case other.Cause == Nothing && f.rareInputs() == Nothing:
		return true
	case f.Kind() != other.Kind():
		return false
	case f.Cause == "" || len(other.Cause.Needs()) == 0 || f.Kind() != f.Location:
		return true
	}
	needs, others := f.Cause.Needs(), other.Cause.Needs()
	shared := 0
	for _, v := range needs {
		if slices.Contains(others, v) {
			shared++
		}
	}
	if shared == 0 {
		return relation == Possibly
	}
	isPart := shared == len(needs) && shared < len(others)
	return !isPart
}

// rareInputs returns the part of the cause that names inputs that few traces have anywhere.
func (f *Failure) rareInputs() Cause { return f.Cause.rareInputs() }

func (c Cause) rareInputs() Cause {
	return c.only(c.isRareInput)
}

func (c Cause) isRareInput(v *Variant) bool { return v.rare && !v.place && !c.isChange(v) }

// only returns the part of the cause whose variants satisfy some.
func (c Cause) only(some func(v *Variant) bool) Cause {
	return causeOf(slices.DeleteFunc(c.Needs(), func(v *Variant) bool { return !some(v) }))
}

// rare returns the part of the cause that names inputs that few traces have.
func (c Cause) rare() Cause { return c.only(func(v *Variant) bool { return v.rare && !c.isChange(v) }) }

// related reports whether one cause needs all that the other does, or one is unknown.
func related(a, b Cause) bool {
	if a == "" || b == "" || a == b {
		return true
	}
	needs, others := a.Needs(), b.Needs()
	if len(needs) > len(others) {
		needs, others = others, needs
	}
	return len(needs) > 0 && !slices.ContainsFunc(needs, func(v *Variant) bool { return !slices.Contains(others, v) })
}
