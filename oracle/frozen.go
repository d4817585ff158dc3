package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// frozenCheck checks the answers of frozen by counting the calls of freeze and melt.
type frozenCheck struct{}

func (frozenCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op != apimodel.OpFrozen {
		return
	}
	v, freezes := trace.Var(j.t.Lit(c)), 0
	for i := call - 1; i >= 0 && (j.t.Calls[i].Op != apimodel.OpRelease || j.t.Calls[i].Instance != c.Instance); i-- {
		if o := &j.t.Calls[i]; o.Instance == c.Instance && o.Op.Does(apimodel.Hints) && trace.Var(j.t.Lit(o)) == v {
			freezes += freezing[o.Op]
		}
	}
	j.decide()
	if want := min(freezes, 1); a.Int() != int64(want) {
		j.reportOf(in, -1, Finding{Call: call, Class: ValuesDisagree, Detail: "wrong frozen",
			Observed: fmt.Sprintf("frozen %d answered %d", j.t.Lit(c), a.Int()),
			Expected: fmt.Sprint(want), Known: "the calls of freeze and melt"})
	}
}

var freezing = map[apimodel.Op]int{apimodel.OpFreeze: 1, apimodel.OpMelt: -1}
