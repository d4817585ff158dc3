package gen

import (
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The generator weaves the calls that a model adds to a standard interface into a finished trace of
// that interface, with random numbers of their own. So families need not know these calls, and the
// rest of the trace stays the same.

// A woven is what weaving knows about an instance.
type woven struct {
	alive  bool
	open   bool // the last clause is not closed
	vars   []int32
	seen   map[int32]bool
	frozen []int32
	phased []int32

	constrained bool // the next solve has a constraint
	asks        bool // the last call is a solve with a constraint, and constraint-failed follows

	proof proving
}

func (w *woven) name(lits []int32) {
	for _, l := range lits {
		if v := trace.Var(l); !w.seen[v] {
			w.seen[v] = true
			w.vars = append(w.vars, v)
		}
	}
}

// weave adds calls to the trace for the features after SpreadEnd that the seed draws.
func (g *emitter) weave(seed uint64) {
	r := draw.New(draw.Mix(seed ^ draw.Golden>>1))
	var on feature.Set
	for f := feature.SpreadEnd; f < feature.Count(); f++ {
		if f > feature.Of(apimodel.OpLimitConflicts) && g.current.thresholds[f] == 0 {
			continue // do not draw, so that traces stay as they were before the feature existed
		}
		if f.In(g.model) && r.Below(65536) < g.current.thresholds[f] {
			on |= 1 << f
		}
	}
	if on &= g.possible; on == 0 {
		return
	}
	plain, t := g.again()
	instances := make(map[uint16]*woven)
	spare := g.config.MaxCalls - len(plain.Calls)
	var order []uint16
	for i := range plain.Calls {
		c := &plain.Calls[i]
		w := instances[c.Instance]
		if w == nil {
			w = new(woven)
			instances[c.Instance] = w
			order = append(order, c.Instance)
		}
		if w.asks && spare > 2 {
			t.Plain(c.Instance, apimodel.OpConstraintFailed)
			spare--
		}
		w.asks = false
		if w.alive && !w.open && spare > 2 {
			before := len(t.Calls)
			g.weaveOne(&r, on, w, c)
			spare -= len(t.Calls) - before
			for _, op := range asked {
				if on.Has(feature.Of(op)) && spare >= mostAsked {
					spare -= w.ask(g, &r, op, c.Instance)
				}
			}
			if spare >= mostWithCodes {
				before = len(t.Calls)
				g.weaveCodes(&r, on, w, c)
				spare -= len(t.Calls) - before
			}
		}
		if on.Has(feature.Of(apimodel.OpProof)) && !w.open && spare > 2 {
			spare -= w.proof.before(g, &r, c)
		}
		t.Append(plain, c)
		if c.Op == apimodel.OpSolve {
			w.asks = w.constrained && on.Has(feature.Of(apimodel.OpConstrain)) &&
				g.config.Description.Has("constraint-failed") && r.Chance(400)
			w.constrained = false
		}
		switch {
		case c.Op == apimodel.OpRelease:
			*w = woven{}
		case c.Op != apimodel.OpSignature:
			if !w.alive {
				w.alive, w.seen = true, make(map[int32]bool)
			}
			if c.Op.HasLits() {
				w.name(plain.Args(c))
			}
			w.open = c.Op == apimodel.OpClause && c.Flags&trace.Open != 0
		}
	}
	for _, id := range order {
		if w := instances[id]; w.proof.solves > 0 && !w.open && spare > 0 {
			spare -= w.proof.ask(g, id)
		}
	}
}

// weaveOne may add calls before the call next of the same instance. It adds them only where next
// invalidates the last answer, because the added calls do that, too.
func (g *emitter) weaveOne(r *draw.Rand, on feature.Set, w *woven, next *trace.Call) {
	id := next.Instance
	switch next.Op {
	case apimodel.OpSolve:
		if len(w.vars) > 0 && g.weaves(r, on, apimodel.OpConstrain, 500) {
			for range 1 + r.Below(8)/7 { // sometimes a second one replaces the first
				g.t.List(id, apimodel.OpConstrain, w.some(r)...)
			}
			w.constrained = true
		}
		if g.weaves(r, on, apimodel.OpLimitConflicts, 250) {
			op := apimodel.OpLimitConflicts
			if r.Flip() {
				op = apimodel.OpLimitDecisions
			}
			g.t.Count(id, op, [...]uint32{0, 1, 2, 5, 50}[r.Below(5)])
			if r.Chance(150) {
				g.t.TakeAway(id, op)
			}
		}
		w.enumerate(g, r, on, id, 300)
	case apimodel.OpClause, apimodel.OpAssume, apimodel.OpRelease:
		w.enumerate(g, r, on, id, 60)
		if g.weaves(r, on, apimodel.OpSimplify, 120) {
			g.t.Plain(id, apimodel.OpSimplify)
		}
	default:
		return
	}
	if len(w.vars) == 0 {
		return
	}
	v := w.vars[r.Below(uint32(len(w.vars)))]
	if g.weaves(r, on, apimodel.OpFreeze, 150) {
		if n := len(w.frozen); n > 0 && r.Flip() {
			g.t.Literal(id, apimodel.OpMelt, w.frozen[n-1])
			w.frozen = w.frozen[:n-1]
		} else {
			g.t.Literal(id, apimodel.OpFreeze, v)
			w.frozen = append(w.frozen, v)
		}
	}
	if g.weaves(r, on, apimodel.OpPhase, 150) {
		if n := len(w.phased); n > 0 && r.Chance(300) {
			g.t.Literal(id, apimodel.OpUnphase, w.phased[n-1])
			w.phased = w.phased[:n-1]
		} else {
			l := v
			if r.Flip() {
				l = -l
			}
			g.t.Literal(id, apimodel.OpPhase, l)
			w.phased = append(w.phased, v)
		}
	}
}

// weaves reports whether to add the call, so many times in a thousand, and then records its feature.
func (g *emitter) weaves(r *draw.Rand, on feature.Set, op apimodel.Op, chance uint32) bool {
	f := feature.Of(op)
	if !on.Has(f) || !r.Chance(chance) {
		return false
	}
	g.use(f)
	return true
}

const (
	chanceMisuse = 100 // in a thousand, before any call but one of an open clause
	chanceErrors = 150
	wrongCalls   = 7 // kinds of misuse
	someOptions  = 50
	mostImports  = 4 // before a solve

	mostWithCodes = mostImports + 2
)

// weaveCodes adds the calls of IPASIR-2 before the call next of an instance: clauses to
// import, a wrong call, and the question whether a right one returned an error code.
func (g *emitter) weaveCodes(r *draw.Rand, on feature.Set, w *woven, next *trace.Call) {
	id := next.Instance
	if next.Op == apimodel.OpSolve && len(w.vars) > 0 && g.weaves(r, on, apimodel.OpImport, 400) {
		for range r.Between(1, mostImports) {
			g.t.List(id, apimodel.OpImport, w.some(r)...)
		}
	}
	if g.weaves(r, on, apimodel.OpMisuse, chanceMisuse) {
		g.t.Count(id, apimodel.OpMisuse, r.Below(wrongCalls)+wrongCalls*r.Below(someOptions))
	}
	if g.weaves(r, on, apimodel.OpErrors, chanceErrors) {
		g.t.Plain(id, apimodel.OpErrors)
	}
}

// enumerate may count solutions. Its bound is mostly as high as the number of solutions of a formula
// of a few variables: larger formulas have too many.
func (w *woven) enumerate(g *emitter, r *draw.Rand, on feature.Set, id uint16, chance uint32) {
	if g.weaves(r, on, apimodel.OpEnumerate, chance) {
		g.t.Count(id, apimodel.OpEnumerate, [...]uint32{1000, 1000, 300, 100, 20, 3}[r.Below(6)])
	}
}

const (
	chanceAsked = 100 // in a thousand, before any call but one of an open clause
	mostAsked   = 3   // questions in a row
)

// asked are the calls that weaving adds as their rows say.
var asked = func() (ops []apimodel.Op) {
	for op := range apimodel.NumOps {
		if row := op.Row(); row != nil && row.Asked {
			ops = append(ops, op)
		}
	}
	return ops
}()

// ask may ask some questions that have no argument or a literal. It returns the number of calls that it adds.
func (w *woven) ask(g *emitter, r *draw.Rand, op apimodel.Op, id uint16) int {
	if len(w.vars) == 0 || !r.Chance(chanceAsked) {
		return 0
	}
	n := r.Between(1, mostAsked)
	for range n {
		if !op.HasLits() {
			g.t.Plain(id, op)
			continue
		}
		l := w.vars[r.Below(uint32(len(w.vars)))]
		if r.Flip() {
			l = -l
		}
		g.t.Literal(id, op, l)
	}
	g.use(feature.Of(op))
	return n
}

// some returns the literals of a constraint, mostly two or three, rarely none.
func (w *woven) some(r *draw.Rand) []int32 {
	n := 1 + r.Below(3)
	if r.Chance(20) {
		n = 0
	}
	lits := make([]int32, n)
	for i := range lits {
		lits[i] = w.vars[r.Below(uint32(len(w.vars)))]
		if r.Flip() {
			lits[i] = -lits[i]
		}
	}
	return lits
}

// proving is what weaving knows about the proof of an instance.
type proving struct {
	format  string // "": none
	isBegun bool   // the trace may not set options any more
	solves  int
	isAsked bool // since the last solve
}

// before may add calls about the proof before the call next of the same instance, and returns their
// number. It sets the option before all other calls, and asks for the proof after the questions
// about an answer.
func (p *proving) before(g *emitter, r *draw.Rand, next *trace.Call) (added int) {
	switch {
	case next.Op == apimodel.OpInit:
		*p = proving{}
		return 0
	case next.Op == apimodel.OpSignature:
		return 0
	case !p.isBegun && next.Op != apimodel.OpRelease:
		p.isBegun = true
		formats := g.config.Description.ProofFormats(g.model)
		p.format = formats[r.Below(uint32(len(formats)))]
		g.t.SetOption(next.Instance, apimodel.ProofOption, p.format)
		g.use(feature.Of(apimodel.OpProof))
		added++
	}
	isFirst := p.solves == 1 && !strings.HasSuffix(p.format, "idrup") // proofs of other formats are about one formula
	if !next.Op.Does(apimodel.Asks) && (isFirst || next.Op == apimodel.OpRelease || r.Chance(chanceProof)) {
		added += p.ask(g, next.Instance)
	}
	switch next.Op {
	case apimodel.OpRelease:
		*p = proving{}
	case apimodel.OpSolve:
		p.solves++
		p.isAsked = false
	}
	return added
}

const chanceProof = 300 // in a thousand, after a solve

// ask asks for the proof, unless the trace has asked for it since the last solve. It returns the number
// of calls that it adds.
func (p *proving) ask(g *emitter, id uint16) int {
	if p.format == "" || p.isAsked || p.solves == 0 {
		return 0
	}
	p.isAsked = true
	g.t.Plain(id, apimodel.OpProof)
	return 1
}
