package shrink

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A BesideReducer reduces a failing trace of a target that runs beside rivals. So it keeps failures that only a
// comparison shows, of answers or of times. It does not compare memory.
type BesideReducer struct {
	dd.Config // one worker; its Description is set by Reduce

	Target *replay.Target
	Rivals []*replay.Target
	Limits replay.Limits // of one run, as when the failure was seen
	Factor float64       // a target that takes this many times the median of the others is too slow

	Key   oracle.Key // the failure to keep; the zero Key stands for the worst failure of the target
	OnKey func(*Reduction)
}

// An UnsettledError reports a trace about which targets disagree while nothing proves which one is right.
type UnsettledError struct {
	NotFailingError
	Call  int
	About string
}

// Error returns the message.
func (e *UnsettledError) Error() string {
	return e.NotFailingError.Error() + "; the targets disagree about the " + e.About +
		", and nothing proves which is right"
}

// Reduce finds out how the trace fails and reduces it. The targets get as much time as when a campaign confirms a
// failure.
func (r *BesideReducer) Reduce(ctx context.Context, t *trace.Trace) (*Reduction, error) {
	group, err := r.open()
	if err != nil {
		return nil, err
	}
	defer group.Close()
	name := r.Target.Name
	t, found, err := r.worst(ctx, group, t)
	if err != nil {
		return nil, err
	}
	known := &Reduction{Finding: found, Key: found.Key(name), Given: found.Weight, Before: trial.Rate{Failed: 1, Runs: 1},
		Fixed: r.Limits.Fixed}
	if r.OnKey != nil {
		r.OnKey(known)
	}
	result, err := Compared(ctx, group, name, known.Key, found.Call, t, r.Config)
	if err != nil {
		return nil, err
	}
	result.Given, result.Before, result.Fixed = known.Given, known.Before, known.Fixed
	if result.After.Failed == 0 {
		result.Finding = found
	}
	return result, nil
}

// open returns the group of the target and its rivals. The caller must close it after an error, too.
func (r *BesideReducer) open() (*trial.Group, error) {
	group := &trial.Group{Rules: trial.LenientRules(r.Factor, limit.Least(r.Limits))}
	for i, target := range append([]*replay.Target{r.Target}, r.Rivals...) {
		description, err := trial.Describe(target, r.Limits)
		if err != nil {
			group.Close()
			return nil, err
		}
		if i == 0 {
			r.Description = description
		}
		judge := trial.NewJudge(oracle.Config{Policies: description.Policies, CrossCheck: true, Compared: true},
			trial.Thorough)
		group.Sessions = append(group.Sessions, trial.NewSession(target, r.Limits.Longer(trial.Patience), judge))
	}
	return group, nil
}

// worst returns the failure to keep and the trace that shows it: the given one, or the same with queries that settle
// a dispute.
func (r *BesideReducer) worst(ctx context.Context, group *trial.Group, t *trace.Trace) (*trace.Trace, oracle.Finding,
	error) {
	not := &UnsettledError{NotFailingError: NotFailingError{Key: r.Key}}
	name := r.Target.Name
	for {
		compared, err := group.Compare(ctx, t)
		if err != nil {
			return nil, oracle.Finding{}, err
		}
		not.Runs++
		findings := slices.SortedStableFunc(slices.Values(compared.Findings[0]), oracle.WorstFirst)
		for _, f := range findings {
			if r.Key.IsZero() || f.Key(name) == r.Key {
				return t, f, nil
			}
			not.note(f.Key(name))
		}
		open := slices.DeleteFunc(compared.Disputes, func(d compare.Dispute) bool { return d.Outvoted })
		switch {
		case len(open) == 0:
			return nil, oracle.Finding{}, &not.NotFailingError
		case not.Runs > 1:
			not.Call, not.About = open[0].Call, open[0].About
			return nil, oracle.Finding{}, not
		}
		t = compare.Ask(t, open)
	}
}
