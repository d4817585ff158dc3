package cause

import (
	"context"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Mistake is what a wrong answer says about the problem, whichever question reveals it. If one trace asks
// for the objective and another for the model, they may show two symptoms of one mistake. A Mistake is ""
// if none is known.
type Mistake string

// The mistakes. A mistake precedes those that it causes: the objective of a false solution is wrong, too.
const (
	RefusedCall    Mistake = "refused call"              // a correct call has no effect
	OddValues      Mistake = "odd values"                // two answers about one solution contradict each other
	FalseSolution  Mistake = "false solution"            // the target claims a solution that is not one
	MissedSolution Mistake = "missed solution"           // the target excludes a solution, or a better one
	WrongCore      Mistake = "wrong core"                // the target finds the solution that its core excludes
	WrongBoth      Mistake = "wrong objective and model" // they contradict each other, and neither is right
	WrongObjective Mistake = "wrong objective"
	WrongModel     Mistake = "wrong model" // the objective is right, but the solution has another cost
	NoAnswer       Mistake = "no answer"   // the target gives up without a reason

	// Mistakes about formulas with quantifiers.
	OldAnswer   Mistake = "old answer"   // the answer is that of the solve before
	WrongValues Mistake = "wrong values" // the values do not win, though the answer under them is right
)

// mistakes maps mistakes to the classes that show them.
var mistakes = []struct {
	Mistake
	classes []oracle.Class
}{
	{OddValues, []oracle.Class{oracle.ValuesDisagree}},
	{FalseSolution, []oracle.Class{oracle.ModelFalsifies, oracle.ClaimsSolution}},
	{MissedSolution, []oracle.Class{oracle.NotOptimal, oracle.ClaimsNoSolution, oracle.LearnedNotImplied}},
	{WrongCore, []oracle.Class{oracle.WrongCore}},
	{WrongBoth, []oracle.Class{oracle.AllValuesDiffer}},
	{WrongObjective, []oracle.Class{oracle.OneValueDiffers}},
}

// aboutValues reports whether a failure can come from a wrong value.
func aboutValues(class oracle.Class, detail string) bool {
	switch class = trial.UnmixedClass(class, detail); class {
	case oracle.ClaimsSolution, oracle.ClaimsNoSolution, oracle.GaveUp:
		return false
	case oracle.AnswersDiffer:
		return detail != "status" && detail != "objective"
	case oracle.OneValueDiffers:
		return detail != oracle.ObjectiveOfNoSolution && detail != oracle.ObjectiveNotOptimal
	}
	return true
}

// mistakeOf returns the mistake that the failures of a run show. values reports whether the failure in
// question can come from a wrong value. If it cannot, values that contradict each other are another
// mistake, so mistakeOf ignores them and what they say about the solution.
func mistakeOf(failures []oracle.Finding, values bool) Mistake {
	if !values && slices.ContainsFunc(failures, func(f oracle.Finding) bool { return f.Class == oracle.ValuesDisagree }) {
		failures = slices.DeleteFunc(slices.Clone(failures), func(f oracle.Finding) bool {
			return f.Class == oracle.ValuesDisagree || f.Class == oracle.ModelFalsifies
		})
	}
	if slices.ContainsFunc(failures, func(f oracle.Finding) bool {
		return f.Class == oracle.WrongState && strings.HasPrefix(f.Detail, oracle.RefusesCall)
	}) {
		return RefusedCall
	}
	for _, row := range mistakes {
		for i := range failures {
			class := trial.UnmixedClass(failures[i].Class, failures[i].Detail)
			for _, of := range row.classes {
				if class == of && !failures[i].Voted {
					return row.Mistake
				}
			}
		}
	}
	for i := range failures {
		if hasNoAnswer(failures[i].Class, failures[i].Detail) {
			return NoAnswer
		}
	}
	return ""
}

// hasNoAnswer reports whether a solve gave up without a reason. A solver that seems to stay stopped counts,
// too: chance decides whether an earlier solve was stopped.
func hasNoAnswer(class oracle.Class, detail string) bool {
	return class == oracle.GaveUp && detail == oracle.NoReason ||
		class == oracle.WrongTermination && detail == oracle.StaysStopped
}

// Questioned returns the trace with all questions about every answer: the solution, the objective, the
// core, one value, and the solution again, since a library may count its answers. At the end it asks
// whether a call was refused. If nothing can be added, it returns the trace itself.
func Questioned(t *trace.Trace) *trace.Trace {
	return asking(t, apimodel.OpModel, apimodel.OpObj, apimodel.OpCore, apimodel.OpVal, apimodel.OpModel)
}

// asking returns the trace with the questions about every answer, or the trace itself if none can be added.
func asking(t *trace.Trace, questions ...apimodel.Op) *trace.Trace {
	d := newDraft(t)
	vars := variablesOf(t)
	add := func(instance uint16, op apimodel.Op) {
		switch {
		case t.Model.Call(op) == nil, op == apimodel.OpVal && (len(vars) == 0 || t.Model.Quantified()):
			return
		case op == apimodel.OpVal:
			d.to.Literal(instance, op, vars[0])
		default:
			d.to.Plain(instance, op)
		}
		d.origin = append(d.origin, -1)
	}
	answered := make(map[uint16]bool) // instances with an answer to ask about
	ask := func(instance uint16) {
		if answered[instance] {
			answered[instance] = false
			for _, op := range questions {
				add(instance, op)
			}
		}
	}
	alive := make(map[uint16]bool)
	var instances []uint16
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.Does(apimodel.Asks) {
			ask(c.Instance)
		}
		if c.Op == apimodel.OpRelease {
			add(c.Instance, apimodel.OpErrors)
		}
		d.keep(i)
		if c.Op == apimodel.OpSolve {
			answered[c.Instance] = true
		}
		if !alive[c.Instance] {
			instances = append(instances, c.Instance)
		}
		alive[c.Instance] = c.Op != apimodel.OpRelease
	}
	for _, instance := range instances {
		if alive[instance] {
			ask(instance)
			add(instance, apimodel.OpErrors)
			alive[instance] = false
		}
	}
	if questioned := d.legal(nil); questioned != nil {
		return questioned
	}
	return t
}

// mostValues bounds the variables that askedOneValue asks about.
const mostValues = 4

// askedOneValue returns, for each of a few variables, the trace with a query about its value at the end.
func askedOneValue(t *trace.Trace) (traces []*trace.Trace) {
	last := lastSolve(t)
	if last < 0 || t.Model.Quantified() {
		return nil
	}
	for _, v := range variablesOf(t)[:min(mostValues, len(t.Variables()))] {
		d := edit(t, func(d *draft, i int, _ *trace.Call) { d.keep(i) })
		d.to.Literal(t.Calls[last].Instance, apimodel.OpVal, v)
		d.origin = append(d.origin, -1)
		if legal := d.legal(nil); legal != nil {
			traces = append(traces, legal)
		}
	}
	return traces
}

// refine tells a wrong objective from a wrong model, by asking for each alone.
func refine(ctx context.Context, mistake Mistake, minimal *trace.Trace, mistaken Mistaken) (Mistake, error) {
	if mistake != WrongObjective {
		return mistake, nil
	}
	plain := Unasked(minimal)
	model, err := mistaken(ctx, asking(plain, apimodel.OpModel))
	if err != nil || model != WrongObjective {
		return mistake, err
	}
	objective, err := mistaken(ctx, asking(plain, apimodel.OpObj))
	if err != nil || objective != "" {
		return mistake, err
	}
	return WrongModel, nil
}

// Unasked returns the trace without questions about answers.
func Unasked(t *trace.Trace) *trace.Trace {
	unasked := edit(t, func(d *draft, i int, c *trace.Call) {
		if !c.Op.AsksAnswer() {
			d.keep(i)
		}
	}).legal(nil)
	if unasked != nil {
		return unasked
	}
	return t
}

// Mistaken runs a trace and tells what is wrong with its answers.
type Mistaken func(ctx context.Context, t *trace.Trace) (Mistake, error)
