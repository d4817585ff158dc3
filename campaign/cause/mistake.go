package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Mistake is what a wrong answer says about the problem, whichever question shows it. A
// trace that asks for the objective and one that asks for the model may show two symptoms
// of one mistake. A Mistake is "" if nothing is known to be wrong.
type Mistake string

// The mistakes. One that causes others precedes them: the objective of a false solution is
// wrong, too.
const (
	FalseSolution  Mistake = "false solution"  // the target claims a solution that is not one
	MissedSolution Mistake = "missed solution" // the target excludes a solution, or a better one
	WrongObjective Mistake = "wrong objective"
	OddValues      Mistake = "odd values" // two answers about one solution contradict each other
	NoAnswer       Mistake = "no answer"  // the target gives up without a reason
)

// mistakes are the mistakes that classes stand for.
var mistakes = []struct {
	Mistake
	classes []oracle.Class
}{
	{FalseSolution, []oracle.Class{oracle.ModelFalsifies, oracle.ClaimsSolution}},
	{MissedSolution, []oracle.Class{oracle.NotOptimal, oracle.ClaimsNoSolution, oracle.WrongCore,
		oracle.LearnedNotImplied}},
	{WrongObjective, []oracle.Class{oracle.AllValuesDiffer, oracle.OneValueDiffers}},
	{OddValues, []oracle.Class{oracle.ValuesDisagree}},
}

// mistakeOf returns the mistake that the failures of a run show.
func mistakeOf(failures []oracle.Finding) Mistake {
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

// hasNoAnswer reports whether a solve gave up without a reason. A solver that seems to stay
// stopped counts, too: whether an earlier solve was stopped is chance.
func hasNoAnswer(class oracle.Class, detail string) bool {
	return class == oracle.GaveUp && detail == oracle.NoReason ||
		class == oracle.WrongTermination && detail == oracle.StaysStopped
}

// Questioned returns the trace with questions for the solution, the objective and the core
// after every answer. If none can be added, it returns the trace itself.
func Questioned(t *trace.Trace) *trace.Trace {
	d := newDraft(t)
	answered := make(map[uint16]bool) // instances with an answer to ask about
	ask := func(instance uint16) {
		if !answered[instance] {
			return
		}
		answered[instance] = false
		for _, op := range []apimodel.Op{apimodel.OpModel, apimodel.OpObj, apimodel.OpCore} {
			if t.Model.Call(op) != nil {
				d.to.Plain(instance, op)
				d.origin = append(d.origin, -1)
			}
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.Does(apimodel.Asks) {
			ask(c.Instance)
		}
		d.keep(i)
		if c.Op == apimodel.OpSolve {
			answered[c.Instance] = true
		}
	}
	for i := range t.Calls {
		ask(t.Calls[i].Instance)
	}
	n := d.version(nil)
	if n == nil || trace.Check(n.Trace) != nil {
		return t
	}
	return n.Trace
}

// Unasked returns the trace without questions about answers.
func Unasked(t *trace.Trace) *trace.Trace {
	n := edit(t, func(d *draft, i int, c *trace.Call) {
		if !c.Op.AsksAnswer() {
			d.keep(i)
		}
	}).version(nil)
	if n == nil || trace.Check(n.Trace) != nil {
		return t
	}
	return n.Trace
}
