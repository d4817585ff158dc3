package quantified

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A life makes the calls of one instance. It holds a formula, the schedule that spreads it, and what the
// calls have told the solver so far. Variables have their numbers in the formula. Their names are their
// numbers in the trace.
type life struct {
	g        *Emitter
	t        *trace.Trace
	number   uint16
	schedule family.Schedule
	budget   int // of calls
	solves   int
	most     int // solves at most

	blocks  []part
	vars    []int32 // of all blocks
	clauses [][]int32
	lits    []int32 // of all clauses that decorate changed
	stages  int
	stageOf []int8 // by variable; free ones have -1 until a clause names them
	largest int32  // variable of the formula

	// What the solver knows.
	declared    int     // number of blocks
	named       []int32 // variables, in order of first occurrence
	isNamed     []bool
	free        []int32 // the free ones of these
	next        int     // index of the next clause
	added       int     // number of clauses
	given       []int32 // assumptions of the next solve
	assumed     []int32 // of the last one
	changed     bool
	outer       []int32
	asked       []question
	far, step   int32
	farFrom     int32
	greatestVar int32 // has the name MaxInt32
	names       []int32
	watched     bool // a callback is set
}

// A part is a block of the formula. Its first told variables are in the solver's prefix.
type part struct {
	universal bool
	vars      []int32
	stage     int8
	told      int
}

const mostSolves = 10 // with many-solves

func (l *life) make(g *Emitter, t *trace.Trace, number uint16) {
	l.g, l.t, l.number = g, t, number
	l.budget = len(t.Calls) + g.MaxCalls/g.Instances
	l.solves = 0
	r := &g.rand
	l.most = r.Between(1, feature.UsualSolves)
	if g.drawn(feature.ManySolves) {
		l.most = r.Between(feature.UsualSolves+1, mostSolves)
	}
	l.drawNames()
	l.begin(false)
	l.run()
	if g.drawn(feature.ReleaseReinit) && l.fits(12) {
		l.t.Plain(number, apimodel.OpRelease)
		l.t.Plain(number, apimodel.OpInit)
		g.use(feature.ReleaseReinit)
		l.most = max(l.most, l.solves+1)
		if !g.drawn(feature.ManySolves) {
			l.most = min(l.most, feature.UsualSolves)
		}
		l.begin(true)
		l.run()
	}
	if g.drawn(feature.EarlyRelease) && r.Chance(700) && l.fits(1) {
		l.t.Plain(number, apimodel.OpRelease)
		g.use(feature.EarlyRelease)
	}
}

func (l *life) fits(n int) bool { return len(l.t.Calls)+n <= l.budget }

// reserve is the number of calls that a solve and its questions may need.
const reserve = 4

// drawNames decides which numbers variables have in the trace: their own, numbers far apart, or the
// greatest.
func (l *life) drawNames() {
	g := l.g
	l.farFrom, l.greatestVar = math.MaxInt32, 0
	if g.drawn(feature.Gaps) {
		l.far, l.step = int32(g.rand.Between(feature.LeastFar, 5000)), int32(g.rand.Between(1, 40))
		l.farFrom = int32(g.rand.Between(1, 4))
	}
	if g.drawn(feature.MaxVariable) {
		l.greatestVar = int32(g.rand.Between(1, 4))
	}
}

func (l *life) name(lit int32) int32 {
	v := max(lit, -lit)
	name := v
	if v >= l.farFrom {
		name = l.far + (v-l.farFrom)*l.step
		l.g.use(feature.Gaps)
	}
	if v == l.greatestVar {
		name = math.MaxInt32
		l.g.use(feature.MaxVariable)
	}
	if lit < 0 {
		return -name
	}
	return name
}

func (l *life) rename(lits []int32) []int32 {
	l.names = l.names[:0]
	for _, lit := range lits {
		l.names = append(l.names, l.name(lit))
	}
	return l.names
}

// begin makes the calls that come first, and the formula.
func (l *life) begin(again bool) {
	g := l.g
	r := &g.rand
	if g.drawn(feature.Signature) && r.Chance(600) {
		l.t.Plain(l.number, apimodel.OpSignature)
		g.use(feature.Signature)
	}
	if !again && r.Chance(50) {
		l.t.Plain(l.number, apimodel.OpInit)
	}
	if g.drawn(feature.Options) {
		before := len(l.t.Calls)
		g.Options(r, l.t, l.number, g.MaxCalls/3/g.Instances)
		if len(l.t.Calls) > before {
			g.use(feature.Options)
		}
	}
	l.schedule = g.Schedules[r.Below(uint32(len(g.Schedules)))].Schedule
	f := g.Family.MakeQuantified(&g.b, r.Split())
	l.take(f.Prefix, f.Clauses)
	l.decorate()
	l.plan()

	l.declared, l.next, l.added = 0, 0, 0
	l.named, l.free = l.named[:0], l.free[:0]
	l.isNamed = append(l.isNamed[:0], make([]bool, l.largest+1)...)
	l.given, l.assumed = l.given[:0], l.assumed[:0]
	l.changed, l.watched = true, false
}

// plan decides in which stage the solver gets each block and variable, and the order of clauses.
func (l *life) plan() {
	g := l.g
	r := &g.rand
	l.stages = 1
	if l.schedule == family.Extending {
		l.stages = r.Between(2, 4)
	}
	stage := 0
	l.stageOf = append(l.stageOf[:0], make([]int8, l.largest+1)...)
	for i := range l.blocks {
		if i > 0 && stage < l.stages-1 && (l.blocks[i].universal || g.drawn(feature.InnermostUniversal)) && r.Chance(700) {
			stage++ // in one solve, the block before is the innermost one
		}
		l.blocks[i].stage = int8(stage)
		for j, v := range l.blocks[i].vars {
			l.stageOf[v] = int8(stage)
			if j > 0 && g.drawn(feature.ExtendedBlock) && r.Chance(350) {
				l.stageOf[v] = int8(r.Between(stage, l.stages-1))
				if l.stages == 1 {
					l.stageOf[v] = 1 // after the prefix
				}
			}
		}
		vars := l.blocks[i].vars
		slices.SortStableFunc(vars, func(x, y int32) int { return int(l.stageOf[x]) - int(l.stageOf[y]) })
	}
	if r.Chance(300) {
		draw.Shuffle(r, l.clauses)
	}
	if l.stages > 1 {
		slices.SortStableFunc(l.clauses, func(x, y []int32) int { return l.stageOfClause(x) - l.stageOfClause(y) })
	}
}

// stageOfClause returns the stage after which the solver has all variables of the clause.
func (l *life) stageOfClause(clause []int32) int {
	last := int8(0)
	for _, lit := range clause {
		last = max(last, l.stageOf[max(lit, -lit)])
	}
	return int(last)
}
