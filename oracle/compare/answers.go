// Package compare compares the answers of several targets to one trace, and the answers of one instance with and
// without others. It trusts what the targets' own judges have proven, and lets targets vote only if nothing is proven.
// It also compares times and memory.
package compare

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Ballot is one target's part in a comparison: its run of the trace, and the verdict of its own judge.
type Ballot struct {
	Target   string
	Run      *trace.Run
	Findings []oracle.Finding
	Solves   []oracle.Solve // from Judge.Solves
}

// A Result is what the runs of several targets together show about one trace.
type Result struct {
	// Findings has, for each ballot, the findings of its own judge and those that only the comparison
	// shows, the worst first.
	Findings [][]oracle.Finding
	// Disputes are the differences that no proof settles.
	Disputes []Dispute
	// Compared counts the solves in which all targets got the same problem and say whether there is a solution.
	// Agreed counts those in which all say the same.
	Compared, Agreed uint64
}

// A Dispute is a solve that targets answer differently, while nothing proves which answer is right.
type Dispute struct {
	Call     int
	Instance uint16
	About    string   // "status" or "optimum"
	Says     []string // by ballot; "" for a target that does not take part
	// Outvoted says that a majority has turned the dispute into findings, which are not proven. Otherwise, one
	// knows only that the targets disagree.
	Outvoted bool
}

// votersNeeded is the least number of targets for a vote. Of only two, neither has a majority.
const votersNeeded = 3

// Answers compares the runs of several targets on one trace. A checked model of any of them proves that there is a
// solution and bounds the optimum. Every target that answers otherwise is wrong, even if all others do. Targets vote
// only if there is no such proof. docs/comparing.md has the rules.
func Answers(t *trace.Trace, ballots []Ballot) Result {
	c := comparer{trace: t, ballots: ballots}
	c.Findings = make([][]oracle.Finding, len(ballots))
	for i := range ballots {
		c.Findings[i] = slices.Clone(ballots[i].Findings)
	}
	for _, group := range sameProblems(t, ballots) {
		c.group = group
		c.count()
		c.status()
		c.optimum()
	}
	for i := range c.Findings {
		c.Findings[i] = oracle.WithoutMessages(c.Findings[i])
		slices.SortStableFunc(c.Findings[i], oracle.WorstFirst)
	}
	return c.Result
}

// A seat is the answer of one target to the solve in question.
type seat struct {
	ballot int
	*oracle.Solve
}

// open reports whether the target's own judge does not know whether there is a solution.
func (s seat) open() bool { return !s.Feasible && !s.Infeasible }

// sameProblems returns groups of at least two answers to the same problem. An answer may make later calls illegal for
// one target and not for another. From then on, their formulas may differ, and so may their answers.
func sameProblems(t *trace.Trace, ballots []Ballot) [][]seat {
	type life struct {
		ballot   int
		instance uint16
	}
	histories := make(map[life]uint64)
	solves := make([]map[int]*oracle.Solve, len(ballots))
	for i := range ballots {
		solves[i] = make(map[int]*oracle.Solve, len(ballots[i].Solves))
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

// groupsOf returns the answers to one solve, grouped by the history of the calls before it.
func groupsOf(solves []map[int]*oracle.Solve, call int, history func(ballot int) uint64) [][]seat {
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
	trace   *trace.Trace
	ballots []Ballot
	group   []seat
	Result
}

// count counts the solve in question, if all targets answered it.
func (c *comparer) count() {
	with, without := 0, 0
	for _, s := range c.group {
		if s.Solution {
			with++
		} else if s.Status == apimodel.Unsatisfiable {
			without++
		}
	}
	if with+without < len(c.ballots) {
		return
	}
	c.Compared++
	if with == 0 || without == 0 {
		c.Agreed++
	}
}

// status compares what the targets say about whether there is a solution.
func (c *comparer) status() {
	yesBy := c.proven(func(s seat) bool { return s.Feasible })
	noBy := c.proven(func(s seat) bool { return s.Infeasible })
	switch {
	case yesBy != nil && noBy != nil: // two judges contradict each other: no verdict
	case yesBy != nil:
		for _, s := range c.group {
			if s.Status == apimodel.Unsatisfiable && s.open() {
				c.report(s, oracle.Finding{Class: oracle.ClaimsNoSolution, Detail: "claims no solution", Observed: "status 20",
					Expected: "a solution", Known: c.sourceText(yesBy.ballot, yesBy.FeasibleBy), Call: yesBy.FeasibleBy.Call})
			}
		}
	case noBy != nil:
		for _, s := range c.group {
			if s.Solution && s.open() && !s.Falsified {
				c.report(s, oracle.Finding{Class: oracle.ClaimsSolution, Detail: "claims a solution",
					Observed: fmt.Sprintf("status %d", s.Status),
					Expected: "status 20", Known: c.sourceText(noBy.ballot, noBy.FeasibleBy), Call: noBy.FeasibleBy.Call})
			}
		}
	default:
		c.statusVote()
	}
}

// failed reports whether an allocation of the target had failed before the answer, and in which call.
func (c *comparer) failed(s seat) (at int, failed bool) {
	return c.ballots[s.ballot].Run.AllocationFailed(s.Last)
}

// proven returns a target whose judge has the proof, or nil.
func (c *comparer) proven(proves func(s seat) bool) *seat {
	for i := range c.group {
		if proves(c.group[i]) {
			return &c.group[i]
		}
	}
	return nil
}

// statusVote votes on a problem about which nothing is proven. A target whose model is wrong has no vote, because it
// has refuted itself. A target in which an allocation has failed has none, either.
func (c *comparer) statusVote() {
	var with, without []seat
	says := make([]string, len(c.ballots))
	for _, s := range c.group {
		_, failed := c.failed(s)
		switch {
		case failed:
			continue
		case s.Solution && !s.Falsified:
			with = append(with, s)
		case s.Status == apimodel.Unsatisfiable:
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
		f := oracle.Finding{Class: oracle.ClaimsSolution, Detail: "claims a solution", Observed: says[s.ballot],
			Expected: "status 20", Known: majority, Voted: true}
		if s.Status == apimodel.Unsatisfiable {
			f.Class, f.Detail, f.Expected = oracle.ClaimsNoSolution, "claims no solution", "a solution"
		}
		c.report(s, f)
	})
	c.dispute("status", says, outvoted)
}

// outvote calls blame for each target of the smaller side if the other side is a majority.
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
	c.Disputes = append(c.Disputes, Dispute{Call: c.group[0].Call, Instance: c.group[0].Instance, About: about,
		Says: says, Outvoted: outvoted})
}

// optimum compares claimed optima with the best checked model of all targets.
func (c *comparer) optimum() {
	var claims []seat
	var best *seat // the target with the best proven bound
	for i := range c.group {
		s := &c.group[i]
		if s.Infeasible || !s.Clear {
			return // the policies of this target do not define what the weights mean
		}
		if b := s.best(); b.Known && (best == nil || b.Value < best.best().Value ||
			b.Value == best.best().Value && s.Least.Known && !best.Least.Known) {
			best = s
		}
	}
	for _, s := range c.group {
		if s.Optimal && !s.Falsified && (s.Objective.Known || s.Model.Known) {
			claims = append(claims, s)
		}
	}
	if best != nil {
		bound := best.best()
		for _, s := range claims {
			c.judge(s, bound.Value, best.Least.Known, oracle.Finding{Call: bound.By.Call,
				Known: c.sourceText(best.ballot, bound.By)})
		}
		if best.Least.Known {
			return
		}
	}
	if best == nil && c.group[0].Beyond {
		return // the optimum may not fit an objective, and no standard says what targets then answer
	}
	c.optimumVote(claims, best)
}

// best returns the best bound that the target's own judge has proven.
func (s seat) best() oracle.Cost {
	if s.Least.Known {
		return s.Least
	}
	return s.AtMost
}

// judge reports what is wrong with a claim by o_solver, o_model and o_min. The target's own judge did not know this
// o_min, and has reported nothing or less.
func (c *comparer) judge(s seat, least uint64, exactly bool, f oracle.Finding) {
	differs := func(cost uint64) bool { return cost > least || exactly && cost != least }
	switch {
	case s.Objective.Known && s.Model.Known && s.Objective.Value == s.Model.Value:
		if !differs(s.Model.Value) {
			return
		}
		f.Class, f.Detail = oracle.NotOptimal, "not optimal"
		f.Observed = fmt.Sprintf("optimum claimed, objective and model cost %d", s.Model.Value)
	case s.Objective.Known && s.Model.Known:
		if !differs(s.Objective.Value) || !differs(s.Model.Value) {
			return // 2.3, which its own judge reports
		}
		f.Class, f.Detail = oracle.AllValuesDiffer, "objective is not the cost of the model"
		f.Observed = fmt.Sprintf("objective %d, cost of the model %d", s.Objective.Value, s.Model.Value)
	case s.Objective.Known:
		if !differs(s.Objective.Value) {
			return
		}
		f.Class, f.Detail = oracle.OneValueDiffers, oracle.ObjectiveNotOptimal
		f.Observed = fmt.Sprintf("optimum claimed, objective %d", s.Objective.Value)
	default:
		if !differs(s.Model.Value) {
			return
		}
		f.Class, f.Detail = oracle.OneValueDiffers, "model is not optimal"
		f.Observed = fmt.Sprintf("optimum claimed, cost of the model %d", s.Model.Value)
	}
	f.Expected = fmt.Sprintf("at most %d", least)
	if exactly {
		f.Expected = fmt.Sprint(least)
	}
	c.report(s, f)
}

func (s seat) claim() uint64 {
	if s.Objective.Known {
		return s.Objective.Value
	}
	return s.Model.Value
}

// optimumVote votes on claims that the best checked model does not disprove. If a target claims the cost of that model,
// the targets that do so outvote lower claims. Otherwise, the majority outvotes the others.
func (c *comparer) optimumVote(claims []seat, best *seat) {
	says := make([]string, len(c.ballots))
	count := make(map[uint64]int)
	var voters []seat
	for _, s := range claims {
		if best != nil && s.claim() > best.AtMost.Value ||
			s.Objective.Known && s.Model.Known && s.Objective.Value != s.Model.Value {
			continue // proven wrong
		}
		if _, failed := c.failed(s); failed {
			continue
		}
		voters = append(voters, s)
		says[s.ballot] = fmt.Sprintf("optimum %d", s.claim())
		count[s.claim()]++
	}
	if len(count) < 2 {
		return // a model of an interrupted search that costs more contradicts nobody
	}
	var reference uint64
	if best != nil && count[best.AtMost.Value] > 0 {
		reference = best.AtMost.Value
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
		c.report(s, oracle.Finding{Class: oracle.OneValueDiffers, Detail: oracle.ObjectiveNotOptimal,
			Observed: fmt.Sprintf("optimum claimed, objective %d", s.claim()), Expected: fmt.Sprint(reference),
			Known: majority, Voted: true})
	})
	c.dispute("optimum", says, outvoted)
}

// sourceText describes how the run of another target proves something.
func (c *comparer) sourceText(ballot int, by oracle.Source) string {
	switch by.Check {
	case "model":
		return fmt.Sprintf("the model of %s up to call %d, checked against every hard clause and assumption",
			c.ballots[ballot].Target, by.Call+1)
	case "known-solution":
		return fmt.Sprintf("the model of %s from call %d, completed and checked against every hard clause and assumption",
			c.ballots[ballot].Target, by.Call+1)
	}
	return fmt.Sprintf("check %s of the run of %s", by.Check, c.ballots[ballot].Target)
}

// report adds a finding about one target. The finding replaces a less severe one of the target's own judge about the
// same solve, and gives way to one that is as severe.
func (c *comparer) report(s seat, f oracle.Finding) {
	f.Check, f.Instance, f.Weight = oracle.TargetsCheck, s.Instance, s.Weight
	f.Call = max(f.Call, s.Last)
	if at, failed := c.failed(s); failed {
		f.FollowsFailedAllocation(c.trace, at)
	}
	own := c.Findings[s.ballot]
	for i := range own {
		o := &own[i]
		if o.Instance != f.Instance || o.Call < s.Call || o.Call > s.Last ||
			o.Class[0] != '2' && o.Class != oracle.FailedAllocation {
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
