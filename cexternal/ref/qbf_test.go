package ref_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A session is a random trace. It draws every call and drops the illegal ones.
type session struct {
	r *rand.Rand
	t *trace.Trace
}

// call appends a call unless it is illegal.
func (s *session) call(add func()) {
	calls, lits := len(s.t.Calls), len(s.t.Lits)
	add()
	if trace.Check(s.t) != nil {
		s.t.Calls, s.t.Lits = s.t.Calls[:calls], s.t.Lits[:lits]
	}
}

func (s *session) lits(least, most, variables int, signs bool) []int32 {
	lits := make([]int32, least+s.r.IntN(most+1-least))
	for i := range lits {
		lits[i] = int32(s.r.IntN(variables) + 1)
		if signs && s.r.IntN(2) == 0 {
			lits[i] = -lits[i]
		}
	}
	return lits
}

func newSession(seed uint64) *trace.Trace {
	s := &session{rand.New(rand.NewPCG(seed, 1)), &trace.Trace{Model: apimodel.QBF}}
	variables := s.r.IntN(9) + 1
	if s.r.IntN(4) > 0 { // an ordinary prefix
		var free []int32
		for _, v := range s.r.Perm(variables) {
			free = append(free, int32(v+1))
		}
		for len(free) > 0 {
			n := min(s.r.IntN(6)/2, len(free))
			op := apimodel.OpExists + apimodel.Op(s.r.IntN(2))
			s.call(func() { s.t.List(0, op, free[:n]...) })
			if free = free[n:]; s.r.IntN(8) == 0 {
				break
			}
		}
	}
	groups := s.r.IntN(2) == 0
	length := s.r.IntN(60) + 5
	for range length {
		s.call(func() { s.draw(variables, groups) })
	}
	if calls := s.t.Calls; len(calls) > 0 && calls[len(calls)-1].Flags&trace.Open != 0 {
		s.t.Clause(0, true)
	}
	s.t.Plain(0, apimodel.OpSolve)
	s.t.Plain(0, apimodel.OpModel)
	s.t.Plain(0, apimodel.OpCore)
	return s.t
}

func (s *session) draw(variables int, groups bool) {
	switch n := s.r.IntN(100); {
	case n < 50:
		least := 2
		if s.r.IntN(30) == 0 {
			least = 0
		}
		s.t.Clause(0, s.r.IntN(20) > 0, s.lits(least, 4, variables, true)...)
	case n < 56:
		s.t.List(0, apimodel.OpExists+apimodel.Op(s.r.IntN(2)), s.lits(0, 2, variables, false)...)
	case n < 60:
		s.t.Extend(0, s.r.IntN(3)+1, s.lits(0, 2, variables, false)...)
	case n < 70 && groups:
		op := apimodel.OpOpen + apimodel.Op(s.r.IntN(4))
		if s.r.IntN(4) == 0 {
			op = apimodel.OpDelete
		}
		s.t.Count(0, op, uint32(s.r.IntN(2)))
	case n < 70:
		s.t.Plain(0, apimodel.OpPush+apimodel.Op(s.r.IntN(2)))
	case n < 84:
		s.t.Literal(0, apimodel.OpAssume, s.lit(variables))
	case n < 92:
		s.t.Plain(0, apimodel.OpSolve)
	case n < 94:
		s.t.Plain(0, apimodel.OpModel)
	case n < 96:
		s.t.Plain(0, apimodel.OpCore)
	case n < 98:
		s.t.Literal(0, apimodel.OpVal, s.lit(variables))
	default:
		s.t.Literal(0, apimodel.OpFailed, s.lit(variables))
	}
}

func (s *session) lit(variables int) int32 {
	lit := int32(s.r.IntN(variables) + 1)
	if s.r.IntN(2) == 0 {
		return -lit
	}
	return lit
}

// isTrue decides a formula of variables up to 31, some of which have values, by trying both values of the
// others in the order of the prefix.
func isTrue(f qbf.Formula, values map[int32]bool) bool {
	var order, positive, negative []uint32 // bit v is variable v
	var trues, universals uint32
	add := func(v int32) {
		if value, given := values[v]; !given {
			order = append(order, 1<<v)
		} else if value {
			trues |= 1 << v
		}
	}
	for _, v := range f.Free() {
		add(v)
	}
	for _, block := range f.Prefix {
		for _, v := range block.Vars {
			add(v)
			if block.Universal {
				universals |= 1 << v
			}
		}
	}
	for i, clause := range f.Clauses {
		positive, negative = append(positive, 0), append(negative, 0)
		for _, lit := range clause {
			if lit > 0 {
				positive[i] |= 1 << lit
			} else {
				negative[i] |= 1 << -lit
			}
		}
	}
	var search func(i int) bool
	search = func(i int) bool {
		if i == len(order) {
			for k := range positive {
				if positive[k]&trues == 0 && negative[k]&^trues == 0 {
					return false
				}
			}
			return true
		}
		v := order[i]
		trues &^= v
		if first := search(i + 1); first != (universals&v != 0) {
			return first
		}
		trues |= v
		defer func() { trues &^= v }()
		return search(i + 1)
	}
	return search(0)
}

func assigned(lits []int32) map[int32]bool {
	values := make(map[int32]bool)
	for _, lit := range lits {
		values[trace.Var(lit)] = lit > 0
	}
	return values
}

// wrong describes what is wrong with the answers to a trace; "" if they are right.
func wrong(t *trace.Trace, answers *trace.Answers) string {
	state := qbf.NewState(0)
	var formula qbf.Formula
	var universal bool
	var outer []int32
	status := 0
	for i := range t.Calls {
		c, a := &t.Calls[i], answers.At(i)
		if c.Op == apimodel.OpSolve {
			formula = state.Formula()
			universal, outer = state.Outermost()
			if status = 20; isTrue(formula, assigned(state.Assumptions())) {
				status = 10
			}
			if int(a.Int()) != status {
				return fmt.Sprintf("call %d: solve answers %d, not %d", i, a.Int(), status)
			}
		}
		state.Apply(t, i)
		if a.Kind != trace.Answered {
			continue
		}
		switch c.Op {
		case apimodel.OpCore:
			core := answers.ListOf(a)
			if a.Strange || isTrue(formula, assigned(core)) != (status == 10) {
				return fmt.Sprintf("call %d: core %v of %v does not suffice for %d", i, core, state.Assumed(), status)
			}
		case apimodel.OpModel:
			model := answers.ListOf(a)
			if wanted := universal == (status == 20); !wanted && len(model) > 0 || a.Strange {
				return fmt.Sprintf("call %d: a model %v where there is none", i, model)
			} else if !wanted {
				continue
			}
			for _, lit := range model {
				if !slices.Contains(outer, trace.Var(lit)) {
					return fmt.Sprintf("call %d: a value of %d, which is not in the outermost block", i, lit)
				}
			}
			values := assigned(model)
			for _, lit := range state.Assumed() {
				if value, given := values[trace.Var(lit)]; !given || value != (lit > 0) {
					return fmt.Sprintf("call %d: model %v, but %d was assumed", i, model, lit)
				}
			}
			if isTrue(formula, values) != (status == 10) {
				return fmt.Sprintf("call %d: model %v does not make it %d", i, model, status)
			}
		}
	}
	return ""
}

// A runner runs traces on the library in this process.
type runner struct {
	encoder trace.Encoder
	encoded []uint32
	answers []uint32
	decoded trace.Answers
}

func (r *runner) run(t *testing.T, tr *trace.Trace, defect string) *trace.Answers {
	t.Helper()
	var settings []exec.Setting
	if defect != "" {
		settings = []exec.Setting{{Name: "defect", Value: defect}}
	}
	var err error
	if r.encoded, err = r.encoder.Append(r.encoded[:0], tr); err != nil {
		t.Fatal(err)
	}
	if room := trace.AnswerWords(r.encoded); room >= len(r.answers) {
		r.answers = make([]uint32, 2*room+1)
	}
	words, err := exec.Run(exec.Target(ref.Target(tr.Model.ID)), settings, r.encoded, r.answers)
	if err == nil {
		err = trace.DecodeAnswers(tr, r.encoded, words, &r.decoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &r.decoded
}

func TestQBF(t *testing.T) {
	seed, count := testseed.Of(t, 1), uint64(30000)
	if testing.Short() {
		count = 6000
	}
	var r runner
	statuses := make(map[int64]int)
	for i := range count {
		s := newSession(seed<<32 + i)
		answers := r.run(t, s, "")
		if fault := wrong(s, answers); fault != "" {
			t.Fatalf("session %d: %s\n%s", i, fault, s)
		}
		for k := range s.Calls {
			if s.Calls[k].Op == apimodel.OpSolve {
				statuses[answers.At(k).Int()]++
			}
		}
	}
	t.Logf("%d sessions, answers: %v", count, statuses)
	if statuses[10] < int(count)/4 || statuses[20] < int(count)/4 {
		t.Error("the sessions are one-sided")
	}
}

// Defects that do not end the process show within a few sessions.
func TestQBFDefectsShow(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of sessions for every defect")
	}
	seed := testseed.Of(t, 1)
	const most = 20000
	var r runner
	found := 0
	for _, d := range ref.Defects() {
		if d.Model != "qbf" || d.Class < "2" || d.Class[0] == '3' || d.Class == "5.7" {
			continue
		}
		found++
		begin := time.Now()
		for i := uint64(0); ; i++ {
			if i == most {
				t.Errorf("%s does not show in %d sessions", d.Name, most)
				break
			}
			s := newSession(seed<<32 + i)
			if fault := wrong(s, r.run(t, s, d.Name)); fault != "" {
				t.Logf("%-28s session %5d, %s: %s", d.Name, i, time.Since(begin).Round(time.Millisecond), fault)
				break
			}
		}
	}
	if found < 16 {
		t.Errorf("only %d defects", found)
	}
}
