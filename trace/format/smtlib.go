package format

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// writeSMTLIB writes a quantified formula as a script of SMT-LIB 2.6 for solvers of
// quantified Booleans. Its assertion is satisfiable if and only if the formula is true.
// Variables have the names x1, x2 and so on. The script declares free variables and an
// outermost existential block, so that a model shows their values.
func writeSMTLIB(out *text, f *qbf.Formula, notes []string) {
	out.comments(";", notes)
	out.words("(set-logic UF)").line()
	prefix := joined(f.Prefix)
	declared := f.Free()
	slices.Sort(declared)
	if len(prefix) > 0 && !prefix[0].Universal {
		declared = append(declared, prefix[0].Vars...)
		prefix = prefix[1:]
	}
	for _, v := range declared {
		out.words("(declare-const x").number(uint64(v)).words(" Bool)").line()
	}
	out.words("(assert").line()
	for _, block := range prefix {
		out.words("(").words(map[bool]string{true: "forall", false: "exists"}[block.Universal]).words(" (")
		for i, v := range block.Vars {
			if i > 0 {
				out.words(" ")
			}
			out.words("(x").number(uint64(v)).words(" Bool)")
		}
		out.words(")").line()
	}
	out.words("(and true").line() // "and" needs an argument
	for _, clause := range f.Clauses {
		out.words("(or false")
		for _, lit := range clause {
			if lit < 0 {
				out.words(" (not x").number(uint64(-lit)).words(")")
			} else {
				out.words(" x").number(uint64(lit))
			}
		}
		out.words(")").line()
	}
	for range len(prefix) + 2 {
		out.words(")")
	}
	out.line()
	out.words("(check-sat)").line()
}
