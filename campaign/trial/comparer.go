package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Comparer runs traces of any model on several targets, one after the other, and
// compares the runs. It is not safe for concurrent use.
type Comparer struct {
	replayers []*Replayer
	how       Replaying
}

// NewComparer returns a comparer that uses the replayers. It does not close them.
func NewComparer(replayers []*Replayer, how Replaying) *Comparer { return &Comparer{replayers, how} }

// Compared is the result of running a trace on all targets of a comparer.
type Compared struct {
	Results  []*Replayed // by target
	Compared compare.Result
	Asked    []compare.Dispute // the disputes that made Compare run the trace again with more queries
}

// Serving returns a comparer of the targets that take the trace. The map says, by index, why the others do
// not: they do not serve its model, or a policy refuses one of its clauses (*trace.CheckError).
func (c *Comparer) Serving(t *trace.Trace) (*Comparer, map[int]error) {
	some, cannot := &Comparer{how: c.how}, make(map[int]error)
	for i, r := range c.replayers {
		if err := r.takes(t); err != nil {
			cannot[i] = err
			continue
		}
		some.replayers = append(some.replayers, r)
	}
	return some, cannot
}

// Compare runs one trace on all targets. If their answers disagree, it runs the trace again with queries
// that prove which target is right.
func (c *Comparer) Compare(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	compared, err := c.compareSteadily(ctx, name, t)
	if err != nil || len(compared.Compared.Disputes) == 0 {
		return compared, err
	}
	again, err := c.compareSteadily(ctx, name, compare.Ask(t, compared.Compared.Disputes))
	if err != nil {
		return nil, err
	}
	again.Asked = compared.Compared.Disputes
	return again, nil
}

// compareSteadily is compareOnce without the findings about targets that were slow by chance.
func (c *Comparer) compareSteadily(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	compared, err := c.compareOnce(ctx, name, t)
	if err != nil {
		return nil, err
	}
	var runs []*trace.Run
	for _, result := range compared.Results {
		runs = append(runs, &result.Run)
	}
	compared.Compared, err = Steady(compared.Compared, runs, func() (compare.Result, error) {
		again, err := c.compareOnce(ctx, name, t)
		if err != nil {
			return compare.Result{}, err
		}
		return again.Compared, nil
	})
	for i, result := range compared.Results {
		result.Findings = compared.Compared.Findings[i]
	}
	return compared, err
}

func (c *Comparer) compareOnce(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	compared := new(Compared)
	var ballots []compare.Ballot
	jumped := false
	for _, one := range c.replayers {
		result, err := one.Replay(ctx, name, t)
		if err != nil {
			return nil, err
		}
		jumped = jumped || result.Run.Usage.PeakKB >= LeapKB
		if one.Target.Kind != replay.File { // a file target starts a process per formula
			result.Run.Usage.PeakKB = 0 // it covers all traces of the process
		}
		compared.Results = append(compared.Results, result)
		ballots = append(ballots, compare.Ballot{Target: one.Target.Name, Run: &result.Run, Findings: result.Findings,
			Solves: result.Solves})
	}
	for i := range ballots {
		if !jumped || len(ballots) < 3 {
			break // memory is compared among three or more targets, and only if one of them needs much
		}
		target, err := c.replayers[i].For(t.Model)
		if err == nil && target.Kind != replay.File {
			var alone *trace.Run
			if alone, err = PeakGrowth(ctx, target, c.how.Limits, t); err == nil {
				ballots[i].Run.Usage.PeakKB = alone.Usage.PeakKB
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	compared.Compared = compare.Answers(t, ballots)
	for i, findings := range (compare.Resources{Factor: c.how.Factor, Limit: limit.Least(c.how.Limits)}).Compare(t,
		ballots) {
		for _, f := range findings {
			if !slices.ContainsFunc(compared.Compared.Findings[i], func(o oracle.Finding) bool {
				return o.Class == f.Class && o.Call == f.Call
			}) {
				compared.Compared.Findings[i] = append(compared.Compared.Findings[i], f)
			}
		}
	}
	return compared, nil
}
