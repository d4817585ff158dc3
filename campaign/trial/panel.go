package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Panel runs traces of any model on several targets, one after the other, and
// compares them. It is not for concurrent use.
type Panel struct {
	replayers []*Replayer
	how       Replaying
}

// NewPanel returns a panel of the replayers, which it does not close.
func NewPanel(replayers []*Replayer, how Replaying) *Panel { return &Panel{replayers, how} }

// Compared is one trace on all targets of a panel.
type Compared struct {
	Results  []*Replayed // by target
	Compared compare.Result
	Asked    []compare.Dispute // what the trace was run again for, with more questions
}

// Serving returns a panel of the targets that serve the model, and by index why
// the others do not.
func (p *Panel) Serving(model *apimodel.Model) (*Panel, map[int]error) {
	some, cannot := &Panel{how: p.how}, make(map[int]error)
	for i, r := range p.replayers {
		if _, err := r.For(model); err != nil {
			cannot[i] = err
			continue
		}
		some.replayers = append(some.replayers, r)
	}
	return some, cannot
}

// Compare runs one trace on all targets. If they dispute answers, it runs the
// trace again with the questions that prove who is right.
func (p *Panel) Compare(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	c, err := p.compareSteadily(ctx, name, t)
	if err != nil || len(c.Compared.Disputes) == 0 {
		return c, err
	}
	again, err := p.compareSteadily(ctx, name, compare.Ask(t, c.Compared.Disputes))
	if err != nil {
		return nil, err
	}
	again.Asked = c.Compared.Disputes
	return again, nil
}

// compareSteadily is compareOnce without findings about targets that were slow by
// chance.
func (p *Panel) compareSteadily(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	c, err := p.compareOnce(ctx, name, t)
	if err != nil {
		return nil, err
	}
	var runs []*trace.Run
	for _, result := range c.Results {
		runs = append(runs, &result.Run)
	}
	c.Compared, err = Steady(c.Compared, runs, func() (compare.Result, error) {
		again, err := p.compareOnce(ctx, name, t)
		if err != nil {
			return compare.Result{}, err
		}
		return again.Compared, nil
	})
	for i, result := range c.Results {
		result.Findings = c.Compared.Findings[i]
	}
	return c, err
}

func (p *Panel) compareOnce(ctx context.Context, name string, t *trace.Trace) (*Compared, error) {
	c := new(Compared)
	var ballots []compare.Ballot
	leaps := false
	for _, one := range p.replayers {
		result, err := one.Replay(ctx, name, t)
		if err != nil {
			return nil, err
		}
		leaps = leaps || Leaps(result.Run.Usage.PeakKB)
		if one.Target.Kind != replay.File { // whose process is for one formula
			result.Run.Usage.PeakKB = 0 // of all traces of the process
		}
		c.Results = append(c.Results, result)
		ballots = append(ballots, compare.Ballot{Target: one.Target.Name, Run: &result.Run, Findings: result.Findings,
			Solves: result.Solves})
	}
	for i := range ballots {
		if !leaps || len(ballots) < 3 {
			break // a comparison of memory takes three targets, of which one needs much
		}
		target, err := p.replayers[i].For(t.Model)
		if err == nil && target.Kind != replay.File {
			var alone *trace.Run
			if alone, err = PeakGrowth(ctx, target, p.how.Limits, t); err == nil {
				ballots[i].Run.Usage.PeakKB = alone.Usage.PeakKB
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	c.Compared = compare.Answers(t, ballots)
	for i, findings := range (compare.Resources{Factor: p.how.Factor, Limit: LeastLimit(p.how.Limits)}).Compare(t,
		ballots) {
		for _, f := range findings {
			if !slices.ContainsFunc(c.Compared.Findings[i], func(o oracle.Finding) bool {
				return o.Class == f.Class && o.Call == f.Call
			}) {
				c.Compared.Findings[i] = append(c.Compared.Findings[i], f)
			}
		}
	}
	return c, nil
}
