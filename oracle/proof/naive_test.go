package proof_test

import (
	"fmt"
	"slices"
)

// A step is a line of a proof. Fields that its format does not have stay empty.
type step struct {
	op    byte // i input, l lemma, d, w, r, f, q, s, m, u
	id    int64
	lits  []int32
	hints []int64 // of lemmas and cores; ids to delete, weaken or restore
}

// naive is a set of clauses without any index.
type naive struct {
	clauses []naiveClause
}

type naiveClause struct {
	id      int64
	lits    []int32
	isInput bool
	isAside bool
}

func sameLits(a, b []int32) bool {
	for _, l := range a {
		if !slices.Contains(b, l) {
			return false
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			return false
		}
	}
	return true
}

// up propagates until nothing changes. It returns the ids that it used, in order, the values, and whether a
// clause became false.
func (n *naive) up(assumed []int32) (ids []int64, values map[int32]bool, conflict bool) {
	values = map[int32]bool{}
	for _, l := range assumed {
		if values[-l] {
			return nil, values, true
		}
		values[l] = true
	}
	for changed := true; changed; {
		changed = false
		for _, c := range n.clauses {
			if c.isAside {
				continue
			}
			var open []int32
			satisfied := false
			for _, l := range c.lits {
				satisfied = satisfied || values[l]
				if !values[-l] && !slices.Contains(open, l) {
					open = append(open, l)
				}
			}
			switch {
			case satisfied:
			case len(open) == 0:
				return append(ids, c.id), values, true
			case len(open) == 1:
				values[open[0]] = true
				ids = append(ids, c.id)
				changed = true
			}
		}
	}
	return ids, values, false
}

func negated(lits []int32) []int32 {
	out := make([]int32, len(lits))
	for i, l := range lits {
		out[i] = -l
	}
	return out
}

func (n *naive) isRUP(lemma []int32) bool {
	_, _, conflict := n.up(negated(lemma))
	return conflict
}

func (n *naive) isRAT(lemma []int32) bool { return slices.ContainsFunc(lemma, n.isRATOn(lemma)) }

func (n *naive) isRATOn(lemma []int32) func(int32) bool {
	return func(pivot int32) bool {
		for _, c := range n.clauses {
			if c.isAside || !slices.Contains(c.lits, -pivot) {
				continue
			}
			resolvent := slices.Clone(lemma)
			for _, l := range c.lits {
				if l != -pivot {
					resolvent = append(resolvent, l)
				}
			}
			if !n.isRUP(resolvent) {
				return false
			}
		}
		return true
	}
}

// unnamed returns the id of a clause with the negation of the lemma's first literal that its hints do not name,
// or 0.
func (n *naive) unnamed(lemma step) int64 {
	for _, c := range n.clauses {
		if slices.Contains(c.lits, -lemma.lits[0]) && !slices.Contains(lemma.hints, -c.id) {
			return c.id
		}
	}
	return 0
}

// isUnsatisfiable tries all assignments.
func isUnsatisfiable(formula [][]int32) bool {
	vars := int32(0)
	for _, c := range formula {
		for _, l := range c {
			vars = max(vars, l, -l)
		}
	}
	for assignment := range uint32(1) << vars {
		if !slices.ContainsFunc(formula, func(c []int32) bool {
			return !slices.ContainsFunc(c, func(l int32) bool {
				return l > 0 && assignment>>(l-1)&1 == 1 || l < 0 && assignment>>(-l-1)&1 == 0
			})
		}) {
			return false
		}
	}
	return true
}

func (n *naive) add(id int64, lits []int32, isInput bool) {
	n.clauses = append(n.clauses, naiveClause{id: id, lits: lits, isInput: isInput})
}

// byLits returns the index of a clause, or -1.
func (n *naive) byLits(lits []int32, isAside bool) int {
	return slices.IndexFunc(n.clauses, func(c naiveClause) bool { return c.isAside == isAside && sameLits(c.lits, lits) })
}

func (n *naive) byID(id int64, isAside bool) int {
	return slices.IndexFunc(n.clauses, func(c naiveClause) bool { return c.isAside == isAside && c.id == id })
}

func (n *naive) remove(at int) { n.clauses = slices.Delete(n.clauses, at, at+1) }

// isUnit reports whether a clause may be the reason of a unit.
func (n *naive) isUnit(lits []int32) bool {
	_, values, _ := n.up(nil)
	open := 0
	for _, l := range lits {
		if !values[-l] {
			open++
		}
	}
	return open <= 1
}

func formulaOf(formula [][]int32) *naive {
	n := &naive{}
	for i, c := range formula {
		n.add(int64(i+1), c, true)
	}
	return n
}

// A verdict of the naive checkers: valid means that the proof shows that there is no solution, complete that
// every line is right, so that a checker must accept the proof.
type verdict struct {
	valid, complete bool
	why             string
}

// naiveDRAT checks forwards and skips lemmas that do not follow: a checker that works backwards ignores lemmas
// that no other one needs.
func naiveDRAT(formula [][]int32, steps []step, obeyUnits bool) verdict {
	n := formulaOf(formula)
	v := verdict{complete: true, why: "every lemma follows"}
	for i, s := range steps {
		if _, _, conflict := n.up(nil); conflict {
			v.valid = true
			return v
		}
		if s.op == 'd' {
			if at := n.byLits(s.lits, false); at >= 0 && (obeyUnits || !n.isUnit(s.lits)) {
				n.remove(at)
			} else if at >= 0 {
				v.complete = false // RAT checks of later lemmas may depend on it
			}
			continue
		}
		if !n.isRUP(s.lits) && !n.isRAT(s.lits) {
			v.complete, v.why = false, fmt.Sprintf("nothing needs lemma %d, which does not follow", i)
			continue
		}
		n.add(0, s.lits, false)
	}
	_, _, v.valid = n.up(nil)
	v.complete = v.complete && v.valid
	return v
}

// naiveIDs checks LRAT and FRAT and ignores hints, except that RAT lemmas in LRAT must name all clauses with the
// negation of their first literal. The formula is nil if the steps contain it.
func naiveIDs(formula [][]int32, steps []step, allowed [][]int32) verdict {
	n := formulaOf(formula)
	isEmpty := false
	pivots := map[int32]bool{}
	for i, s := range steps {
		switch s.op {
		case 'i':
			if slices.ContainsFunc(s.lits, func(lit int32) bool { return pivots[-lit] }) {
				return verdict{why: fmt.Sprintf("line %d comes after a lemma that is RAT on the negation", i)}
			}
			if !slices.ContainsFunc(allowed, func(c []int32) bool { return sameLits(c, s.lits) }) {
				return verdict{why: fmt.Sprintf("line %d is no clause of the formula", i)}
			}
			n.add(s.id, s.lits, true)
			isEmpty = isEmpty || len(s.lits) == 0
		case 'l':
			if !isEmpty && !n.isRUP(s.lits) {
				at := slices.IndexFunc(s.lits, n.isRATOn(s.lits))
				if at < 0 {
					return verdict{why: fmt.Sprintf("lemma %d does not follow", i)}
				}
				pivots[s.lits[at]] = true
				if id := n.unnamed(s); id != 0 && allowed == nil {
					return verdict{why: fmt.Sprintf("lemma %d is RAT, and does not name clause %d", i, id)}
				}
			}
			n.add(s.id, s.lits, false)
			isEmpty = isEmpty || len(s.lits) == 0
		case 'd', 'f':
			ids := s.hints
			if allowed != nil {
				ids = []int64{s.id}
			}
			for _, id := range ids {
				at := n.byID(id, false)
				if at < 0 {
					return verdict{valid: isEmpty, why: fmt.Sprintf("line %d: no clause %d", i, id)}
				}
				n.remove(at)
			}
		}
		if isEmpty && allowed == nil {
			break
		}
	}
	return verdict{valid: isEmpty, complete: isEmpty, why: "every lemma follows"}
}

// naiveScript checks IDRUP and LIDRUP and ignores hints.
func naiveScript(steps []step, byID bool) verdict {
	n := &naive{}
	var inputs [][]int32
	var query []int32
	state := byte('i')
	fail := func(i int, why string) verdict { return verdict{why: fmt.Sprintf("line %d: %s", i, why)} }
	for i, s := range steps {
		inner := state == 'i' || state == 'q'
		switch s.op {
		case 'i', 'l':
			_, _, conflict := n.up(nil)
			if !inner || s.op == 'l' && !conflict && !n.isRUP(s.lits) {
				return fail(i, "does not follow")
			}
			if byID && n.byID(s.id, false) >= 0 {
				return fail(i, "id in use")
			}
			n.add(s.id, s.lits, s.op == 'i')
			if s.op == 'i' {
				inputs = append(inputs, s.lits)
			}
		case 'd', 'w', 'r':
			if !inner {
				return fail(i, "state")
			}
			var at []int
			if byID {
				for _, id := range s.hints {
					at = append(at, n.byID(id, s.op == 'r'))
				}
			} else {
				at = []int{n.byLits(s.lits, s.op == 'r')}
			}
			if slices.Contains(at, -1) {
				return fail(i, "no clause")
			}
			slices.Sort(at)
			slices.Reverse(at)
			for _, at := range at {
				if s.op == 'd' {
					n.remove(at)
				} else {
					n.clauses[at].isAside = s.op == 'w'
				}
			}
		case 'q':
			if state != 'i' {
				return fail(i, "state")
			}
			state, query = 'q', s.lits
		case 's':
			if state != 'q' {
				return fail(i, "state")
			}
			state = map[int64]byte{10: 'm', 20: 'u', 0: 'i'}[s.id]
		case 'm':
			if state != 'm' {
				return fail(i, "state")
			}
			state = 'i'
			for _, l := range s.lits {
				if slices.Contains(s.lits, -l) {
					return fail(i, "contradiction")
				}
			}
			for _, l := range query {
				if !slices.Contains(s.lits, l) {
					return fail(i, "assumption")
				}
			}
			for _, c := range inputs {
				if !slices.ContainsFunc(c, func(l int32) bool { return slices.Contains(s.lits, l) || slices.Contains(c, -l) }) {
					return fail(i, "clause")
				}
			}
		case 'u':
			if state != 'u' {
				return fail(i, "state")
			}
			state = 'i'
			for _, l := range s.lits {
				if !slices.Contains(query, l) {
					return fail(i, "not assumed")
				}
			}
			if _, _, conflict := n.up(nil); !conflict && !n.isRUP(negated(s.lits)) {
				return fail(i, "no conflict")
			}
		}
	}
	return verdict{valid: state == 'i', complete: state == 'i', why: "every line is right"}
}
