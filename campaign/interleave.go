package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Two instances in one trace give the answers that they give alone. There are
// two ways to see that they do not: an answer is proven wrong that is right when
// the instance is alone (blameInstances), or no check could decide the answers
// and they are others when it is alone (checkAlone). Both make class 5.5.

// aloneStride and aloneMost bound the runs of instances alone: each costs a
// process.
const (
	aloneStride = 4
	aloneMost   = 4096 // traces in a campaign
)

// checkAlone runs the instances of a trace alone whose answers no check could
// decide, and compares.
func (l *lane) checkAlone(ctx context.Context, t *trace.Trace, from source.Origin) error {
	if from.Number%aloneStride != 0 || t.Instances() < 2 || l.c.aloneChecks.Add(1) > aloneMost {
		return nil
	}
	var run trace.Run
	f, err := l.differsAlone(ctx, t, &run)
	if f == nil || err != nil {
		return err
	}
	who := l.targets[0]
	key := f.Key(l.c.target(who).Name)
	if !l.c.registry.Wants(key, false) {
		return nil
	}
	found := l.c.newFound(who, *f, key, t, from)
	found.Rate = trial.Rate{Failed: 2, Runs: 2}
	test := func(candidate *trace.Trace) (bool, error) {
		var run trace.Run
		again, err := l.differsAlone(ctx, candidate, &run)
		if again == nil || err != nil || again.Key(found.Target) != found.Key {
			return false, err
		}
		found.Finding, found.Run = *again, run
		return true, nil
	}
	same, err := test(found.Original) // once more, all of it
	if err != nil {
		return err
	}
	if !same {
		l.c.registry.Unconfirmed(found.AsUnconfirmed(""))
		return nil
	}
	if found.Minimal, err = dd.Cut(found.Original, found.Call, test); err != nil {
		return err
	}
	return l.c.add(found)
}

// differsAlone runs the trace, and each of its instances alone.
func (l *lane) differsAlone(ctx context.Context, t *trace.Trace, run *trace.Run) (*oracle.Finding, error) {
	if _, err := l.group.Sessions[0].Run(ctx, t, run); err != nil {
		return nil, err
	}
	seen := make(map[uint16]bool)
	for i := range t.Calls {
		instance := t.Calls[i].Instance
		if seen[instance] {
			continue
		}
		seen[instance] = true
		var alone trace.Run
		if _, err := l.group.Sessions[0].Run(ctx, t.Project(instance), &alone); err != nil {
			return nil, err
		}
		if f := compare.Alone(t, run, instance, &alone); f != nil {
			return f, nil
		}
	}
	return nil, nil
}
