package mutation

import (
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An attempt is a copy of a healthy run that one alteration may change.
type attempt struct {
	t      *trace.Trace
	run    trace.Run
	rand   *draw.Rand
	solver *solver
}

// An alteration changes one answer, that of call i. It returns false if that call has nothing of its kind.
type alteration struct {
	name  string
	alter func(x *attempt, i int) bool
}

func (x *attempt) call(i int) *trace.Call     { return &x.t.Calls[i] }
func (x *attempt) answer(i int) *trace.Answer { return &x.run.Answers.Of[i] }

// is reports whether call i is one of the operations and was answered.
func (x *attempt) is(i int, ops ...apimodel.Op) bool {
	return x.answer(i).Kind == trace.Answered && slices.Contains(ops, x.call(i).Op)
}

func (x *attempt) weighted() bool { return x.t.Model == apimodel.IPAMIR }

// set replaces the number that call i answered.
func (x *attempt) set(i int, num uint64) bool {
	a := x.answer(i)
	if a.Num == num {
		return false
	}
	a.Num = num
	return true
}

func (x *attempt) setInt(i int, n int32) bool { return x.set(i, uint64(int64(n))) }

// list replaces the list that call i answered.
func (x *attempt) list(i int, lits []int32) {
	a := x.answer(i)
	a.Pos, a.Len = uint32(len(x.run.Answers.Lits)), uint32(len(lits))
	x.run.Answers.Lits = append(x.run.Answers.Lits, lits...)
}

func (x *attempt) listOf(i int) []int32 { return slices.Clone(x.run.Answers.ListOf(x.answer(i))) }

func (x *attempt) pick(n int) int { return int(x.rand.Below(uint32(n))) }

// variable returns a variable that some instance of the trace has named.
func (x *attempt) variable() int32 {
	if len(x.t.Lits) == 0 {
		return 1
	}
	return trace.Var(x.t.Lits[x.pick(len(x.t.Lits))])
}

func (x *attempt) literal() int32 {
	if x.rand.Flip() {
		return -x.variable()
	}
	return x.variable()
}

// session returns the queries about the answer of solve i.
func (x *attempt) session(i int) []int {
	var questions []int
	for k := i + 1; k < len(x.t.Calls); k++ {
		c := x.call(k)
		if c.Instance != x.call(i).Instance {
			continue
		}
		switch c.Op {
		case apimodel.OpVal, apimodel.OpModel, apimodel.OpObj, apimodel.OpFailed, apimodel.OpCore:
			questions = append(questions, k)
		case apimodel.OpTerminate, apimodel.OpLearn, apimodel.OpSignature, apimodel.OpOption, apimodel.OpHavoc:
		default:
			return questions
		}
	}
	return questions
}

// solveBefore returns the last solve of the same instance before call i, or -1.
func (x *attempt) solveBefore(i int) int {
	for k := i - 1; k >= 0; k-- {
		if x.call(k).Instance == x.call(i).Instance && x.is(k, apimodel.OpSolve) {
			return k
		}
	}
	return -1
}

// withholdUnfit removes the answers to queries that the status of solve i does not allow, as the executor
// does.
func (x *attempt) withholdUnfit(i int) {
	status := x.answer(i).Int()
	for _, k := range x.session(i) {
		fits := status == apimodel.Satisfiable || x.weighted() && status == apimodel.Optimum
		if op := x.call(k).Op; op == apimodel.OpFailed || op == apimodel.OpCore {
			fits = status == apimodel.Unsatisfiable
		}
		if !fits {
			x.answer(k).Kind = trace.Withheld
		}
	}
}

func status(name string, number int32) alteration {
	return alteration{"solve: " + name, func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.setInt(i, number)
	}}
}

func objective(name string, change func(uint64) uint64) alteration {
	return alteration{"obj: " + name, func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpObj) && x.set(i, change(x.answer(i).Num))
	}}
}

func value(name string, change func(x *attempt, asked, got int32) int32) alteration {
	return alteration{"val: " + name, func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpVal) && x.setInt(i, change(x, x.t.Lit(x.call(i)), int32(x.answer(i).Num)))
	}}
}

func failedFlag(name string, change func(int32) int32) alteration {
	return alteration{"failed: " + name, func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpFailed) && x.setInt(i, change(int32(x.answer(i).Num)))
	}}
}

// listed changes the list of a model or a core. If change returns nil or the same list, the alteration does
// not apply.
func listed(op apimodel.Op, name string, change func(x *attempt, i int, lits []int32) []int32) alteration {
	return alteration{name, func(x *attempt, i int) bool {
		if !x.is(i, op) {
			return false
		}
		lits := change(x, i, x.listOf(i))
		if lits == nil || slices.Equal(lits, x.listOf(i)) {
			return false
		}
		x.list(i, lits)
		return true
	}}
}

func strange(op apimodel.Op, name string) alteration {
	return alteration{name, func(x *attempt, i int) bool {
		if !x.is(i, op) {
			return false
		}
		x.answer(i).Strange = true
		return true
	}}
}

// kind makes a call one that was not made, or whose answer is unknown.
func kind(name string, k trace.AnswerKind, ops ...apimodel.Op) alteration {
	return alteration{name, func(x *attempt, i int) bool {
		if !x.is(i, ops...) {
			return false
		}
		x.answer(i).Kind = k
		return true
	}}
}

func ended(name string, end trace.End, death func(x *attempt) trace.Death) alteration {
	return alteration{"end: " + name, func(x *attempt, i int) bool {
		x.run.End, x.run.Call = end, i
		if i == len(x.t.Calls)-1 && x.rand.Flip() {
			x.run.Call++ // in the final release
		}
		for k := range x.run.Answers.Of[x.run.Call:] {
			x.run.Answers.Of[x.run.Call+k] = trace.Answer{}
		}
		if death != nil {
			x.run.Death = death(x)
		}
		return true
	}}
}

func without(lits []int32, k int) []int32 { return append(lits[:k:k], lits[k+1:]...) }

var oddNumbers = []int32{-1, 1, 2, 9, 11, 21, 31, 50, -10, 255, math.MaxInt32, math.MinInt32}

// alterations are the alterations of single answers; exchanges are those of several.
var alterations = []alteration{
	status("status becomes 0", 0),
	status("status becomes 10", 10),
	status("status becomes 20", 20),
	status("status becomes 30", 30),
	status("status becomes 40", 40),
	{"solve: status becomes no status", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpSolve) && x.setInt(i, oddNumbers[x.pick(len(oddNumbers))])
	}},
	{"solve: another status, unfit questions withheld", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpSolve) || !x.setInt(i, int32(10*x.pick(4))) {
			return false
		}
		x.withholdUnfit(i)
		return true
	}},

	value("negated", func(_ *attempt, _, got int32) int32 { return -got }),
	value("becomes 0", func(*attempt, int32, int32) int32 { return 0 }),
	value("0 becomes a value", func(_ *attempt, asked, got int32) int32 {
		if got == 0 {
			return asked
		}
		return got
	}),
	value("a literal of another variable", func(x *attempt, asked, got int32) int32 { return x.literal() }),
	value("no literal", func(x *attempt, asked, got int32) int32 {
		return []int32{1, -1, got + 1, got - 1, math.MaxInt32, math.MinInt32}[x.pick(6)]
	}),

	listed(apimodel.OpModel, "model: a literal negated", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 0 {
			k := x.pick(len(lits))
			lits[k] = -lits[k]
		}
		return lits
	}),
	listed(apimodel.OpModel, "model: two literals negated", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 1 {
			k := x.pick(len(lits) - 1)
			lits[k], lits[k+1] = -lits[k], -lits[k+1]
		}
		return lits
	}),
	listed(apimodel.OpModel, "model: all literals negated", func(_ *attempt, _ int, lits []int32) []int32 {
		for k := range lits {
			lits[k] = -lits[k]
		}
		return lits
	}),
	listed(apimodel.OpModel, "model: a literal dropped", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 0 {
			lits = without(lits, x.pick(len(lits)))
		}
		return lits
	}),
	listed(apimodel.OpModel, "model: emptied", func(*attempt, int, []int32) []int32 { return []int32{} }),
	listed(apimodel.OpModel, "model: the opposite literal added", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 0 {
			lits = append(lits, -lits[x.pick(len(lits))])
		}
		return lits
	}),
	listed(apimodel.OpModel, "model: a literal of the trace added", func(x *attempt, _ int,
		lits []int32) []int32 {
		return append(lits, x.literal())
	}),
	listed(apimodel.OpModel, "model: a foreign literal added", func(x *attempt, _ int, lits []int32) []int32 {
		return append(lits, math.MaxInt32-int32(x.pick(9)))
	}),
	strange(apimodel.OpModel, "model: marked strange"),

	objective("+1", func(o uint64) uint64 { return o + 1 }),
	objective("-1", func(o uint64) uint64 { return o - 1 }),
	objective("+2^32", func(o uint64) uint64 { return o + 1<<32 }),
	objective("becomes 0", func(uint64) uint64 { return 0 }),
	objective("becomes 2^63", func(uint64) uint64 { return 1 << 63 }),
	objective("becomes 2^64-1", func(uint64) uint64 { return math.MaxUint64 }),
	objective("cut to 32 bits", func(o uint64) uint64 { return uint64(uint32(o)) }),
	objective("cut to 32 bits with a sign", func(o uint64) uint64 { return uint64(int64(int32(o))) }),
	objective("rounded to a double", func(o uint64) uint64 {
		if f := float64(o); f < 1<<64 {
			return uint64(f)
		}
		return 0
	}),
	objective("doubled", func(o uint64) uint64 { return 2 * o }),

	failedFlag("flipped", func(got int32) int32 { return 1 - got }),
	failedFlag("becomes 2", func(int32) int32 { return 2 }),
	failedFlag("becomes -1", func(int32) int32 { return -1 }),

	listed(apimodel.OpCore, "core: a literal dropped", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 0 {
			lits = without(lits, x.pick(len(lits)))
		}
		return lits
	}),
	listed(apimodel.OpCore, "core: emptied", func(*attempt, int, []int32) []int32 { return []int32{} }),
	listed(apimodel.OpCore, "core: an assumption added", func(x *attempt, i int, lits []int32) []int32 {
		all := x.assumptions(i)
		if len(all) == 0 {
			return nil
		}
		if l := all[x.pick(len(all))]; !slices.Contains(lits, l) {
			return append(lits, l)
		}
		return nil
	}),
	listed(apimodel.OpCore, "core: a literal that was not assumed added", func(x *attempt, i int, lits []int32) []int32 {
		if l := x.literal(); !slices.Contains(x.assumptions(i), l) {
			return append(lits, l)
		}
		return nil
	}),
	listed(apimodel.OpCore, "core: a literal negated", func(x *attempt, _ int, lits []int32) []int32 {
		if len(lits) > 0 {
			k := x.pick(len(lits))
			lits[k] = -lits[k]
		}
		return lits
	}),
	strange(apimodel.OpCore, "core: marked strange"),

	kind("withheld: a question", trace.Withheld, apimodel.OpVal, apimodel.OpModel, apimodel.OpObj, apimodel.OpFailed,
		apimodel.OpCore),
	kind("withheld: a clause", trace.Withheld, apimodel.OpClause),
	kind("withheld: a soft literal", trace.Withheld, apimodel.OpSoft),
	kind("withheld: an assumption", trace.Withheld, apimodel.OpAssume),
	kind("withheld: a solve", trace.Withheld, apimodel.OpSolve),
	kind("withheld: init or release", trace.Withheld, apimodel.OpInit, apimodel.OpRelease),
	kind("unsupported: a question", trace.Unsupported, apimodel.OpVal, apimodel.OpModel, apimodel.OpObj,
		apimodel.OpFailed, apimodel.OpCore),
	kind("unsupported: terminate or learn", trace.Unsupported, apimodel.OpTerminate, apimodel.OpLearn),
	kind("not answered: a question", trace.NotAnswered, apimodel.OpVal, apimodel.OpModel, apimodel.OpObj,
		apimodel.OpFailed, apimodel.OpCore),
	kind("not answered: a solve", trace.NotAnswered, apimodel.OpSolve),

	{"signature: another text", func(x *attempt, i int) bool {
		if !x.is(i, apimodel.OpSignature) {
			return false
		}
		a := x.answer(i)
		a.Pos, a.Len = uint32(len(x.run.Answers.Text)), 5
		x.run.Answers.Text = append(x.run.Answers.Text, "other"...)
		return true
	}},
	{"option: another code", func(x *attempt, i int) bool {
		return x.is(i, apimodel.OpOption) && x.set(i,
			x.answer(i).Num^1)
	}},

	ended("killed", trace.Killed, func(x *attempt) trace.Death { return trace.Death{Signal: 1 + x.pick(31)} }),
	ended("exited", trace.Exited, func(x *attempt) trace.Death { return trace.Death{ExitCode: x.pick(3)} }),
	ended("wall time limit", trace.OutOfTime, nil),
	ended("CPU time limit", trace.OutOfCPU, nil),
	ended("memory limit", trace.OutOfMemory, nil),
	ended("output limit", trace.OutOfOutput, nil),
	{"end: a call in progress, though the run finished", func(x *attempt, i int) bool { x.run.Call = i; return true }},
}

// assumptions returns the assumptions of the solve that query i is about.
func (x *attempt) assumptions(i int) []int32 {
	solve := x.solveBefore(i)
	var lits []int32
	for k := solve - 1; k >= 0; k-- {
		if c := x.call(k); c.Instance == x.call(i).Instance {
			if c.Op == apimodel.OpSolve || c.Op == apimodel.OpRelease {
				break
			}
			if x.is(k, apimodel.OpAssume) {
				lits = append(lits, x.t.Lit(c))
			}
		}
	}
	return lits
}
