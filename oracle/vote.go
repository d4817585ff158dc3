package oracle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Ballot is one target's part in a comparison: its run of the trace, and what
// its own judge says of that run.
type Ballot struct {
	Target   string
	Run      *trace.Run
	Findings []Finding
	Solves   []Solve // of a judge with Config.Compared
}

// A Comparison is what several targets' runs of one trace say together.
type Comparison struct {
	// Findings has, for every ballot in its order, the findings of its own judge
	// and those that only the comparison shows, the worst first.
	Findings [][]Finding
	// Disputes are the differences that no proof settles.
	Disputes []Dispute
}

// A Dispute is one solve that targets answer differently, while nothing proves
// who is right.
type Dispute struct {
	Call     int
	Instance uint16
	About    string   // "status" or "optimum"
	Says     []string // by ballot; "" of a target that says nothing about it
	// Outvoted: a majority made findings of it, which are not proven. Otherwise
	// the targets are known to disagree, and that is all.
	Outvoted bool
}

// votersNeeded is the least number of targets that a majority can be one of: of
// two that differ neither is right for being alone.
const votersNeeded = 3

// compareCheck is what findings of a comparison name as their check.
const compareCheck = "targets"

// Compare compares several targets' runs of one trace. A model of any of them
// that was checked proves that there is a solution and bounds the optimum, and
// whoever says otherwise is wrong, were it all the others. Only where there is no
// such proof is there a vote; docs/comparing.md has the rules.
func Compare(t *trace.Trace, ballots []Ballot) Comparison {
	c := comparer{ballots: ballots}
	c.Findings = make([][]Finding, len(ballots))
	for i := range ballots {
		c.Findings[i] = slices.Clone(ballots[i].Findings)
	}
	for _, group := range sameProblems(t, ballots) {
		c.group = group
		c.status()
		c.optimum()
	}
	for i := range c.Findings {
		c.Findings[i] = withoutMessages(c.Findings[i])
		slices.SortStableFunc(c.Findings[i], func(a, b Finding) int {
			return cmp.Or(cmp.Compare(b.Class.Severity(), a.Class.Severity()), cmp.Compare(a.Call, b.Call))
		})
	}
	return c.Comparison
}

// A seat is one target's answer to the solve in question.
type seat struct {
	ballot int
	*Solve
}

// sameProblems returns the solves that at least two targets answered, each with
// the targets that were given the very same problem. An answer may make later
// calls illegal for one target and not for another; from then on their formulas
// may differ, and nothing can be concluded from one for the other.
func sameProblems(t *trace.Trace, ballots []Ballot) [][]seat {
	type life struct {
		ballot   int
		instance uint16
	}
	histories := make(map[life]uint64)
	solves := make([]map[int]*Solve, len(ballots))
	for i := range ballots {
		solves[i] = make(map[int]*Solve, len(ballots[i].Solves))
		for s := range ballots[i].Solves {
			solves[i][ballots[i].Solves[s].Call] = &ballots[i].Solves[s]
		}
	}
	var groups [][]seat
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op == apimodel.OpSolve {
			groups = append(groups, groupsOf(solves, i, func(b int) uint64 { return histories[life{b, c.Instance}] })...)
		}
		if !c.Op.Does(apimodel.ShapesProblem) {
			continue
		}
		for b := range ballots {
			at := life{b, c.Instance}
			fate := uint64(ballots[b].Run.Answers.At(i).Kind)
			histories[at] = (histories[at] ^ fate) * 0x100000001b3 // FNV
		}
	}
	return groups
}

// groupsOf returns the answers to one solve by the history of the calls before it.
func groupsOf(solves []map[int]*Solve, call int, history func(ballot int) uint64) [][]seat {
	var groups [][]seat
	var histories []uint64
	for b := range solves {
		s := solves[b][call]
		if s == nil {
			continue
		}
		g := slices.Index(histories, history(b))
		if g < 0 {
			g = len(groups)
			groups, histories = append(groups, nil), append(histories, history(b))
		}
		groups[g] = append(groups[g], seat{b, s})
	}
	return slices.DeleteFunc(groups, func(g []seat) bool { return len(g) < 2 })
}

type comparer struct {
	ballots []Ballot
	group   []seat
	Comparison
}

// status compares the answers to whether there is a solution.
func (c *comparer) status() {
	yesBy, noBy := c.proven(yes), c.proven(no)
	switch {
	case yesBy != nil && noBy != nil: // the oracle contradicts itself: then it says nothing
	case yesBy != nil:
		for _, s := range c.group {
			if s.Status == apimodel.Unsatisfied && s.feasible == unknown {
				c.report(s, Finding{Class: ClaimsNoSolution, Detail: "claims no solution", Observed: "status 20",
					Expected: "a solution", Known: c.sourceText(yesBy.ballot, yesBy.feasibleBy), Call: yesBy.feasibleBy.call})
			}
		}
	case noBy != nil:
		for _, s := range c.group {
			if s.solution && s.feasible == unknown && !s.falsified {
				c.report(s, Finding{Class: ClaimsSolution, Detail: "claims a solution", Observed: fmt.Sprintf("status %d", s.Status),
					Expected: "status 20", Known: c.sourceText(noBy.ballot, noBy.feasibleBy), Call: noBy.feasibleBy.call})
			}
		}
	default:
		c.statusVote()
	}
}

// proven returns a target whose judge proved that, nil without one.
func (c *comparer) proven(what tri) *seat {
	for i := range c.group {
		if c.group[i].feasible == what {
			return &c.group[i]
		}
	}
	return nil
}

// statusVote is for a problem of which nothing is proven. A target whose model
// is none has disproved itself and has no vote.
func (c *comparer) statusVote() {
	var with, without []seat
	says := make([]string, len(c.ballots))
	for _, s := range c.group {
		switch {
		case s.solution && !s.falsified:
			with = append(with, s)
		case s.Status == apimodel.Unsatisfied:
			without = append(without, s)
		default:
			continue
		}
		says[s.ballot] = fmt.Sprintf("status %d", s.Status)
	}
	if len(with) == 0 || len(without) == 0 {
		return
	}
	outvoted := c.outvote(with, without, func(s seat, majority string) {
		f := Finding{Class: ClaimsSolution, Detail: "claims a solution", Observed: says[s.ballot], Expected: "status 20", Known: majority, Voted: true}
		if s.Status == apimodel.Unsatisfied {
			f.Class, f.Detail, f.Expected = ClaimsNoSolution, "claims no solution", "a solution"
		}
		c.report(s, f)
	})
	c.dispute("status", says, outvoted)
}

// outvote calls blame for those of the smaller side, when the other is a majority.
func (c *comparer) outvote(a, b []seat, blame func(s seat, majority string)) bool {
	all := len(a) + len(b)
	if len(a) < len(b) {
		a, b = b, a
	}
	if all < votersNeeded || 2*len(a) <= all {
		return false
	}
	for _, s := range b {
		blame(s, fmt.Sprintf("%d of %d targets; not proven", len(a), all))
	}
	return true
}

func (c *comparer) dispute(about string, says []string, outvoted bool) {
	c.Disputes = append(c.Disputes, Dispute{Call: c.group[0].Call, Instance: c.group[0].Instance, About: about, Says: says, Outvoted: outvoted})
}

// optimum compares what those who claim an optimum say of it with the best
// checked model of all.
func (c *comparer) optimum() {
	var claims []seat
	var best *seat // who proved the best bound
	for i := range c.group {
		s := &c.group[i]
		if s.feasible == no || !s.clear {
			return // the weights may mean something else to this target, and then to compare is to guess
		}
		if b := s.best(); b.known && (best == nil || b.cost < best.best().cost || b.cost == best.best().cost && s.least.known && !best.least.known) {
			best = s
		}
	}
	for _, s := range c.group {
		if s.optimal && !s.falsified && (s.objective.known || s.model.known) {
			claims = append(claims, s)
		}
	}
	if best != nil {
		bound := best.best()
		for _, s := range claims {
			c.judge(s, bound.cost, best.least.known, Finding{Call: bound.by.call, Known: c.sourceText(best.ballot, bound.by)})
		}
		if best.least.known {
			return
		}
	}
	c.optimumVote(claims, best)
}

// best is the best bound that the target's own judge proved.
func (s *Solve) best() known {
	if s.least.known {
		return s.least
	}
	return s.atMost
}

// judge names what is wrong with one claim by o_solver, o_model and o_min, where
// the target's own judge, which did not know this o_min, said nothing or less.
func (c *comparer) judge(s seat, least uint64, exactly bool, f Finding) {
	differs := func(cost uint64) bool { return cost > least || exactly && cost != least }
	switch {
	case s.objective.known && s.model.known && s.objective.value == s.model.cost:
		if !differs(s.model.cost) {
			return
		}
		f.Class, f.Detail = NotOptimal, "not optimal"
		f.Observed = fmt.Sprintf("optimum claimed, objective and model cost %d", s.model.cost)
	case s.objective.known && s.model.known:
		if !differs(s.objective.value) || !differs(s.model.cost) {
			return // 2.3, which its own judge has seen
		}
		f.Class, f.Detail = AllValuesDiffer, "objective is not the cost of the model"
		f.Observed = fmt.Sprintf("objective %d, cost of the model %d", s.objective.value, s.model.cost)
	case s.objective.known:
		if !differs(s.objective.value) {
			return
		}
		f.Class, f.Detail = OneValueDiffers, "objective is not the optimum"
		f.Observed = fmt.Sprintf("optimum claimed, objective %d", s.objective.value)
	default:
		if !differs(s.model.cost) {
			return
		}
		f.Class, f.Detail = OneValueDiffers, "model is not optimal"
		f.Observed = fmt.Sprintf("optimum claimed, cost of the model %d", s.model.cost)
	}
	f.Expected = fmt.Sprintf("at most %d", least)
	if exactly {
		f.Expected = fmt.Sprint(least)
	}
	c.report(s, f)
}

// claim is the optimum that a target claims.
func (s *Solve) claim() uint64 {
	if s.objective.known {
		return s.objective.value
	}
	return s.model.cost
}

// optimumVote is for optima of which nothing is proven but that they are not
// above the best checked model. That model is the reference, if one that claims
// an optimum claims its cost: who claims less is outvoted by those who do. Else
// the claim of the majority is the reference.
func (c *comparer) optimumVote(claims []seat, best *seat) {
	says := make([]string, len(c.ballots))
	count := make(map[uint64]int)
	var voters []seat
	for _, s := range claims {
		if best != nil && s.claim() > best.atMost.cost || s.objective.known && s.model.known && s.objective.value != s.model.cost {
			continue // proven wrong
		}
		voters = append(voters, s)
		says[s.ballot] = fmt.Sprintf("optimum %d", s.claim())
		count[s.claim()]++
	}
	if len(count) < 2 {
		return // a model of an interrupted search that costs more contradicts nobody
	}
	var reference uint64
	if best != nil && count[best.atMost.cost] > 0 {
		reference = best.atMost.cost
	} else {
		for cost, n := range count {
			if 2*n > len(voters) {
				reference = cost
			}
		}
	}
	var agree, against []seat
	for _, s := range voters {
		if s.claim() == reference {
			agree = append(agree, s)
		} else {
			against = append(against, s)
		}
	}
	outvoted := len(agree) > len(against) && c.outvote(agree, against, func(s seat, majority string) {
		c.report(s, Finding{Class: OneValueDiffers, Detail: "objective is not the optimum",
			Observed: fmt.Sprintf("optimum claimed, objective %d", s.claim()), Expected: fmt.Sprint(reference), Known: majority, Voted: true})
	})
	c.dispute("optimum", says, outvoted)
}

// sourceText says in words how another target's part in the comparison proves something.
func (c *comparer) sourceText(ballot int, by source) string {
	switch by.check {
	case "model":
		return fmt.Sprintf("the model of %s up to call %d, checked against every hard clause and assumption", c.ballots[ballot].Target, by.call+1)
	case "known-solution":
		return fmt.Sprintf("the model of %s from call %d, completed and checked against every hard clause and assumption", c.ballots[ballot].Target, by.call+1)
	}
	return fmt.Sprintf("check %s of the run of %s", by.check, c.ballots[ballot].Target)
}

// report adds a finding about one target. What its own judge said of the same
// solve with less knowledge gives way; what it said that is as bad stays.
func (c *comparer) report(s seat, f Finding) {
	f.Check, f.Instance, f.Weight = compareCheck, s.Instance, s.Weight
	f.Call = max(f.Call, s.last)
	own := c.Findings[s.ballot]
	for i := range own {
		o := &own[i]
		if o.Instance != f.Instance || o.Call < s.Call || o.Call > s.last || o.Class[0] != '2' {
			continue
		}
		if o.Class.Severity() >= f.Class.Severity() {
			return
		}
		*o = f
		return
	}
	c.Findings[s.ballot] = append(own, f)
}
