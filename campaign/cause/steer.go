package cause

import (
	"context"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A rare input may only lead a search to the place where it fails: a tautology adds a variable to decide, a long clause
// a literal to watch. Two experiments together tell. The failure needs an order of literals, so the search makes the
// mistake; and a version without the input makes the same mistake, perhaps under other names and in another order. A
// defect in the code that handles the input fails the second, and one in the code that reads clauses the first.

// Steered leaves inputs out of the cause that only lead the search. It returns a trace without these inputs that makes
// the mistake, or the given one. makes reports whether a trace makes the mistake, whatever it asks.
func (d *Diagnosis) Steered(ctx context.Context, minimal *trace.Trace, makes Shows,
	allowed func(*trace.Trace) bool) (*trace.Trace, error) {
	if !d.showsUnasked() || minimal.Model.Quantified() {
		return minimal, nil
	}
	admitted := func(t *trace.Trace) bool { return t != nil && (allowed == nil || allowed(t)) }
	from, led := minimal, make(map[*Variant]bool)
	var order *Experiment
	for _, v := range d.Cause.Needs() {
		if !v.rare && v.Name != "option" || v.place || v.other || v.change {
			continue
		}
		if order == nil {
			var err error
			if order, err = passingOrder(ctx, minimal, makes, admitted); order == nil || err != nil {
				return minimal, err
			}
		}
		without, err := failingWithout(ctx, v, from, makes, admitted)
		if err != nil {
			return minimal, err
		}
		if without != nil {
			d.Experiments = append(d.Experiments, Experiment{Variant: v.Name, Trace: without.String(), Failed: true})
			from, led[v] = without, true
		}
	}
	if len(led) > 0 {
		d.Experiments = append(d.Experiments, *order)
		d.Cause = d.Cause.only(func(v *Variant) bool { return !led[v] })
		d.Sentence = d.Cause.Sentence(minimal)
	}
	return from, nil
}

// passingOrder returns the experiment with an order of literals in which the trace does not make the mistake, or nil.
func passingOrder(ctx context.Context, t *trace.Trace, makes Shows, admitted func(*trace.Trace) bool) (
	*Experiment, error,
) {
	for _, other := range reordered(t) {
		if !admitted(other) {
			continue
		}
		if same, err := makes(ctx, other); !same || err != nil {
			return &Experiment{Variant: LiteralOrder, Trace: other.String()}, err
		}
	}
	return nil, nil
}

// mostSteered bounds the images that failingWithout tries.
const mostSteered = 32

// failingWithout returns a trace that makes the mistake, of all that pose the problems of the only version of the
// variant; nil if there is none.
func failingWithout(ctx context.Context, v *Variant, t *trace.Trace, makes Shows, admitted func(*trace.Trace) bool) (
	*trace.Trace, error,
) {
	versions := v.Versions(t)
	if len(versions) == 0 {
		return nil, nil
	}
	without := versions[0].Trace
	for _, image := range append(append([]*trace.Trace{without}, images(without, mostSteered)...), reordered(without)...) {
		if !admitted(image) || v.In(image) {
			continue
		}
		if same, err := makes(ctx, image); same || err != nil {
			return image, err
		}
	}
	return nil, nil
}
