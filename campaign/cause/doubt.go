package cause

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Some failures look different, though one follows from the other; some look alike, though they only need the same to
// be seen.

// provesMistakeOf reports whether f is a wrong proof of an answer that is wrong in the same way as that of g. If the
// root of f lacks something that f needs, the answer may be wrong for another reason than the proof.
func (f *Failure) provesMistakeOf(g *Failure) bool {
	return (f.Symptom == oracle.ProofWrong.Info().Name || f.isProofOfOther()) && g.Symptom == wrongAnswer &&
		f.sharesMistake(g) && (f.Root == nil || f.Cause.only(func(v *Variant) bool {
		return !f.Asked.needs(v.Name) && !v.broad().In(f.Root)
	}) == Nothing)
}

// provesWhatMisled reports whether f is a right answer with a proof about another problem, and g is a wrong answer,
// perhaps because the target solved another problem.
func (f *Failure) provesWhatMisled(g *Failure) bool {
	return f.isProofOfOther() && f.Mistake == "" && g.Symptom == wrongAnswer
}

// misproves reports whether f is a right answer with a wrong proof, and g is a wrong answer, perhaps because of the
// step that the proof cannot justify.
func (f *Failure) misproves(g *Failure) bool {
	return f.Symptom == oracle.ProofWrong.Info().Name && f.Mistake == "" && g.Symptom == wrongAnswer
}

// changesAs reports whether both failures need the same change between two solves.
func (f *Failure) changesAs(g *Failure) bool {
	return f.Cause.only(func(v *Variant) bool { return v.change && g.Cause.needs(v.Name) }) != Nothing
}

func (f *Failure) isProofOfOther() bool { return f.Symptom == oracle.ProofOfOther.Info().Name }

// needAlike reports whether equal needs can join failures with different mistakes: both make one or none, their roots
// are not apart, and neither may need all of it only to be seen.
func (f *Failure) needAlike(g *Failure) bool {
	return (f.Mistake == "") == (g.Mistake == "") && !f.rootsApart(g) && !f.needsOnlyToBeSeen() && !g.needsOnlyToBeSeen()
}

// needsOnlyToBeSeen reports whether the failure may need all that it needs only to be seen, as every wrong core needs
// an assumption.
func (f *Failure) needsOnlyToBeSeen() bool {
	return len(f.Cause.Needs()) > 0 && f.Cause.only(func(v *Variant) bool { return !f.Asked.needs(v.Name) }) == Nothing
}

// seenAlike reports whether both failures make other mistakes and may need all that they need only to be seen. Then it
// says little that their traces are the same.
func (f *Failure) seenAlike(g *Failure) bool {
	return f.mistakesApart(g) && f.needsOnlyToBeSeen() && g.needsOnlyToBeSeen()
}

// mistakesApart reports whether the mistakes are known and differ.
func (f *Failure) mistakesApart(g *Failure) bool {
	return f.Mistake != "" && g.Mistake != "" && f.Mistake != g.Mistake
}

// needsBoth reports whether f needs what g needs and what h needs, so that it may need two
// faults. If g and h need rare inputs, they have none in common, and f needs all of these. If only
// one does, they are not the same fault, and f needs everything that either needs.
func (f *Failure) needsBoth(g, h *Failure) bool {
	one, other := g.rareInputs().Needs(), h.rareInputs().Needs()
	if len(one) > 0 && len(other) > 0 {
		apart := !slices.ContainsFunc(one, func(v *Variant) bool { return slices.Contains(other, v) })
		return apart && g.inputsWithin(f) && h.inputsWithin(f)
	}
	return len(one)+len(other) > 0 && f.needsAll(g) && f.needsAll(h) && Compare(g, h) != Same
}

// needsAll reports whether g needs something special, and f needs all of it. Instead of a second solver, f may need one
// that was released before, and the other way round.
func (f *Failure) needsAll(g *Failure) bool {
	needs := f.Cause.Needs()
	return len(g.Cause.Needs()) > 0 && !slices.ContainsFunc(g.Cause.Needs(), func(v *Variant) bool {
		return !slices.ContainsFunc(needs, func(of *Variant) bool { return of == v || of.other && v.other })
	})
}

// Evidence tells whether values are odd, or an answer is wrong though no value was asked for. One fault does not do
// both.
type evidence uint8

const (
	oddValues evidence = 1 << iota
	wrongWithoutValues
)

// contradicts reports whether one fault cannot do what two groups of failures show.
func (e evidence) contradicts(f evidence) bool {
	return e|f == oddValues|wrongWithoutValues && e != e|f && f != e|f
}

func (f *Failure) evidence() evidence {
	switch {
	case f.Mistake == OddValues:
		return oddValues
	case f.Mistake == "" || f.Minimal == nil || slices.ContainsFunc(f.Minimal.Calls, func(c trace.Call) bool {
		return c.Op == apimodel.OpModel || c.Op == apimodel.OpVal
	}):
		return 0
	}
	return wrongWithoutValues
}
