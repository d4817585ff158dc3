package export

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// cadicalCalls are the calls of ipasir+cadical that a C program can make. What
// the constraint had to do with an answer is none of them: the checks of the
// programs do not know constraints.
var cadicalCalls = []apimodel.Op{apimodel.OpConstrain, apimodel.OpFreeze, apimodel.OpMelt, apimodel.OpPhase, apimodel.OpUnphase,
	apimodel.OpSimplify, apimodel.OpLimitConflicts, apimodel.OpLimitDecisions}

// cadicalHeader declares them as ccadical.h does, for the pointer of ipasir_init,
// which is the same in CaDiCaL.
const cadicalHeader = `
#ifdef __cplusplus
extern "C" {
#endif
void ccadical_constrain (void *solver, int lit_or_zero);
void ccadical_freeze (void *solver, int lit);
void ccadical_melt (void *solver, int lit);
void ccadical_phase (void *solver, int lit);
void ccadical_unphase (void *solver, int lit);
int ccadical_simplify (void *solver);
void ccadical_limit (void *solver, const char *name, int limit);
#ifdef __cplusplus
}
#endif
`

func (p *cProgram) cadical(c *trace.Call) {
	solver := fmt.Sprintf("s%d", c.Instance)
	switch c.Op {
	case apimodel.OpConstrain:
		for _, lit := range p.t.Args(c) {
			p.line("ccadical_constrain (%s, %d);", solver, lit)
		}
		p.line("ccadical_constrain (%s, 0);", solver)
	case apimodel.OpSimplify:
		p.line("ccadical_simplify (%s);", solver)
	case apimodel.OpLimitConflicts, apimodel.OpLimitDecisions:
		name, limit := map[apimodel.Op]string{apimodel.OpLimitConflicts: "conflicts", apimodel.OpLimitDecisions: "decisions"}[c.Op], int64(c.Num)
		if c.Flags&trace.Off != 0 {
			limit = -1
		}
		p.line("ccadical_limit (%s, \"%s\", %d);", solver, name, limit)
	default:
		p.line("ccadical_%s (%s, %d);", c.Op, solver, p.t.Lit(c))
	}
}
