package mutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A quantified problem is what a solve is about, according to docs/model-qbf.md. It shares no code with the
// oracle.
type quantifiedProblem struct {
	universal []bool // of the blocks
	blocks    [][]int32
	free      []int32 // including those of clauses that were removed
	clauses   [][]int32
	assumed   []int32
}

// problemAt applies the calls of an instance up to a solve.
func problemAt(t *trace.Trace, solve int) *quantifiedProblem {
	type clause struct {
		lits         []int32
		frame, group int
	}
	var p quantifiedProblem
	var clauses []clause
	var part []int32
	level := map[int32]bool{}
	off := map[int]bool{}
	frame, group := 0, -1
	keep := func(stays func(c clause) bool) {
		clauses = slices.DeleteFunc(clauses, func(c clause) bool { return !stays(c) })
	}
	for i := range t.Calls[:solve] {
		c := &t.Calls[i]
		if c.Instance != t.Calls[solve].Instance {
			continue
		}
		switch c.Op {
		case apimodel.OpExists, apimodel.OpForall:
			p.universal = append(p.universal, c.Op == apimodel.OpForall)
			p.blocks = append(p.blocks, slices.Clone(t.Args(c)))
		case apimodel.OpExtend:
			p.blocks[c.Num-1] = append(p.blocks[c.Num-1], t.Args(c)...)
		case apimodel.OpClause:
			for _, l := range t.Args(c) {
				if v := max(l, -l); !level[v] && !slices.Contains(p.free, v) {
					p.free = append(p.free, v)
				}
			}
			if part = append(part, t.Args(c)...); c.Flags&trace.Open == 0 {
				clauses = append(clauses, clause{part, frame, group})
				part = nil
			}
		case apimodel.OpPush:
			frame++
		case apimodel.OpPop:
			keep(func(c clause) bool { return c.frame < frame })
			frame--
		case apimodel.OpOpen:
			group = int(c.Num)
		case apimodel.OpClose:
			group = -1
		case apimodel.OpActivate, apimodel.OpDeactivate:
			off[int(c.Num)] = c.Op == apimodel.OpDeactivate
		case apimodel.OpDelete:
			keep(func(k clause) bool { return k.group != int(c.Num) })
		case apimodel.OpAssume:
			p.assumed = append(p.assumed, t.Lit(c))
		case apimodel.OpSolve:
			p.assumed = nil
		case apimodel.OpRelease:
			p, clauses, frame, group = quantifiedProblem{}, nil, 0, -1
			clear(level)
			clear(off)
		}
		for _, block := range p.blocks {
			for _, v := range block {
				level[v] = true
			}
		}
	}
	for _, c := range clauses {
		if !off[c.group] {
			p.clauses = append(p.clauses, c.lits)
		}
	}
	return &p
}

// isTrue tries all values of the variables: first of the free ones, then block after block.
func (p *quantifiedProblem) isTrue(values []int32) bool {
	value := map[int32]bool{}
	for _, l := range values {
		value[max(l, -l)] = l > 0
	}
	var play func(block, at int) bool
	play = func(block, at int) bool {
		vars, universal := p.free, false
		if block == len(p.blocks) {
			return !slices.ContainsFunc(p.clauses, func(clause []int32) bool {
				return !slices.ContainsFunc(clause, func(l int32) bool { return value[max(l, -l)] == (l > 0) })
			})
		}
		if block >= 0 {
			vars, universal = p.blocks[block], p.universal[block]
		}
		if at == len(vars) {
			return play(block+1, 0)
		}
		v := vars[at]
		if _, given := value[v]; given {
			return play(block, at+1)
		}
		defer delete(value, v)
		for _, value[v] = range []bool{false, true} {
			if play(block, at+1) != universal {
				return !universal
			}
		}
		return universal
	}
	return play(-1, 0)
}

// outermost returns the variables of the outermost block and their quantifier.
func (p *quantifiedProblem) outermost() (vars []int32, universal bool) {
	vars = slices.Clone(p.free)
	for i, block := range p.blocks {
		if len(vars) == 0 {
			universal = p.universal[i]
		}
		if len(block) > 0 && p.universal[i] != universal {
			break
		}
		vars = append(vars, block...)
	}
	return vars, universal
}

// wrongAnswer describes what is wrong in the answers to a solve and to the queries after it.
func wrongAnswer(t *trace.Trace, run *trace.Run, solve int) string {
	p := problemAt(t, solve)
	status := int32(run.Answers.At(solve).Num)
	truth := p.isTrue(p.assumed)
	if status != 10 && status != 20 || truth != (status == 10) {
		return "status"
	}
	outer, universal := p.outermost()
	told, failed := map[int32]int32{}, map[int32]bool{} // by variable, by assumption
	innocent := map[int32]bool{}
	zero := map[int32]bool{}
	named := map[int32]bool{}
	for i := range t.Calls {
		c, a := &t.Calls[i], run.Answers.At(i)
		if c.Instance != t.Calls[solve].Instance {
			continue
		}
		if c.Op == apimodel.OpRelease {
			clear(named)
		}
		if c.Op.Does(apimodel.Poses) && c.Op.HasLits() {
			for _, l := range t.Args(c) {
				named[max(l, -l)] = true
			}
		}
		if i <= solve {
			continue
		}
		if !c.Op.AsksAnswer() {
			break
		}
		switch c.Op {
		case apimodel.OpVal:
			asked := t.Lit(c)
			if v := int32(a.Num); !named[max(asked, -asked)] && (v == 0 || v == asked || v == -asked) {
				continue // policy unseen-val
			} else if v == 0 {
				zero[max(asked, -asked)] = true
			} else if max(v, -v) != max(asked, -asked) || told[max(v, -v)] == -v {
				return "value"
			} else {
				told[max(v, -v)] = v
			}
		case apimodel.OpModel:
			listed := map[int32]bool{}
			for _, v := range run.Answers.ListOf(a) {
				if !named[max(v, -v)] {
					continue // the model call does not ask for it, or only because of a val
				}
				if told[max(v, -v)] == -v {
					return "value"
				}
				listed[max(v, -v)] = true
				told[max(v, -v)] = v
			}
			for v := range named {
				zero[v] = zero[v] || !listed[v]
			}
		case apimodel.OpFailed:
			l := t.Lit(c)
			switch {
			case !slices.Contains(p.assumed, l): // policy failed-non-assumption
			case a.Num > 1:
				return "failed"
			default:
				failed[l], innocent[l] = failed[l] || a.Num == 1, innocent[l] || a.Num == 0
			}
		case apimodel.OpCore:
			for _, l := range run.Answers.ListOf(a) {
				if !slices.Contains(p.assumed, l) {
					return "core"
				}
			}
			for _, l := range p.assumed {
				isListed := slices.Contains(run.Answers.ListOf(a), l)
				failed[l], innocent[l] = failed[l] || isListed, innocent[l] || !isListed
			}
		}
	}
	values := slices.Clone(p.assumed)
	for v, l := range told {
		if zero[v] || truth == universal || !slices.Contains(outer, v) || slices.Contains(p.assumed, -l) {
			return "value"
		}
		values = append(values, l)
	}
	if p.isTrue(values) != truth {
		return "values"
	}
	var core []int32
	for _, l := range p.assumed {
		if failed[l] && innocent[l] {
			return "failed"
		}
		if !innocent[l] {
			core = append(core, l)
		}
	}
	if p.isTrue(core) != truth {
		return "core"
	}
	return ""
}

// TestQuantifiedAlterations: about small formulas the judge misses no wrong answer and accuses no right one,
// with search and without.
func TestQuantifiedAlterations(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 5))
	full, crossed := oracle.New(oracle.Config{}), oracle.New(oracle.Config{CrossCheck: true,
		Reference: reference.New(ref.NewProver(), 10000)})
	blind := []*oracle.Judge{oracle.New(oracle.Config{MaxVars: -1}), oracle.New(oracle.Config{MaxVars: 2}),
		oracle.New(oracle.Config{Words: 30}),
		oracle.New(oracle.Config{MaxVars: -1, Reference: reference.New(ref.NewProver(), 10000)})}
	counts, caught, all := map[string][2]int{}, make([]int, len(blind)), 0
	rounds := 5_000
	if testing.Short() {
		rounds /= 20
	}
	for round := range rounds {
		tr, healthy := writeQuantified(r)
		for n := range 4 {
			run := &trace.Run{Answers: healthy.Answers.Clone()}
			what := "unaltered"
			if n > 0 {
				what = alterQuantified(r, tr, run)
			}
			wrong := map[int]string{}
			for i := range tr.Calls {
				if tr.Calls[i].Op == apimodel.OpSolve {
					if why := wrongAnswer(tr, run, i); why != "" {
						wrong[i] = why
					}
				}
			}
			count := counts[what]
			count[min(1, len(wrong))]++
			counts[what] = count
			complain := func(f string, args ...any) {
				t.Helper()
				t.Fatalf("round %d, %s: %s\nwrong: %v\n%s", round, what, fmt.Sprintf(f, args...), wrong, tr.AppendLog(nil, run))
			}
			if n == 0 && len(wrong) > 0 {
				complain("the test contradicts itself")
			}
			for _, judge := range []*oracle.Judge{full, crossed} {
				found := map[int]bool{}
				for _, f := range judge.Judge(tr, run) {
					found[f.Solve] = true
					if wrong[f.Solve] == "" {
						complain("accused: %+v", f)
					}
				}
				if len(found) != len(wrong) {
					complain("missed: found only %v", found)
				}
				if judge.Disagreement() != nil {
					complain("%v", judge.Disagreement())
				}
			}
			all += min(1, len(wrong))
			for i, judge := range blind {
				findings := judge.Judge(tr, run)
				for _, f := range findings {
					if wrong[f.Solve] == "" && (f.Class != oracle.AnswersDiffer || len(wrong) == 0) {
						complain("judge %d accuses: %+v", i, f)
					}
				}
				caught[i] += min(1, len(findings), len(wrong))
			}
		}
	}
	for what, count := range counts {
		t.Logf("%-24s %6d right, %6d wrong", what, count[0], count[1])
	}
	t.Logf("of %d wrong runs those that search less caught %d", all, caught)
	if caught[len(caught)-1] != all {
		t.Errorf("of %d wrong runs expansion caught %d", all, caught[len(caught)-1])
	}
}
