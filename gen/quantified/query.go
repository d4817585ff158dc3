package quantified

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A question is one that the trace has asked since the last solve. lit is 0 if it is about all variables.
type question struct {
	op  apimodel.Op
	lit int32
}

// ask asks the questions for both answers. The generator does not know which answer comes, and the
// executor withholds questions that do not apply.
func (l *life) ask() {
	g := l.g
	r := &g.rand
	l.asked = l.asked[:0]
	model, core := r.Chance(800), len(l.assumed) > 0 && r.Chance(800) || r.Chance(60)
	single := [...]int{0, 0, 0, 1, 1, 2, 3}[r.Below(7)]
	if g.drawn(feature.ManyQueries) && r.Chance(500) {
		single = r.Between(feature.ManyQueriesFrom, 20)
	}
	late := r.Flip()
	for range 2 {
		if late {
			l.whole(model, core)
		} else {
			for range single {
				l.single()
			}
		}
		late = !late
	}
}

func (l *life) whole(model, core bool) {
	ops := [...]apimodel.Op{apimodel.OpModel, apimodel.OpCore}
	wanted := [...]bool{model, core}
	first := int(l.g.rand.Below(2))
	for i := range ops {
		if at := (first + i) % 2; wanted[at] {
			l.question(ops[at], 0)
		}
	}
	if l.g.drawn(feature.RepeatQuery) && l.g.rand.OneIn(3) && len(l.asked) > 0 {
		l.question(l.asked[len(l.asked)-1].op, l.asked[len(l.asked)-1].lit)
	}
}

// single asks about one literal.
func (l *life) single() {
	g := l.g
	r := &g.rand
	if g.drawn(feature.RepeatQuery) && len(l.asked) > 0 && r.Chance(400) {
		again := l.asked[r.Below(uint32(len(l.asked)))]
		if again.op == apimodel.OpVal && r.Flip() {
			again.lit = -again.lit
		}
		l.question(again.op, again.lit)
		return
	}
	op := apimodel.OpVal
	if (len(l.assumed) > 0 || g.drawn(feature.FailedOther)) && r.Chance(450) {
		op = apimodel.OpFailed
	}
	lit := int32(0)
	switch {
	case op == apimodel.OpFailed && len(l.assumed) > 0 && !(g.drawn(feature.FailedOther) && r.Chance(400)):
		lit = l.assumed[r.Below(uint32(len(l.assumed)))]
	case g.drawn(feature.UnseenQuery) && r.Chance(300) && l.room():
		lit = l.largest + 1
	case len(l.named) > 0:
		lit = l.named[r.Below(uint32(len(l.named)))]
		if r.Flip() {
			lit = -lit
		}
	}
	if lit != 0 {
		l.question(op, lit)
	}
}

// question asks a question, unless it would have a feature that was not drawn.
func (l *life) question(op apimodel.Op, lit int32) {
	g := l.g
	single, repeats := 0, false
	for _, q := range l.asked {
		if q.lit != 0 {
			single++
		}
		repeats = repeats || q.op == op && (q.lit == lit || op == apimodel.OpVal && q.lit == -lit)
	}
	many := lit != 0 && single+1 >= feature.ManyQueriesFrom
	if repeats && !g.drawn(feature.RepeatQuery) || many && !g.drawn(feature.ManyQueries) || !l.fits(1) {
		return
	}
	if repeats {
		g.use(feature.RepeatQuery)
	}
	if many {
		g.use(feature.ManyQueries)
	}
	v := max(lit, -lit)
	if lit != 0 && (int(v) >= len(l.isNamed) || !l.isNamed[v]) {
		g.use(feature.UnseenQuery)
	}
	if op == apimodel.OpFailed && !slices.Contains(l.assumed, lit) {
		if !g.drawn(feature.FailedOther) {
			return
		}
		g.use(feature.FailedOther)
	}
	l.asked = append(l.asked, question{op, lit})
	if lit == 0 {
		l.t.Plain(l.number, op)
	} else {
		l.t.Literal(l.number, op, l.name(lit))
	}
}
