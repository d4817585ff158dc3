package format

import (
	"io"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func writeCNF(out *text, f *Formula, notes []string) {
	out.comments("c", notes)
	out.words("p cnf ").number(uint64(f.MaxVar)).words(" ").number(uint64(len(f.Clauses) + len(f.Assumptions))).line()
	for clause := range f.Hard {
		out.lits(clause...)
	}
}

func writeWCNF(out *text, f *Formula, notes []string) {
	out.comments("c", notes)
	if len(f.Clauses)+len(f.Assumptions)+len(f.Softs) == 0 {
		out.noClauses()
	}
	for clause := range f.Hard {
		out.words("h ").lits(clause...)
	}
	for _, soft := range f.Softs {
		out.number(soft.Weight).words(" ").lits(-soft.Lit)
	}
}

// noClauses says that a file has no clauses: some solvers take an empty file for one that they cannot read.
func (o *text) noClauses() { o.comments("c", []string{"no clauses"}) }

func writeWCNFOld(out *text, f *Formula, notes []string) {
	out.comments("c", notes)
	sum, _ := f.Sum()
	top := sum + 1
	clauses := len(f.Clauses) + len(f.Assumptions) + len(f.Softs)
	out.words("p wcnf ").number(uint64(f.MaxVar)).words(" ").number(uint64(clauses))
	out.words(" ").number(top).line()
	for clause := range f.Hard {
		out.number(top).words(" ").lits(clause...)
	}
	for _, soft := range f.Softs {
		out.number(soft.Weight).words(" ").lits(-soft.Lit)
	}
}

// words holds the words before clauses and solves in the formats of many solves.
var words = map[Format]struct{ clause, solve string }{ICNF: {"i ", "q "}, IncCNF: {"", "a "}, WCNFI: {"h ", "r "}}

// writeSequence writes the formats of many solves, call by call.
func writeSequence(w io.Writer, f Format, t *trace.Trace) error {
	if t.Solves() == 0 {
		return cannotSay(f, t, -1, "it has no solve")
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Op == apimodel.OpSoft && !Of(f).Soft:
			return cannotSay(f, t, i, "it has no soft literals")
		case c.Op == apimodel.OpSoft && c.Num > MaxWeight:
			return cannotSay(f, t, i, "weights are at most 2^63-1")
		}
	}
	words := words[f]
	out := &text{to: w}
	if f == WCNFI {
		out.comments("c", t.Notes)
	} else {
		out.words("p ").words(string(f)).line()
		out.comments("c", t.Notes)
	}
	s := newSolver()
	for i := range t.Calls {
		c := &t.Calls[i]
		before := len(s.clauses)
		s.take(t, c)
		switch {
		case len(s.clauses) > before:
			out.words(words.clause).lits(s.clauses[before]...)
		case c.Op == apimodel.OpSoft:
			out.number(c.Num).words(" ").lits(-t.Lit(c))
		case c.Op == apimodel.OpSolve:
			out.words(words.solve).lits(s.assumptions...)
			s.assumptions = nil
			if f == ICNF {
				out.words(statusLine(t.Want.At(i)))
			}
		}
	}
	return out.close()
}

// statusLine returns the right answer of a solve as a line of iCNF, or "" if it is not known.
func statusLine(a *trace.Answer) string {
	if a.Kind == trace.Answered {
		switch a.Int() {
		case apimodel.Satisfiable, apimodel.Optimum:
			return "s SATISFIABLE\n"
		case apimodel.Unsatisfiable:
			return "s UNSATISFIABLE\n"
		}
	}
	return ""
}
