package gen

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// The generator does not know whether a solve will answer SAT or UNSAT. It asks the questions for
// both answers, and the executor withholds those that do not apply.

// questions is a set of queries about a whole answer.
type questions uint8

const (
	askModel questions = 1 << iota
	askObj
	askCore
)

// planQuestions decides what to ask after a solve.
func (s *instance) planQuestions(g *emitter) {
	r := &g.rand
	s.askedVal, s.askedFailed, s.askedWhole, s.asked = 0, 0, 0, 0
	s.pending = 0
	if r.Chance(800) {
		s.pending |= askModel
	}
	if g.maxSAT {
		if r.Chance(850) {
			s.pending |= askObj
		}
	} else if s.failing != 0 && r.Chance(800) || r.Chance(100) {
		s.pending |= askCore
	}
	s.left.queries = [...]int{0, 0, 0, 1, 1, 2, 3}[r.Below(7)]
	if g.drawn(feature.ManyQueries) && r.Chance(500) {
		s.left.queries = r.Between(feature.ManyQueriesFrom, 20)
	}
}

// askWhole asks the question q about the whole answer, or another pending one.
func (s *instance) askWhole(g *emitter, q questions) {
	if g.rand.Flip() { // the highest instead of the lowest: both orders happen
		for s.pending&^(2*q-1) != 0 {
			q = s.pending &^ (2*q - 1) & -(s.pending &^ (2*q - 1))
		}
	}
	s.pending &^= q
	s.emitWhole(g, q)
}

func (s *instance) emitWhole(g *emitter, q questions) {
	if !g.fits(1) {
		return
	}
	if s.askedWhole&q != 0 {
		g.use(feature.RepeatQuery)
	}
	s.askedWhole |= q
	switch q {
	case askModel:
		g.t.Plain(s.number, apimodel.OpModel)
	case askObj:
		g.t.Plain(s.number, apimodel.OpObj)
	case askCore:
		g.t.Plain(s.number, apimodel.OpCore)
	}
}

// askOne asks a question about one literal, or repeats one.
func (s *instance) askOne(g *emitter) {
	r := &g.rand
	if g.drawn(feature.RepeatQuery) && r.Chance(400) && s.askAgain(g) {
		return
	}
	if !g.maxSAT && (s.failing != 0 || g.drawn(feature.FailedOther)) && r.Chance(450) {
		s.askFailed(g)
		return
	}
	candidates := bothLiterals(s.mentioned)
	if g.drawn(feature.UnseenQuery) && r.Chance(300) {
		if unseen := below(s.all) &^ s.mentioned; unseen != 0 {
			candidates = bothLiterals(unseen)
		}
	}
	if !g.drawn(feature.RepeatQuery) {
		candidates &^= s.askedVal | swapped(s.askedVal)
	}
	if candidates != 0 {
		s.emitVal(g, pickFrom(r, candidates))
	}
}

// askFailed asks about an assumption of the last solve or, if that feature was drawn, about another
// literal.
func (s *instance) askFailed(g *emitter) {
	candidates := s.failing
	if g.drawn(feature.FailedOther) && (candidates == 0 || g.rand.Chance(400)) {
		others := s.mentioned
		if g.drawn(feature.UnseenQuery) {
			others = below(s.all)
		}
		candidates = bothLiterals(others) &^ s.failing
	}
	if !g.drawn(feature.RepeatQuery) {
		candidates &^= s.askedFailed
	}
	if candidates != 0 {
		s.emitFailed(g, pickFrom(&g.rand, candidates))
	}
}

// askAgain repeats a question asked since the last solve, or asks for the value of the negated
// literal. It returns false if there is no such question.
func (s *instance) askAgain(g *emitter) bool {
	r := &g.rand
	switch {
	case s.askedWhole != 0 && r.Chance(400):
		q := s.askedWhole & -s.askedWhole
		if r.Flip() && s.askedWhole != q {
			q = s.askedWhole &^ q & -(s.askedWhole &^ q)
		}
		s.emitWhole(g, q)
	case s.askedFailed != 0 && r.Flip():
		s.emitFailed(g, pickFrom(r, s.askedFailed))
	case s.askedVal != 0:
		s.emitVal(g, pickFrom(r, s.askedVal|swapped(s.askedVal)))
	default:
		return false
	}
	return true
}

func (s *instance) emitVal(g *emitter, l uint8) {
	if !g.fits(1) {
		return
	}
	if s.askedVal&literals(variable(l)) != 0 {
		g.use(feature.RepeatQuery)
	}
	s.askedVal |= bit(l)
	g.t.Literal(s.number, apimodel.OpVal, s.lit(l))
	s.noteSingle(g, l)
}

func (s *instance) emitFailed(g *emitter, l uint8) {
	if !g.fits(1) {
		return
	}
	if has(s.askedFailed, l) {
		g.use(feature.RepeatQuery)
	}
	if !has(s.failing, l) {
		g.use(feature.FailedOther)
	}
	s.askedFailed |= bit(l)
	g.t.Literal(s.number, apimodel.OpFailed, s.lit(l))
	s.noteSingle(g, l)
}

func (s *instance) noteSingle(g *emitter, l uint8) {
	if !has(s.mentioned, variable(l)) {
		g.use(feature.UnseenQuery)
	}
	s.mentioned |= bit(variable(l))
	if s.asked++; s.asked >= feature.ManyQueriesFrom {
		g.use(feature.ManyQueries)
	}
}
