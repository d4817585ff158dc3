package mutation

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A verdict tells what the standards and the policies of the run say about an answer.
type verdict uint8

const (
	right verdict = iota
	open          // the standards and policies do not say
	wrong
)

// A ruling is the verdict on one solve and the queries about it, or on the end of the run (call -1).
type ruling struct {
	instance uint16
	call     int
	verdict  verdict
	why      string
	unpriced bool // a policy leaves costs open here
}

func (r *ruling) say(v verdict, why string) {
	if v > r.verdict {
		r.verdict, r.why = v, why
	}
}

// A truth decides which answers of one run are right. It implements docs/policies.md and docs/model-*.md and
// shares no code with package oracle.
type truth struct {
	policies map[string]string // all of them
	solver   *solver

	t        *trace.Trace
	run      *trace.Run
	weighted bool
	clients  map[uint16]*client
	rulings  []ruling
}

type state uint8

const (
	start state = iota
	input
	clause
	sat // or optimal
	unsat
	failure
)

// A client is what one solver has been told by the calls that were made.
type client struct {
	state   state
	touched bool // some call has named the instance
	absent  bool // the solver was released; its answers mean nothing until the next init
	formula
	open       []int32
	assumed    []int32 // for the next solve
	redeclared bool    // a soft literal or its negation was declared again; the header does not say what that means
	zeroWeight bool
	named      map[int32]bool // by a call of this life that was made and is no query
	firstNamed map[int32]int  // the first call of the trace that names the variable, in any life, made or not
	terminate  told
	learn      told
	last       *solved
}

// told is the state of a callback.
type told struct {
	installed, takenAway bool
	count                uint64
}

func (c *told) set(call *trace.Call) {
	off := call.Flags&trace.Off != 0
	*c = told{installed: !off, takenAway: off && (c.installed || c.takenAway), count: call.Num}
}

// A solved is one solve with the queries about it.
type solved struct {
	call             int
	status           int32
	assumed          []int32
	effort           trace.Effort
	learnedClauses   []int32
	terminate, learn told
	questions        []int
}

// judge returns a ruling for every solve that answered, and one for the end.
func (tr *truth) judge(t *trace.Trace, run *trace.Run) []ruling {
	tr.t, tr.run = t, run
	tr.weighted = t.Model == apimodel.IPAMIR
	tr.clients = map[uint16]*client{}
	tr.rulings = tr.rulings[:0]
	last := len(t.Calls)
	end := ruling{call: -1}
	if run.End != trace.Finished {
		last = min(last, run.Call)
		end.say(wrong, "the run did not finish")
	}
	for i := range t.Calls[:last] {
		tr.step(i)
	}
	ids := []uint16{}
	for id := range tr.clients {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		tr.close(id, tr.clients[id])
	}
	return append(tr.rulings, end)
}

func (tr *truth) step(i int) {
	call, a := &tr.t.Calls[i], tr.run.Answers.At(i)
	c := tr.clients[call.Instance]
	if c == nil {
		c = &client{firstNamed: map[int32]int{}}
		tr.clients[call.Instance] = c
	}
	if !c.touched && call.Op != apimodel.OpSignature {
		c.touched = true
		if call.Op != apimodel.OpInit {
			c.begin()
		}
	}
	if call.Op.HasLits() {
		for _, l := range tr.t.Args(call) {
			if _, ok := c.firstNamed[trace.Var(l)]; !ok {
				c.firstNamed[trace.Var(l)] = i
			}
		}
	}
	if a.Kind == trace.Withheld || a.Kind == trace.Unsupported {
		return
	}
	switch call.Op {
	case apimodel.OpInit:
		tr.close(call.Instance, c)
		c.begin()
	case apimodel.OpRelease:
		tr.close(call.Instance, c)
		c.begin()
		c.absent = true
	case apimodel.OpClause:
		tr.close(call.Instance, c)
		lits := tr.t.Args(call)
		c.name(lits)
		c.open = append(c.open, lits...)
		c.state = clause
		if call.Flags&trace.Open == 0 {
			c.clauses = append(c.clauses, c.open)
			c.open, c.state = nil, input
		}
	case apimodel.OpSoft:
		tr.close(call.Instance, c)
		c.name(tr.t.Args(call))
		c.declare(tr.t.Lit(call), call.Num)
		c.state = input
	case apimodel.OpAssume:
		tr.close(call.Instance, c)
		c.name(tr.t.Args(call))
		if !slices.Contains(c.assumed, tr.t.Lit(call)) {
			c.assumed = append(c.assumed, tr.t.Lit(call))
		}
		c.state = input
	case apimodel.OpTerminate:
		c.terminate.set(call)
	case apimodel.OpLearn:
		c.learn.set(call)
	case apimodel.OpSolve:
		tr.close(call.Instance, c)
		tr.solve(i, c, a)
	case apimodel.OpVal, apimodel.OpModel, apimodel.OpObj:
		c.ask(i, tr.t, a, sat)
	case apimodel.OpFailed, apimodel.OpCore:
		c.ask(i, tr.t, a, unsat)
	}
}

// begin starts a new life of the solver.
func (c *client) begin() {
	*c = client{state: start, touched: true, named: map[int32]bool{}, firstNamed: c.firstNamed}
}

func (c *client) name(lits []int32) {
	for _, l := range lits {
		if c.named != nil {
			c.named[trace.Var(l)] = true
		}
	}
}

func (c *client) declare(lit int32, weight uint64) {
	c.zeroWeight = c.zeroWeight || weight == 0
	c.redeclared = c.redeclared || slices.ContainsFunc(c.softs, func(s soft) bool { return s.lit == -lit })
	for i := range c.softs {
		if c.softs[i].lit == lit {
			c.softs = slices.Clone(c.softs)
			c.softs[i].weight = weight
			c.redeclared = true
			return
		}
	}
	c.softs = append(c.softs, soft{lit, weight})
}

func (tr *truth) solve(i int, c *client, a *trace.Answer) {
	s := &solved{call: i, status: int32(a.Num), assumed: c.assumed, terminate: c.terminate, learn: c.learn}
	c.assumed = nil
	c.state = input
	if a.Kind == trace.NotAnswered {
		return // the state of the solver is unknown, so its later answers are ignored
	}
	s.effort, s.learnedClauses = tr.run.Answers.EffortOf(a), tr.run.Answers.LearnedBy(a)
	c.last = s
	switch {
	case s.status == apimodel.Satisfiable, tr.weighted && s.status == apimodel.Optimum:
		c.state = sat
	case s.status == apimodel.Unsatisfiable:
		c.state = unsat
	case tr.weighted && s.status == apimodel.Failure:
		c.state = failure
	}
}

// ask records a query if the state allows it and it was answered. Answers in other states mean nothing.
func (c *client) ask(i int, t *trace.Trace, a *trace.Answer, in state) {
	if a.Kind == trace.Answered && c.state == in && c.last != nil {
		c.last.questions = append(c.last.questions, i)
	}
}

// close rules on the last solve, before a call changes its problem.
func (tr *truth) close(id uint16, c *client) {
	if s := c.last; s != nil {
		c.last = nil
		r := ruling{instance: id, call: s.call}
		if c.absent {
			r.say(open, "a solver that was released")
		} else {
			tr.rule(&r, c, s)
		}
		tr.rulings = append(tr.rulings, r)
	}
}
