// Package oracle judges what a solver library answered. A judge follows a trace, keeps the formula of every
// instance, and compares each answer with what is known: the other answers, an exhaustive search of few
// variables, earlier solutions, the answers of a reference solver with their proofs, and the right answers in
// the trace. An answer that no check can decide counts as unknown, never as right.
package oracle

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/problem"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Config sets up a judge.
type Config struct {
	// MaxVars bounds the number of variables in exhaustive searches. 0 means the maximum, which is 26, or 24 with
	// quantifiers. A negative number means no search.
	MaxVars int
	// Words bounds the exhaustive search of one trace, in words of 64 assignments. 0 means 2^20, or 2^22 with
	// quantifiers.
	Words int
	// Policies are the policies of the target, for what the standard leaves open; see docs/judging.md.
	Policies map[string]string
	// Reference decides what the search leaves open. It may be nil. It belongs to the judge.
	Reference *reference.Reference
	// CrossCheck asks the reference about every answer, to compare the checks with each other.
	CrossCheck bool
	// Exact compares all answers with those in the trace, not only the answers of solve and obj.
	Exact bool
	// Compared makes the judge keep what Solves returns, for a comparison with other targets.
	Compared bool
}

// A Judge judges one run after the other. It is not safe for concurrent use. It reuses its memory, so a run
// without findings allocates nothing.
type Judge struct {
	budget cube.Budget
	rules  rules
	exact  bool

	reference    *reference.Reference
	crossCheck   bool
	problem      reference.Problem
	disagreement error
	best         []int32 // the last solution of the reference; variables are indices + 1
	cheaper      []int32 // see Cheaper
	suggested    []int32 // see Suggest

	deciding quantified.Config // for quantified formulas

	keeping bool
	kept    []Solve

	onQuery   []numbered[queryCheck]
	onAnswer  []numbered[answerCheck]
	onRun     []numbered[runCheck]
	concerned concern
	asking    []numbered[queryCheck]  // the checks of onQuery that concern the trace
	answering []numbered[answerCheck] // the checks of onAnswer that concern the trace
	current   int                     // the check that runs now
	decisions []uint64
	runs      uint64
	solves    uint64
	unchecked unchecked.Counts
	certified uint64

	t            *trace.Trace
	run          *trace.Run
	weighted     bool // the interface has weights
	cores        bool // the interface tells which assumptions failed
	ofQuantified bool // its formulas have quantifiers
	end          int  // the calls before this one returned

	instances []*instance
	used      int
	byID      []int32   // by number of the instance, 1 + its index in instances; 0: it has no call
	last      *instance // the instance of the previous call: most traces have only one

	findings   []Finding
	mismatches []Mismatch
	handedOver []int // the calls that returned a proof
	notes      []unchecked.Note

	planted problem.Solution // from the header of the trace
	free    freeVariables
	queries uint32
	asked   query // a field, so that queries do not allocate
	scratch []problem.Lit
	lits    []int32 // the same for the solver of quantified formulas
}

// New returns a judge.
func New(config Config) *Judge {
	j := &Judge{rules: rulesOf(config.Policies), exact: config.Exact, reference: config.Reference,
		crossCheck: config.CrossCheck, keeping: config.Compared}
	j.budget = cube.NewBudget(config.MaxVars, highestMaxVars, config.Words, defaultWords)
	j.deciding = quantified.Config{MaxVars: config.MaxVars, Words: config.Words, Reference: config.Reference,
		CrossCheck: config.CrossCheck}
	for i, c := range checks {
		j.onQuery = appendIf(j.onQuery, i, c.rule)
		j.onAnswer = appendIf(j.onAnswer, i, c.rule)
		j.onRun = appendIf(j.onRun, i, c.rule)
	}
	j.decisions = make([]uint64, len(checks))
	return j
}

// Judge judges a run of the trace and returns the findings, the worst first. The slice is valid until the
// next call.
func (j *Judge) Judge(t *trace.Trace, run *trace.Run) []Finding {
	j.begin(t, run)
	for i := range t.Calls[:j.end] {
		j.step(i, &t.Calls[i], run.Answers.At(i))
	}
	for _, in := range j.instances[:j.used] {
		j.close(in)
	}
	for _, c := range j.onRun {
		j.current = c.number
		c.check.run(j)
	}
	if from, failed := run.AllocationFailed(len(t.Calls)); failed {
		j.afterFailedAllocation(from)
	}
	if len(j.findings) > 1 {
		slices.SortStableFunc(j.findings, WorstFirst)
	}
	return j.findings
}

// Disagreement returns an error if two checks have contradicted each other in some run, or a proof was
// invalid. That is a bug of ipafuzz, not a fault of a target, and makes all verdicts of this judge worthless.
func (j *Judge) Disagreement() error { return j.disagreement }

// Mismatches returns the answers of the last run that differ from those in its trace, in the order of the
// calls. The slice is valid until the next Judge.
func (j *Judge) Mismatches() []Mismatch { return j.mismatches }

// Decided returns the counts of the answers that the judge has decided so far.
func (j *Judge) Decided() Tally {
	t := Tally{Runs: j.runs, Solves: j.solves, Unchecked: j.unchecked, Certified: j.certified,
		Checks: make([]CheckCount, 0, len(checks))}
	for i, c := range checks {
		t.Checks = append(t.Checks, CheckCount{c.name, j.decisions[i]})
	}
	return t
}

// Unchecked counts what stayed unchecked in all runs so far.
func (j *Judge) Unchecked() unchecked.Counts { return j.unchecked }

// Notes says why proofs of the last run stayed unchecked. The slice is valid until the next Judge.
func (j *Judge) Notes() []unchecked.Note { return j.notes }

// concern selects the checks that apply to the trace. Mostly they are those of the trace before.
func (j *Judge) concern() {
	wanted := concern{true, j.weighted, j.cores, j.ofQuantified, len(j.t.Planted) > 0, len(j.t.Want.Of) > 0}
	if wanted == j.concerned {
		return
	}
	j.concerned = wanted
	j.asking = concerned(j, j.asking[:0], j.onQuery)
	j.answering = concerned(j, j.answering[:0], j.onAnswer)
}

// A concern is the set of properties that decide which checks apply.
type concern struct{ known, weighted, cores, quantified, planted, expected bool }

func (j *Judge) begin(t *trace.Trace, run *trace.Run) {
	for _, in := range j.instances[:j.used] {
		j.byID[in.id] = 0
	}
	j.used, j.last, j.cheaper = 0, nil, j.cheaper[:0]
	j.t, j.run = t, run
	j.budget.Begin()
	if j.reference != nil {
		j.reference.Renew()
	}
	j.weighted = t.Model.Optimizes()
	j.cores = t.Model.Call(apimodel.OpFailed) != nil
	j.ofQuantified = t.Model.Quantified()
	j.concern()
	j.end = len(t.Calls)
	if run.End != trace.Finished {
		j.end = max(0, min(j.end, run.Call))
	}
	j.findings = j.findings[:0]
	j.mismatches, j.notes = j.mismatches[:0], j.notes[:0]
	j.kept, j.handedOver = j.kept[:0], j.handedOver[:0]
	j.runs++
	j.queries = 0
}

// instance returns the state of an instance and creates it on its first call.
func (j *Judge) instance(id uint16) *instance {
	if int(id) >= len(j.byID) {
		j.byID = append(j.byID, make([]int32, int(id)+1-len(j.byID))...)
	}
	if n := j.byID[id]; n != 0 {
		return j.instances[n-1]
	}
	if j.used == len(j.instances) {
		j.instances = append(j.instances, new(instance))
	}
	in := j.instances[j.used]
	j.used++
	j.byID[id] = int32(j.used)
	in.reset(id)
	return in
}

// step follows one call, which returned or was not made.
func (j *Judge) step(i int, c *trace.Call, a *trace.Answer) {
	in := j.last
	if in == nil || in.id != c.Instance {
		in = j.instance(c.Instance)
		j.last = in
	}
	if j.exact && len(j.t.Want.Of)+len(j.t.Got.Of) > 0 {
		j.compareExactly(i, c, a)
	}
	if a.Kind == trace.Withheld || a.Kind == trace.Unsupported {
		if c.Op.HasLits() {
			in.Name(j.t.Args(c))
		}
		if j.ofQuantified {
			j.quantified(in).NotMade(c)
		}
		if c.Op == apimodel.OpSolve && a.Kind == trace.Unsupported { // a formula that a program cannot read
			j.close(in)
			in.begin(i, 0, false, false)
			in.answer.open = false
			j.unchecked[unchecked.NotTaken]++
		}
		if a.Kind == trace.Unsupported && in.answer.open && in.answer.solution {
			in.answer.omits(c.Op)
		}
		return
	}
	if c.Op.AsksAnswer() {
		j.ask(i, c, a, in)
		return
	}
	if c.Op.Does(apimodel.ShapesProblem) {
		j.close(in)
	}
	if j.ofQuantified {
		j.stepQuantified(i, c, a, in)
		return
	}
	switch c.Op {
	case apimodel.OpClause, apimodel.OpImport:
		in.AddClause(j.t.Args(c), c.Flags&trace.Open == 0, &j.budget)
	case apimodel.OpSoft:
		in.AddSoft(j.t.Lit(c), c.Num, &j.budget)
	case apimodel.OpSoftClause:
		in.AddSoftClause(j.t.Args(c), c.Num, &j.budget)
	case apimodel.OpAssume:
		in.Assume(j.t.Lit(c))
	case apimodel.OpConstrain:
		in.Constrain(j.t.Args(c), j.t, &j.budget)
	case apimodel.OpSolve:
		j.solve(i, in, a)
	case apimodel.OpSimplify:
		j.simplify(i, in, a)
	case apimodel.OpEnumerate:
		in.ForgetAssumptions()
		j.facts(i, c, a, in)
	case apimodel.OpLimitConflicts, apimodel.OpLimitDecisions:
		j.close(in)
		in.limit(c)
	case apimodel.OpTerminate:
		in.terminate.set(c)
	case apimodel.OpLearn:
		in.learn.set(c)
	default:
		if c.Op.HasLits() { // model asks for the variable, although nothing constrains it
			in.Name(j.t.Args(c))
		}
		if c.Op.Does(apimodel.Renews) {
			in.renew()
		}
		if c.Op.Does(apimodel.Asks) {
			j.facts(i, c, a, in)
		}
	}
}

// solve opens an answer. If the answer is unknown, because a handwritten log omits it, the solve uses up the
// assumptions, but no query about it means anything.
func (j *Judge) solve(i int, in *instance, a *trace.Answer) {
	status := int32(a.Num)
	optimal := j.weighted && status == apimodel.Optimum
	in.begin(i, status, status == apimodel.Satisfiable || optimal, optimal)
	if a.Kind == trace.NotAnswered {
		in.answer.open = false
		return
	}
	j.solves++
}

// A query is a call that asks about the last solve of its instance, with its answer.
type query struct {
	call int
	c    *trace.Call
	a    *trace.Answer

	unseen bool // no earlier call named its variable
}

// ask passes the answer to a query to the checks if the query was legal in this state. Otherwise the answer
// means nothing.
func (j *Judge) ask(i int, c *trace.Call, a *trace.Answer, in *instance) {
	states := j.t.Model.Call(c.Op).Legal
	legal := in.answer.solution && states&apimodel.Set(apimodel.Sat, apimodel.Optimal) != 0 ||
		in.answer.status == apimodel.Unsatisfiable && states.Has(apimodel.Unsat)
	unseen := false
	if c.Op.HasLits() { // model asks for the variable from now on, but no formula has it
		named := len(in.Vars.All)
		in.Vars.All[in.Vars.Literal(j.t.Lit(c)).Index()].Queried = in.Life
		unseen = named < len(in.Vars.All)
	}
	if a.Kind == trace.NotAnswered && in.answer.open && legal {
		in.answer.omits(c.Op)
	}
	if a.Kind != trace.Answered || !in.answer.open || !legal {
		return
	}
	j.asked = query{i, c, a, unseen}
	for i := range j.asking {
		c := &j.asking[i]
		j.current = c.number
		c.check.query(j, in, &j.asked)
	}
}

func (j *Judge) facts(i int, c *trace.Call, a *trace.Answer, in *instance) {
	if a.Kind != trace.Answered {
		return
	}
	for n, ch := range checks {
		if check, ok := ch.rule.(factCheck); ok {
			j.current = n
			check.fact(j, in, i, c, a)
		}
	}
}

// close judges the last solve of the instance, before the next call changes its problem.
func (j *Judge) close(in *instance) {
	if in.answer.open {
		j.judge(in)
	}
}

func (j *Judge) judge(in *instance) {
	before := len(j.findings)
	for i := range j.answering {
		c := &j.answering[i]
		j.current = c.number
		c.check.answer(j, in)
	}
	if j.keeping {
		j.kept = append(j.kept, j.solveOf(in))
	}
	in.answer.open = false
	if reason, open := j.leftOpen(in); open {
		j.unchecked[reason]++
	}
	if in.answer.certified {
		j.certified++
		for i := range j.findings[before:] {
			j.findings[before+i].certify(in.answer.certificate, in.ModelText(j.best))
		}
	}
	if in.answer.recorded {
		in.history.keep()
	}
	if !j.ofQuantified {
		in.remember()
	}
}

// decide counts an answer that the current check has decided.
func (j *Judge) decide() { j.decisions[j.current]++ }

func (j *Judge) decideBy(in *instance, f Finding) {
	j.decide()
	j.report(in, f)
}

// proof returns a proof by the current check, which rests on the answer to a call.
func (j *Judge) proof(call int) proof { return proof{j.current, call} }

// report adds a finding of the current check, once per class, instance and call.
func (j *Judge) report(in *instance, f Finding) {
	solve := -1
	if in != nil {
		solve = in.answer.call
	}
	j.reportOf(in, solve, f)
}

// reportOf is report for the answer of an earlier solve.
func (j *Judge) reportOf(in *instance, solve int, f Finding) {
	f.Solve = solve
	f.Check = checks[j.current].name
	f.Weight = NoWeights
	if j.weighted {
		f.Weight = SmallWeights
	}
	if in != nil {
		f.Instance = in.id
		if j.weighted {
			f.Weight = in.weightClass()
		}
	}
	for i := range j.findings {
		if o := &j.findings[i]; o.Class == f.Class && o.Check == f.Check && o.Instance == f.Instance && o.Call == f.Call {
			return
		}
	}
	j.findings = append(j.findings, f)
}
