package cause

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Mistake is what a wrong answer says about the problem, whichever question shows it: a
// trace that asks for the objective and one that asks for the model have two symptoms of
// one mistake. It is "" if nothing is known to be wrong.
type Mistake string

// Mistakes, the one that others follow from first: the objective of a false solution is wrong, too.
const (
	FalseSolution  Mistake = "false solution"  // what it takes for a solution is none
	MissedSolution Mistake = "missed solution" // it excludes a solution, or one that is better
	WrongObjective Mistake = "wrong objective"
	OddValues      Mistake = "odd values" // two answers about one solution contradict each other
	NoAnswer       Mistake = "no answer"  // it gives up without a reason
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

// hasNoAnswer reports whether a solve gave up without a reason. Whether an earlier one was
// stopped, so that it may have stayed stopped, is chance.
func hasNoAnswer(class oracle.Class, detail string) bool {
	return class == oracle.GaveUp && detail == oracle.NoReason ||
		class == oracle.WrongTermination && detail == oracle.StaysStopped
}

// Questioned returns the trace with all questions about every answer: for the solution, the
// objective and the core. If nothing can be added, it returns the trace itself.
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
