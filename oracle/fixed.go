package oracle

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// fixedCheck checks the answers of fixed: the literal that is claimed to be implied must be true in
// every solution of the clauses. 0 is never wrong.
type fixedCheck struct{}

func (fixedCheck) name() string { return "fixed" }

func (fixedCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op != apimodel.OpFixed || a.Num == 0 {
		return
	}
	lit, answer := j.t.Lit(c), int32(a.Num)
	f := Finding{Call: call, Observed: fmt.Sprintf("fixed %d answered %d", lit, answer)}
	if answer != 1 && answer != -1 {
		j.decide()
		f.Class, f.Detail = ValuesDisagree, "no value of fixed"
		f.Expected, f.Known = "-1, 0 or 1", "the interface"
		j.reportOf(in, -1, f)
		return
	}
	implied := lit * answer
	if known := j.falsifiable(in, []int32{implied}, 0); known != "" {
		f.Class, f.Detail = LearnedNotImplied, "literal not implied"
		f.Expected, f.Known = fmt.Sprintf("0: not every solution makes %d true", implied), known
		j.reportOf(in, -1, f)
	}
}
