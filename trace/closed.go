package trace

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// CheckClosed returns a *CheckError for the first clause that names a free variable, one that no
// block of its solver has. Some solvers refuse these (policy free-variable).
func CheckClosed(t *Trace) error {
	type solver struct {
		instance uint16
		variable int32
	}
	bound := make(map[solver]bool)
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Op {
		case apimodel.OpExists, apimodel.OpForall, apimodel.OpExtend:
			for _, v := range t.Args(c) {
				bound[solver{c.Instance, v}] = true
			}
		case apimodel.OpClause:
			for k, lit := range t.Args(c) {
				if v := Var(lit); !bound[solver{c.Instance, v}] {
					return &CheckError{Call: i, Text: shortLine(t, i), Err: &Misuse{
						fmt.Sprintf("variable %d is free, and the target refuses free variables", v),
						"a variable of a block", k + 1}}
				}
			}
		case apimodel.OpRelease:
			for of := range bound {
				if of.instance == c.Instance {
					delete(bound, of)
				}
			}
		}
	}
	return nil
}
