package oracle

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// learnedCheck checks the clauses that a solve passed to the learn callback. Each must follow from the
// clauses alone, without the assumptions, and must not be longer than the client asked for.
type learnedCheck struct{}

func (c learnedCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	a := j.run.Answers.At(s.call)
	effort := j.run.Answers.EffortOf(a)
	if effort.OthersLearned {
		terminateCheck{}.ofAnother(j, in, "learn")
	}
	if effort.Learned == 0 {
		return
	}
	if !s.learn.installed {
		terminateCheck{}.notInstalled(j, in, &s.learn, effort.Learned)
		return
	}
	if effort.Odd > 0 {
		c.tooLong(j, in, printable.Things(int64(effort.Odd), "longer clause"))
	}
	lits := j.run.Answers.LearnedBy(a)
	for tries := 0; ; tries++ {
		end := slices.Index(lits, 0)
		if end < 0 {
			return
		}
		clause := lits[:end]
		lits = lits[end+1:]
		if uint32(len(clause)) > s.learn.count {
			c.tooLong(j, in, fmt.Sprintf("the clause %v", clause))
		}
		c.implied(j, in, clause, tries)
	}
}

func (learnedCheck) tooLong(j *Judge, in *instance, observed string) {
	j.decideBy(in, Finding{Class: LearnedTooLong, Call: in.answer.call, Detail: "longer than asked for",
		Observed: observed, Expected: "at most " + printable.Things(int64(in.answer.learn.count), "literal"),
		Known: "the count of the learn call"})
}

// These bound how many learned clauses of a solve learnedCheck checks if the problem is large: with stored
// solutions, and with the reference, which is slower.
const (
	triesBeyond      = 32
	triesOfReference = 4
)

func (learnedCheck) implied(j *Judge, in *instance, clause []int32, tries int) {
	for _, number := range clause {
		if in.Vars.Find(trace.Var(number)) < 0 {
			j.decideBy(in, Finding{Class: LearnedNotImplied, Call: in.answer.call, Detail: "foreign variable",
				Observed: fmt.Sprintf("the clause %v", clause), Expected: "variables that the client named",
				Known: fmt.Sprintf("no call named %d", trace.Var(number))})
			return
		}
	}
	if known := j.falsifiable(in, clause, tries); known != "" {
		j.report(in, Finding{Class: LearnedNotImplied, Call: in.answer.call, Detail: "not implied",
			Observed: fmt.Sprintf("the clause %v", clause), Expected: "a clause that every solution fulfils", Known: known})
	}
}

// falsifiable looks for a solution that falsifies the clause. It says how that solution is known, or returns
// "" if it finds none. tries is the number of earlier calls for the same solve.
func (j *Judge) falsifiable(in *instance, clause []int32, tries int) string {
	j.scratch = j.scratch[:0] // the negated clause
	for _, number := range clause {
		l := problem.Lit(in.Vars.Find(trace.Var(number)) << 1)
		if number > 0 {
			l = l.Not()
		}
		j.scratch = append(j.scratch, l)
	}
	if in.Beyond {
		return j.falsifiableBeyond(in, tries)
	}
	falsified := cube.Anything()
	for i, l := range j.scratch {
		if v := &in.Vars.All[l.Index()]; v.Dim >= 0 {
			falsified.Require(v.Dim, l.Sign())
		} else if slices.Contains(j.scratch[:i], l.Not()) {
			falsified.Contradict() // a tautology
		}
	}
	j.decide()
	if !in.Feasible.Has(&falsified) {
		return ""
	}
	return fmt.Sprintf("%s; a solution that falsifies it: %s", in.Searched(),
		in.AssignmentText(in.Feasible.First(&falsified)))
}

// falsifiableBeyond is falsifiable for problems that are too large for exhaustive search.
func (j *Judge) falsifiableBeyond(in *instance, tries int) string {
	if tries >= triesBeyond {
		return ""
	}
	if call, found := in.models.AnyFulfils(&in.Problem, j.scratch); found {
		j.decide()
		return knownSolutionCheck{}.explain(j, in, proof{call: call})
	}
	if tries >= triesOfReference {
		return ""
	}
	answer, ok := j.refer(in, j.scratch, false)
	if !ok {
		return ""
	}
	j.decide()
	if answer.Status != reference.Satisfiable {
		return ""
	}
	return byReference
}

// fixedCheck checks the answers of fixed: a literal that is implied according to the answer must be true in
// every solution of the clauses. The answer 0 is never wrong.
type fixedCheck struct{}

func (fixedCheck) fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer) {
	if c.Op != apimodel.OpFixed || a.Num == 0 {
		return
	}
	lit, answer := j.t.Lit(c), int32(a.Num)
	f := Finding{Call: call, Observed: fmt.Sprintf("fixed %d answered %d", lit, answer)}
	if answer != 1 && answer != -1 {
		j.decide()
		f.Class, f.Detail = ValuesDisagree, "no value of fixed"
		f.Expected, f.Known = "-1, 0 or 1", "the interface"
		j.reportOf(in, -1, f)
		return
	}
	implied := lit * answer
	if known := j.falsifiable(in, []int32{implied}, 0); known != "" {
		f.Class, f.Detail = LearnedNotImplied, "literal not implied"
		f.Expected, f.Known = fmt.Sprintf("0: not every solution makes %d true", implied), known
		j.reportOf(in, -1, f)
	}
}
