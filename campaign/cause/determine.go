package cause

import (
	"context"
	"errors"
	"slices"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Shows runs a trace and reports whether it fails in the same way as the minimal trace. If the failure
// depends on chance, Shows repeats the run until it can tell.
type Shows func(ctx context.Context, t *trace.Trace) (bool, error)

// An Experiment is one version of the minimal trace and its result. Traces are stored as text, so that they
// can run again.
type Experiment struct {
	Variant string `json:"variant"`
	Trace   string `json:"trace"`
	Failed  bool   `json:"failed"`

	// Control is the text of the version's control, and ControlFailed its result. Control is "" if the
	// version failed or has no control.
	Control       string `json:"control,omitempty"`
	ControlFailed bool   `json:"control_failed,omitempty"`
}

// Names reports whether the experiment shows that the failure needs what the variant takes out: the version
// passes, and not because of what it adds.
func (e *Experiment) Names() bool { return !e.Failed && (e.Control == "" || e.ControlFailed) }

// A Diagnosis is a cause with its evidence.
type Diagnosis struct {
	Cause    Cause  `json:"cause"`
	Sentence string `json:"sentence"`
	// Of is the failure that the experiments look for, without its target; "" stands for the failure of the
	// key. For two answers that differ, it is the failure of the wrong one.
	Of string `json:"of,omitempty"`
	// Mistake is what is wrong with the answers if the trace asks every question, as Questioned does; "" if
	// no mistake is known.
	Mistake     Mistake      `json:"mistake,omitempty"`
	Questioned  string       `json:"questioned,omitempty"`
	Experiments []Experiment `json:"experiments"`
}

// ErrNotFailing reports a minimal trace that does not fail.
var ErrNotFailing = errors.New("the minimal trace does not fail, so its cause cannot be determined")

// ErrUndecided is what Shows returns for a trace that met a limit and might have failed later.
var ErrUndecided = errors.New("the trace met a limit")

// Determine runs the variants of a minimal trace. A variant is part of the cause if none of its versions
// fails, and one passes that has no control or one that fails. Originals are traces that were reduced to the
// minimal one: what one of them lacks is no need, so that variant does not run. If allowed refuses a version, for
// example because it breaks a policy of the target, the variant does not run either; a nil allowed admits all
// legal traces. Determine first asks shows about the minimal trace itself. If mistaken is nil, mistakes stay unknown.
func Determine(ctx context.Context, minimal *trace.Trace, originals []*trace.Trace, shows Shows, mistaken Mistaken,
	allowed func(*trace.Trace) bool) (*Diagnosis, error) {
	switch failed, err := shows(ctx, minimal); {
	case err != nil && !errors.Is(err, ErrUndecided):
		return nil, err
	case !failed:
		return nil, ErrNotFailing
	}
	if mistaken == nil {
		mistaken = func(context.Context, *trace.Trace) (Mistake, error) { return "", nil }
	}
	d := &Diagnosis{}
	questioned := Questioned(minimal)
	var err error
	if d.Mistake, err = mistaken(ctx, questioned); err != nil {
		return nil, err
	}
	if d.Mistake, err = refine(ctx, d.Mistake, minimal, mistaken); err != nil {
		return nil, err
	}
	if d.Mistake != "" {
		d.Questioned = questioned.String()
	}
	var needed []*Variant
	for i := range variants {
		v := &variants[i]
		if !v.inAll(originals) {
			continue
		}
		names, err := d.try(ctx, v, minimal, shows, allowed)
		if err != nil && !errors.Is(err, ErrUndecided) {
			return nil, err
		}
		if names {
			needed = append(needed, v)
		}
	}
	d.Cause = causeOf(narrowest(needed))
	d.Sentence = d.Cause.Sentence(minimal)
	return d, nil
}

// try runs the versions of one variant until a version fails. A version whose control passes tells nothing. try returns
// ErrUndecided if one of them meets a limit.
func (d *Diagnosis) try(ctx context.Context, v *Variant, minimal *trace.Trace, shows Shows,
	allowed func(*trace.Trace) bool) (names bool, err error) {
	versions := v.Versions(minimal)
	if allowed != nil && slices.ContainsFunc(versions, func(n *Version) bool {
		return !allowed(n.Trace) || n.Control != nil && !allowed(n.Control)
	}) {
		return false, nil
	}
	for _, n := range versions {
		e := Experiment{Variant: v.Name, Trace: n.Trace.String()}
		if e.Failed, err = shows(ctx, n.Trace); err != nil {
			return false, err
		}
		if !e.Failed && n.Control != nil {
			e.Control = n.Control.String()
			if e.ControlFailed, err = shows(ctx, n.Control); err != nil {
				return false, err
			}
		}
		d.Experiments = append(d.Experiments, e)
		if e.Failed {
			return false, nil
		}
		names = names || e.Names()
	}
	return names, nil
}

// narrowest leaves out the variants for which a narrower one is needed, too.
func narrowest(needed []*Variant) []*Variant {
	return slices.DeleteFunc(slices.Clone(needed), func(v *Variant) bool {
		return slices.ContainsFunc(needed, func(other *Variant) bool { return other.Within == v.Name })
	})
}
