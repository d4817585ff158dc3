package compare

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Ask returns the trace with queries after the disputed solves: for the model and, if there are weights, the objective.
// Then a target that claims a solution must show one, which a check can examine, so that the targets need no vote.
func Ask(t *trace.Trace, disputes []Dispute) *trace.Trace {
	asked := make(map[int]bool, len(disputes))
	for i := range disputes {
		asked[disputes[i].Call] = true
	}
	longer := &trace.Trace{Model: t.Model, Notes: slices.Clone(t.Notes), Planted: t.Planted, Want: t.Want.Clone()}
	expects := len(t.Want.Of) > 0
	ask := func(instance uint16, op apimodel.Op) {
		if expects {
			longer.Want.Of = slices.Insert(longer.Want.Of, len(longer.Calls), trace.Answer{})
		}
		longer.Plain(instance, op)
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		longer.Append(t, c)
		if !asked[i] {
			continue
		}
		if t.Model.Call(apimodel.OpObj) != nil {
			ask(c.Instance, apimodel.OpObj)
		}
		ask(c.Instance, apimodel.OpModel)
	}
	return longer
}
