package oracle

import (
	"maps"
	"math/rand/v2"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A writer makes a random trace with right answers, which it takes from a naive formula. It records what tests
// need to make an answer wrong.
type writer struct {
	r         *rand.Rand
	t         trace.Trace
	a         trace.Answers
	instances []*writerInstance
	sites     []site
}

type writerInstance struct {
	id      uint16
	f       naiveFormula
	open    []int32
	hasOpen bool
	assumed []int32
	stop    bool // a callback that asks to stop at once is installed
	learns  bool
}

// A site is a solve with the truth about it.
type site struct {
	call, obj, model, core int // calls, -1 without
	f                      naiveFormula
	assumed                []int32
	solutions              []uint32
	least                  uint64
	status                 int
	total                  bool // the model lists every variable
}

func (w *writer) answer(num int) {
	w.a.Of = append(w.a.Of, trace.Answer{Kind: trace.Answered, Num: uint64(int64(num))})
}

func (w *writer) list(lits []int32) {
	w.a.Of = append(w.a.Of, trace.Answer{Kind: trace.Answered, Pos: uint32(len(w.a.Lits)), Len: uint32(len(lits))})
	w.a.Lits = append(w.a.Lits, lits...)
}

// write makes one trace with its right answers.
func write(r *rand.Rand, m *apimodel.Model) *writer {
	w := &writer{r: r}
	w.t.Reset(m)
	for i := range 1 + r.IntN(2)*r.IntN(2) {
		in := &writerInstance{id: uint16(i * 7), f: naiveFormula{weights: map[int32]uint64{}}}
		for range 1 + r.IntN(6) {
			in.f.vars = append(in.f.vars, int32(len(in.f.vars)+1))
		}
		if r.IntN(4) == 0 {
			for k := range in.f.vars {
				in.f.vars[k] *= 1 + int32(r.IntN(1000000))*int32(len(in.f.vars))
			}
		}
		seen := map[int32]bool{}
		for k, v := range in.f.vars {
			for seen[v] {
				v++
			}
			in.f.vars[k] = v
			seen[v] = true
		}
		w.instances = append(w.instances, in)
	}
	for range 5 + r.IntN(40) {
		w.step(w.instances[r.IntN(len(w.instances))])
	}
	return w
}

func (w *writer) lit(in *writerInstance) int32 {
	l := in.f.vars[w.r.IntN(len(in.f.vars))]
	if w.r.IntN(2) == 0 {
		return -l
	}
	return l
}

func (w *writer) step(in *writerInstance) {
	r, weighted := w.r, w.t.Model == apimodel.IPAMIR
	n := r.IntN(20)
	if in.hasOpen {
		n = 0
	}
	switch {
	case n < 8:
		var lits []int32
		for range r.IntN(4) {
			lits = append(lits, w.lit(in))
		}
		if len(in.open)+len(lits) == 0 && r.IntN(20) > 0 {
			lits = append(lits, w.lit(in))
		}
		closed := r.IntN(10) > 0
		w.t.Clause(in.id, closed, lits...)
		w.answer(0)
		in.open, in.hasOpen = append(in.open, lits...), !closed
		if closed {
			in.f.clauses = append(in.f.clauses, in.open)
			in.open = nil
		}
	case n < 11 && weighted:
		l, weight := w.lit(in), uint64(r.IntN(8))
		if r.IntN(4) == 0 {
			weight = r.Uint64() >> (6 + r.IntN(50))
		}
		w.t.Soft(in.id, l, weight)
		w.answer(0)
		in.f.weights[l] = weight
	case n < 14:
		l := w.lit(in)
		w.t.Literal(in.id, apimodel.OpAssume, l)
		w.answer(0)
		in.assumed = append(in.assumed, l)
	case n == 14 && r.IntN(3) == 0:
		in.stop = !in.stop
		if in.stop {
			w.t.Count(in.id, apimodel.OpTerminate, 1)
		} else {
			w.t.TakeAway(in.id, apimodel.OpTerminate)
		}
		w.answer(0)
	case n == 15 && r.IntN(3) == 0 && !weighted:
		w.t.Count(in.id, apimodel.OpLearn, 3)
		w.answer(0)
		in.learns = true
	case n == 16 && r.IntN(8) == 0:
		w.t.Plain(in.id, apimodel.OpRelease)
		w.t.Plain(in.id, apimodel.OpInit)
		w.answer(0)
		w.answer(0)
		*in = writerInstance{id: in.id, f: naiveFormula{vars: in.f.vars, weights: map[int32]uint64{}}}
	default:
		w.solve(in)
	}
}

// solve adds a solve with a right answer, and uses every freedom that the interface leaves.
func (w *writer) solve(in *writerInstance) {
	r, weighted := w.r, w.t.Model == apimodel.IPAMIR
	s := site{call: len(w.t.Calls), obj: -1, model: -1, core: -1, assumed: in.assumed, f: in.f}
	s.f.weights = map[int32]uint64{}
	maps.Copy(s.f.weights, in.f.weights)
	s.solutions = s.f.solutions(s.assumed)
	in.assumed = nil
	w.t.Plain(in.id, apimodel.OpSolve)
	var best []uint32
	s.least, best = s.f.optimal(s.solutions)
	s.status = apimodel.Satisfiable
	switch {
	case in.stop && r.IntN(2) == 0:
		s.status = apimodel.Interrupted
		if weighted && len(s.solutions) > 0 && r.IntN(2) == 0 {
			s.status = apimodel.Satisfiable
		}
	case len(s.solutions) == 0:
		s.status = apimodel.Unsatisfiable
	case weighted:
		s.status = apimodel.Optimum
	}
	w.answer(s.status)
	e := trace.Effort{Nanos: 100}
	if in.stop {
		e.Polls = 1 + uint32(r.IntN(3))
		e.PollsAfter = e.Polls - 1
	}
	if in.learns {
		w.learn(in, &s, &e)
	}
	w.a.SetEffort(&w.a.Of[s.call], e)
	switch s.status {
	case apimodel.Unsatisfiable:
		if !weighted {
			w.askCore(in, &s)
		}
	case apimodel.Satisfiable, apimodel.Optimum:
		a := s.solutions[r.IntN(len(s.solutions))]
		if s.status == apimodel.Optimum {
			a = best[r.IntN(len(best))]
		}
		w.askModel(in, &s, a)
	}
	w.sites = append(w.sites, s)
}

func (w *writer) learn(in *writerInstance, s *site, e *trace.Effort) {
	all := s.f.solutions(nil)
	e.Clauses = uint32(len(w.a.Lits))
	for range 5 {
		var clause []int32
		for range w.r.IntN(4) {
			clause = append(clause, w.lit(in))
		}
		implied := true
		for _, a := range all {
			ok := false
			for _, l := range clause {
				ok = ok || s.f.trueIn(a, l)
			}
			implied = implied && ok
		}
		known := true
		for _, l := range clause {
			named := false
			for _, v := range w.t.InUse(in.id, s.call) {
				named = named || v == trace.Var(l)
			}
			known = known && named
		}
		if implied && known {
			e.Learned++
			w.a.Lits = append(append(w.a.Lits, clause...), 0)
		}
	}
	e.ClausesLen = uint32(len(w.a.Lits)) - e.Clauses
}

func (w *writer) askModel(in *writerInstance, s *site, a uint32) {
	r := w.r
	zero := map[int32]bool{}
	if r.IntN(3) == 0 {
		for _, v := range in.f.vars {
			zero[v] = r.IntN(3) == 0 // the rest is completed by a itself
		}
	}
	for range r.IntN(5) {
		switch r.IntN(4) {
		case 0:
			if w.t.Model == apimodel.IPAMIR {
				s.obj = len(w.t.Calls)
				w.t.Plain(in.id, apimodel.OpObj)
				w.a.Of = append(w.a.Of, trace.Answer{Kind: trace.Answered, Num: s.f.cost(a)})
			}
		case 1:
			var lits []int32
			s.total = true
			use := w.t.InUse(in.id, len(w.t.Calls))
			for _, v := range use {
				if zero[v] {
					s.total = false
				} else if s.f.trueIn(a, v) {
					lits = append(lits, v)
				} else {
					lits = append(lits, -v)
				}
			}
			s.model = len(w.t.Calls)
			w.t.Plain(in.id, apimodel.OpModel)
			w.list(lits)
		default:
			l := w.lit(in)
			w.t.Literal(in.id, apimodel.OpVal, l)
			switch {
			case zero[trace.Var(l)]:
				w.answer(0)
			case s.f.trueIn(a, l):
				w.answer(int(l))
			default:
				w.answer(int(-l))
			}
		}
	}
}

func (w *writer) askCore(in *writerInstance, s *site) {
	core := append([]int32(nil), s.assumed...)
	for range 3 * len(core) { // sometimes drop the literals that are not needed
		if len(core) == 0 {
			break
		}
		k := w.r.IntN(len(core))
		without := []int32{}
		for _, l := range core {
			if l != core[k] {
				without = append(without, l)
			}
		}
		if w.r.IntN(4) > 0 && len(s.f.solutions(without)) == 0 {
			core = without
		}
	}
	for range w.r.IntN(4) {
		if w.r.IntN(2) == 0 {
			s.core = len(w.t.Calls)
			w.t.Plain(in.id, apimodel.OpCore)
			w.list(core)
			continue
		}
		l := w.lit(in)
		w.t.Literal(in.id, apimodel.OpFailed, l)
		failed := 0
		for _, c := range core {
			if c == l {
				failed = 1
			}
		}
		w.answer(failed)
	}
}
