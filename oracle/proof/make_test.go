package proof_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/proof"
)

// A maker solves small formulas by case distinction and writes proofs.
type maker struct {
	rng    *rand.Rand
	set    naive
	steps  []step
	nextID int64
	vars   int32

	keepsAll bool // deletes nothing
}

func randomClause(rng *rand.Rand, vars int32, most int) []int32 {
	var c []int32
	for range 1 + rng.IntN(most) {
		l := rng.Int32N(vars) + 1
		if rng.IntN(2) == 0 {
			l = -l
		}
		c = append(c, l)
	}
	return c
}

func someClause(rng *rand.Rand, vars int32) []int32 {
	if rng.IntN(8) > 0 {
		return distinctClause(rng, vars)
	}
	return randomClause(rng, vars, 3)
}

// distinctClause makes a clause of mostly three variables.
func distinctClause(rng *rand.Rand, vars int32) []int32 {
	size := 3 - rng.IntN(10)/8
	var c []int32
	for _, v := range rng.Perm(int(vars))[:size] {
		l := int32(v + 1)
		if rng.IntN(2) == 0 {
			l = -l
		}
		c = append(c, l)
	}
	return c
}

func (m *maker) input(lits []int32) {
	m.nextID++
	m.set.add(m.nextID, lits, true)
	m.steps = append(m.steps, step{op: 'i', id: m.nextID, lits: lits})
}

func (m *maker) lemma(lits []int32) {
	for keep := m.keepsAll; !m.set.isRUP(lits); m.keepsAll = keep { // its proof needs a clause that was deleted
		m.keepsAll = true
		m.solve(negated(lits))
	}
	for i := 0; i < len(lits); i++ { // some are shorter than necessary
		shorter := slices.Delete(slices.Clone(lits), i, i+1)
		if m.rng.IntN(2) == 0 && m.set.isRUP(shorter) {
			lits, i = shorter, i-1
		}
	}
	m.rng.Shuffle(len(lits), func(i, j int) { lits[i], lits[j] = lits[j], lits[i] })
	hints, _, _ := m.set.up(negated(lits))
	m.nextID++
	m.steps = append(m.steps, step{op: 'l', id: m.nextID, lits: lits, hints: hints})
	m.set.add(m.nextID, lits, false)
	if m.rng.IntN(4) == 0 && !m.keepsAll {
		m.forget()
	}
}

// forget deletes a lemma that is not needed, or a clause that a lemma subsumes.
func (m *maker) forget() {
	at := m.rng.IntN(len(m.set.clauses))
	c := m.set.clauses[at]
	if len(c.lits) < 2 || c.isAside {
		return
	}
	rest := naive{clauses: slices.Delete(slices.Clone(m.set.clauses), at, at+1)}
	if !rest.isRUP(c.lits) {
		return
	}
	m.set.clauses = rest.clauses
	m.steps = append(m.steps, step{op: 'd', id: c.id, lits: c.lits, hints: []int64{c.id}})
}

// define adds clauses of a new variable that is true if and only if two literals are.
func (m *maker) define() {
	m.vars++
	x, a, b := m.vars, m.rng.Int32N(m.vars-1)+1, -(m.rng.Int32N(m.vars-1) + 1)
	for _, c := range [][]int32{{x, -a, -b}, {-x, a}, {-x, b}} {
		var hints []int64
		for _, other := range m.set.clauses {
			if slices.Contains(other.lits, -c[0]) {
				hints = append(hints, -other.id) // true because of the other literal
			}
		}
		m.nextID++
		m.steps = append(m.steps, step{op: 'l', id: m.nextID, lits: c, hints: hints})
		m.set.add(m.nextID, c, false)
	}
}

// solve returns a solution in which the literals are true. If there is none, it writes
// lemmas that show this, and returns nil.
func (m *maker) solve(assumed []int32) []int32 {
	_, values, conflict := m.set.up(assumed)
	if conflict {
		return nil
	}
	var model []int32
	for v := int32(1); v <= m.vars; v++ {
		switch {
		case values[v]:
			model = append(model, v)
		case values[-v]:
			model = append(model, -v)
		default:
			if m.rng.IntN(2) == 0 {
				v = -v
			}
			branch := append(slices.Clone(assumed), v)
			if model := m.solve(branch); model != nil {
				return model
			}
			m.lemma(negated(branch))
			return m.solve(append(slices.Clone(assumed), -v))
		}
	}
	return model
}

// refutation makes an unsatisfiable formula and the lemmas of a proof.
func refutation(rng *rand.Rand, withRAT bool) (formula [][]int32, lemmas []step) {
	for {
		m := &maker{rng: rng, vars: 6 + rng.Int32N(5)}
		formula = nil
		for range 5 * m.vars {
			c := distinctClause(rng, m.vars)
			formula = append(formula, c)
			m.input(c)
		}
		if _, _, trivial := m.set.up(nil); trivial && rng.IntN(20) > 0 {
			continue
		}
		m.steps = nil
		if withRAT && rng.IntN(2) == 0 {
			m.define()
		}
		if m.solve(nil) != nil {
			continue
		}
		m.lemma(nil)
		return formula, m.steps
	}
}

// conversation makes a proof of several queries.
func conversation(rng *rand.Rand) []step {
	m := &maker{rng: rng, vars: 3 + rng.Int32N(3)}
	for range 1 + rng.IntN(4) {
		for range rng.IntN(3 * int(m.vars)) {
			m.input(someClause(rng, m.vars))
		}
		if at := len(m.set.clauses) - 1; at >= 0 && rng.IntN(2) == 0 && len(m.set.clauses[at].lits) > 1 {
			c := &m.set.clauses[at]
			c.isAside = true
			m.steps = append(m.steps, step{op: 'w', lits: c.lits, hints: []int64{c.id}},
				step{op: 'r', lits: c.lits, hints: []int64{c.id}})
			c.isAside = false
		}
		var query []int32
		for range rng.IntN(4) {
			query = append(query, randomClause(rng, m.vars, 1)...)
		}
		m.steps = append(m.steps, step{op: 'q', lits: query})
		if model := m.solve(query); model != nil {
			m.steps = append(m.steps, step{op: 's', id: 10}, step{op: 'm', lits: model})
			continue
		}
		m.keepsAll = true
		m.lemma(negated(query))
		m.keepsAll = false
		core := slices.Clone(query)
		for i := 0; i < len(core); i++ {
			shorter := slices.Delete(slices.Clone(core), i, i+1)
			if _, _, conflict := m.set.up(shorter); conflict {
				core, i = shorter, i-1
			}
		}
		hints, _, _ := m.set.up(core)
		m.steps = append(m.steps, step{op: 's', id: 20}, step{op: 'u', lits: core, hints: hints})
	}
	return m.steps
}

// flat returns a formula in the form that the checkers take.
func flat(formula [][]int32) []int32 {
	var out []int32
	for _, c := range formula {
		out = append(append(out, c...), 0)
	}
	return out
}

// fratOf writes the lemmas of a proof as FRAT, some of them without hints.
func fratOf(rng *rand.Rand, formula [][]int32, lemmas []step) []step {
	var steps []step
	live := map[int64][]int32{}
	for i, c := range formula {
		steps = append(steps, step{op: 'i', id: int64(i + 1), lits: c})
		live[int64(i+1)] = c
	}
	for _, s := range lemmas {
		if s.op == 'd' {
			delete(live, s.id)
			s.hints = nil
		} else {
			live[s.id] = s.lits
			if rng.IntN(3) == 0 {
				s.hints = nil
			}
		}
		steps = append(steps, s)
	}
	for id := int64(1); id < 1000; id++ {
		if c, ok := live[id]; ok {
			steps = append(steps, step{op: 'f', id: id, lits: c})
		}
	}
	return steps
}

func write(steps []step, f proof.Format) []byte {
	w := writer{binary: f.Binary}
	for _, s := range steps {
		switch f.Name {
		case "drat":
			if s.op == 'd' || f.Binary {
				w.letter(map[byte]byte{'l': 'a', 'd': 'd'}[s.op])
			}
			w.lits(s.lits)
		case "lrat":
			switch {
			case f.Binary:
				w.letter(map[byte]byte{'l': 'a', 'd': 'd'}[s.op])
			case s.op == 'd':
				w.number(1)
				w.letter('d')
			}
			if s.op == 'l' {
				w.signed(s.id)
				w.lits(s.lits)
			}
			w.hints(s.hints, true)
		case "frat":
			w.letter(map[byte]byte{'i': 'o', 'l': 'a', 'd': 'd', 'f': 'f'}[s.op])
			w.number(uint64(s.id))
			w.lits(s.lits)
			if len(s.hints) > 0 && s.op == 'l' {
				w.letter('l')
				w.hints(s.hints, true)
			}
		default:
			w.letter(s.op)
			w.script(s, f.Name == "lidrup")
		}
		w.end()
	}
	return w.Bytes()
}

type writer struct {
	bytes.Buffer
	binary bool
}

func (w *writer) script(s step, isLinear bool) {
	if s.op == 's' {
		w.WriteString(map[int64]string{10: "SATISFIABLE", 20: "UNSATISFIABLE", 0: "UNKNOWN"}[s.id])
		return
	}
	switch {
	case !isLinear || s.op == 'q' || s.op == 'm':
		w.lits(s.lits)
	case s.op == 'i' || s.op == 'l':
		w.number(uint64(s.id))
		w.lits(s.lits)
		if s.op == 'l' {
			w.hints(s.hints, false)
		}
	case s.op == 'u':
		w.lits(s.lits)
		w.hints(s.hints, false)
	default:
		w.hints(s.hints, false)
	}
}

func (w *writer) letter(b byte) {
	w.WriteByte(b)
	if !w.binary {
		w.WriteByte(' ')
	}
}

func (w *writer) number(n uint64) {
	if !w.binary {
		fmt.Fprintf(w, "%d ", n)
		return
	}
	for n >= 0x80 {
		w.WriteByte(byte(n) | 0x80)
		n >>= 7
	}
	w.WriteByte(byte(n))
}

func (w *writer) signed(n int64) {
	switch {
	case !w.binary:
		fmt.Fprintf(w, "%d ", n)
	case n < 0:
		w.number(uint64(-2*n + 1))
	default:
		w.number(uint64(2 * n))
	}
}

func (w *writer) lits(lits []int32) {
	for _, l := range lits {
		w.signed(int64(l))
	}
	w.number(0)
}

func (w *writer) hints(ids []int64, isSigned bool) {
	for _, id := range ids {
		if isSigned {
			w.signed(id)
		} else {
			w.number(uint64(id))
		}
	}
	w.number(0)
}

func (w *writer) end() {
	if !w.binary {
		w.WriteByte('\n')
	}
}
