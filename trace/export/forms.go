package export

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A form says what a call does to the problem of the next solve, and how the languages write it. A nil take changes
// only what the row of the call says.
type form struct {
	take   func(*solver, *trace.Trace, *trace.Call)
	c      func(p *cProgram, s *solver, i int)          // nil: a plain call of the function in the row
	qdpll  func(s *qdpllSolver, i int)                  // nil: qdpll.h has no such call
	python func(p *pythonProgram, s *step, name string) // nil, as in java: no statement
	java   func(p *javaProgram, s *step, name string)
}

var forms = [apimodel.NumOps]form{
	apimodel.OpInit: {c: func(*cProgram, *solver, int) {}, qdpll: func(*qdpllSolver, int) {}, // start has made the solver
		python: (*pythonProgram).init, java: (*javaProgram).init},
	apimodel.OpRelease: {c: (*cProgram).release, qdpll: (*qdpllSolver).end, python: (*pythonProgram).release,
		java: (*javaProgram).release},
	apimodel.OpOption: {c: (*cProgram).option, qdpll: (*qdpllSolver).option, java: (*javaProgram).option},
	apimodel.OpClause: {take: (*solver).clause, c: (*cProgram).clause, qdpll: (*qdpllSolver).clause,
		python: (*pythonProgram).clause, java: (*javaProgram).clause},
	apimodel.OpImport:    {take: (*solver).clause},
	apimodel.OpSoft:      {take: (*solver).soft, python: (*pythonProgram).soft},
	apimodel.OpAssume:    {take: (*solver).assume, qdpll: (*qdpllSolver).assume},
	apimodel.OpTerminate: {take: (*solver).terminate, c: (*cProgram).terminate},
	apimodel.OpLearn:     {take: (*solver).learn, c: (*cProgram).learn},
	apimodel.OpSolve: {c: (*cProgram).solve, qdpll: (*qdpllSolver).solve, python: (*pythonProgram).solve,
		java: (*javaProgram).solve},
	apimodel.OpEnumerate: {java: (*javaProgram).enumerate},
	apimodel.OpVal:       {c: asking((*cProgram).val), qdpll: (*qdpllSolver).val},
	apimodel.OpModel:     {c: asking((*cProgram).model), qdpll: (*qdpllSolver).model},
	apimodel.OpObj:       {c: asking((*cProgram).obj)},
	apimodel.OpFailed:    {c: asking((*cProgram).failed), qdpll: (*qdpllSolver).failed},
	apimodel.OpCore:      {c: asking((*cProgram).core), qdpll: (*qdpllSolver).failed},
	apimodel.OpProof:     {c: (*cProgram).proof},
	apimodel.OpErrors:    {c: (*cProgram).errors},
	apimodel.OpMisuse:    {c: (*cProgram).misuse},

	apimodel.OpExists:     {qdpll: (*qdpllSolver).quantify},
	apimodel.OpForall:     {qdpll: (*qdpllSolver).quantify},
	apimodel.OpExtend:     {qdpll: (*qdpllSolver).extend},
	apimodel.OpPush:       {qdpll: (*qdpllSolver).frame},
	apimodel.OpPop:        {qdpll: (*qdpllSolver).frame},
	apimodel.OpOpen:       {qdpll: (*qdpllSolver).group},
	apimodel.OpClose:      {qdpll: (*qdpllSolver).group},
	apimodel.OpActivate:   {qdpll: (*qdpllSolver).group},
	apimodel.OpDeactivate: {qdpll: (*qdpllSolver).group},
	apimodel.OpDelete:     {qdpll: (*qdpllSolver).group},
}
