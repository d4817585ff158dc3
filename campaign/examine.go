package campaign

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// examine adds a follow-up for a failure with a known key, if no known cause explains it. It also samples
// the explained failures: a trace that has a known cause may fail for another reason.
func (l *lane) examine(target int, t *trace.Trace, f oracle.Finding, key oracle.Key, from source.Origin) {
	if f.IsTimeLimit() {
		l.sampleHang(target, t, f, key, from)
	}
	if !l.c.examines(&f) {
		return
	}
	features := l.kind.Features
	location := f.CrashedAt(l.judged.End, &l.judged.Death)
	known := l.c.registry.Examine(key, location, registry.Held{From: from, Features: features})
	if known == nil || !known.Wants(features, false) {
		return
	}
	explained := cause.Explain(known.Known, t)
	limit, left := reduceTime, l.c.timeToExamine(explained)
	if explained {
		limit = min(limit, left)
	}
	if !known.Wants(features, explained) || left <= 0 || !l.c.followUps.hasCapacity() ||
		!l.c.registry.Examining(key, features) {
		return
	}
	found := l.c.newFound(target, f, key, t, from)
	l.c.registry.Stamp(found)
	l.c.examineLater(found, limit, func(ctx context.Context, follower *follower) error {
		verdict, err := follower.examine(ctx, found, known.Known, explained)
		l.c.registry.Examined(key, explained, verdict)
		if err != nil {
			return err
		}
		return follower.examineHeld(ctx, found)
	})
}

// examines reports whether the campaign looks for other faults behind the key of this failure. Reducing one that meets
// a limit takes too long for that.
func (c *Campaign) examines(f *oracle.Finding) bool {
	return c.config.Others && !f.Voted && !f.IsTimeLimit() && !f.IsMemoryLimit() && c.reduction.Tests > 0
}

func (c *Campaign) examineLater(found *store.Finding, limit time.Duration, do func(context.Context, *follower) error) {
	c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Reducing, Cost: costOf(found)},
		target: c.book.Cells[found.Cell].TargetNumber, from: c.originOf(found), limit: limit, do: do})
}

// examineHeld examines the failures that lanes saw with the key of a finding while it was reduced.
func (f *follower) examineHeld(ctx context.Context, of *store.Finding) error {
	c, held := f.c, f.c.registry.Held(of.Key)
	for ; len(held) > 0 && ctx.Err() == nil; held = append(held[1:], c.registry.Held(of.Key)...) {
		known, t := c.registry.Known(of.Key), new(trace.Trace)
		if known == nil {
			break
		}
		from, features := held[0].From, held[0].Features
		generate(ctx, from, t)
		explained := cause.Explain(known.Known, t)
		if len(t.Calls) == 0 || !known.Wants(features, explained) || c.timeToExamine(explained) <= 0 ||
			!c.registry.Examining(of.Key, features) {
			continue
		}
		found := c.newFound(c.number(of.Target), oracle.Finding{Class: of.Class, Detail: of.Detail}, of.Key, t, from)
		c.registry.Stamp(found)
		verdict, err := f.examine(ctx, found, known.Known, explained)
		c.registry.Examined(of.Key, explained, verdict)
		if err != nil {
			return err
		}
	}
	return nil
}

// examine confirms a failure and reduces it, without the known causes of its key. It adds the result as a
// finding unless another finding has the same fault after all.
func (f *follower) examine(ctx context.Context, found *store.Finding, known []cause.Known, explained bool) (
	v registry.Verdict, err error,
) {
	f.explained = known
	defer func() { f.explained = nil }()
	versions := []*trace.Trace{found.Minimal}
	if explained {
		begun := f.c.pacer.Used(f.job)
		f.sample = true
		defer func() {
			f.sample = false
			f.c.samples.add(f.c.pacer.Used(f.job) - begun)
		}()
		found.MetIn = found.Key
		versions = cause.Without(found.Original, f.explained)
	}
	var same *oracle.Finding
	for i := 0; i < len(versions) && same == nil && err == nil; i++ {
		found.Original, found.Minimal = versions[i], versions[i]
		same, err = f.group.Shows(ctx, found.Target, found.Minimal, found.Key, &found.Run)
	}
	if err != nil || same == nil {
		return registry.Passed, unlessEnded(ctx, err)
	}
	found.Finding, found.Rate = *same, trial.Rate{Failed: 1, Runs: 1}
	f.c.pacer.News()
	side := make(shrink.SideFailures)
	if err := f.run(ctx, found, side); err != nil {
		return registry.NothingNew, unlessEnded(ctx, err)
	}
	if explainedUpToFailure(known, found) {
		return registry.NothingNew, nil
	}
	found.Locate()
	unknown := found.Cause() == "" && found.Location == ""
	if ctx.Err() != nil || unknown || found.Rate.Share() < leastShare || f.c.registry.Explains(found) {
		return registry.NothingNew, nil
	}
	f.c.program(found)
	if err := f.c.registry.AddBeside(found); err != nil {
		return registry.AnotherFault, err
	}
	return registry.AnotherFault, f.reduceSideFailures(ctx, found, side)
}

// explainedUpToFailure reports whether a known failure explains the minimal trace without the calls after
// the failure. Those calls may keep an experiment from applying: a variable that was in no clause may be in one later.
func explainedUpToFailure(known []cause.Known, found *store.Finding) bool {
	n := found.Call + 1
	return n < len(found.Minimal.Calls) && cause.Explain(known, found.Minimal.Prefix(n))
}

// unlessEnded returns err, or nil if ctx has ended.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
