package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A reduction in a campaign is bounded by what it tries, so that the same trace
// comes down to the same on a slow machine and on a fast one. The time is a last
// resort, for targets that take seconds a trace; a finding says when it was met.
const (
	reduceTests = 3000 // many times what a tiny trace takes
	reduceIdle  = 1000 // tests in a row that change nothing
	reduceTime  = 2 * time.Minute
	// keptAfter is how long a finding is reduced before it is stored as it is:
	// what is confirmed must not be lost when the run is killed meanwhile.
	keptAfter = 2 * time.Second
)

func (c *Campaign) reduceBudget() dd.Budget {
	return dd.Budget{Tests: reduceTests, Idle: reduceIdle, Time: reduceTime}
}

// minimizeAndAdd stores a confirmed finding, and then those that were met while
// its trace was made small, and so on. Its key is reserved.
func (l *lane) minimizeAndAdd(ctx context.Context, found *store.Finding) error {
	defer l.c.release(found)
	met := make(shrink.SideFailures)
	if err := l.minimize(ctx, found, met); err != nil {
		return err
	}
	if err := l.c.add(found); err != nil {
		return err
	}
	return l.minimizeOthers(ctx, found, met)
}

// minimizeOthers makes findings of the failures that were met, where they are
// wanted, and of those that are met meanwhile.
func (l *lane) minimizeOthers(ctx context.Context, in *store.Finding, met shrink.SideFailures) error {
	for l.c.config.Others && len(met) > 0 {
		key, traces := met.Next()
		if err := l.minimizeMet(ctx, in, key, traces); err != nil {
			return err
		}
	}
	return nil
}

// minimizeMet makes a finding of another failure that was met, out of the
// smallest of its traces that shows it again. What the others come down to is
// kept beside it where it differs: it may be another bug behind the same key.
func (l *lane) minimizeMet(ctx context.Context, in *store.Finding, key oracle.Key, traces []*trace.Trace) error {
	if !l.c.wants(key) {
		return nil
	}
	var first *store.Finding
	met := make(shrink.SideFailures)
	for _, t := range traces {
		other := &store.Finding{Key: key, Target: in.Target, Cell: in.Cell, Number: in.Number, Seed: in.Seed, Without: in.Without, Original: t, Minimal: t, MetIn: in.Key, Rate: trial.Rate{Failed: 1, Runs: 1}}
		same, err := l.group.Shows(ctx, in.Target, t, key, &other.Run)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if same == nil {
			continue // nothing that was promised is lost
		}
		other.Finding = *same
		if first == nil {
			if !l.c.reserve(other) {
				return nil
			}
			defer l.c.release(other)
			first = other
		}
		if err := l.minimize(ctx, other, met); err != nil {
			return err
		}
		if other != first && !first.ReducesTo(other.Minimal) {
			first.Variants = append(first.Variants, store.Variant{Original: other.Original, Minimal: other.Minimal})
		}
	}
	if first == nil {
		return nil
	}
	if err := l.c.add(first); err != nil {
		return err
	}
	return l.minimizeOthers(ctx, first, met)
}

// minimize makes the trace of a finding small. It is confirmed already, so what
// goes wrong here does not take it away. Traces that showed other failures are
// noted.
func (l *lane) minimize(ctx context.Context, found *store.Finding, met shrink.SideFailures) error {
	if l.c.config.unreduced {
		return nil
	}
	keep := l.c.keeper(found)
	if found.Compared() {
		err := l.minimizeCompared(ctx, found, keep)
		if err == nil {
			found.Right, err = shrink.RightAnswers(ctx, found.Minimal)
		}
		return err
	}
	who := l.c.number(found.Target)
	config := dd.Config{Budget: l.c.reduceBudget(), Workers: 1, Seed: found.Seed, Parts: found.Parts,
		Description: l.c.descriptionOf(who), Events: dd.Events{OnOther: met.Note, Progress: keep}}
	reducer := &shrink.Reducer{Config: config, Target: l.c.target(who), Limits: l.group.Session(found.Target).Limits(), Key: found.Key}
	result, err := reducer.Reduce(ctx, found.Minimal)
	var lost *shrink.NotFailingError
	switch {
	case errors.As(err, &lost): // a matter of chance: what was confirmed is kept as it is
		found.Rate.Runs += lost.Runs
		found.NotMinimal = fmt.Sprintf("it did not fail in %d more runs", lost.Runs)
		return nil
	case err != nil && ctx.Err() != nil:
		found.NotMinimal = store.RunEnded
		return nil
	case err != nil:
		return err
	case result.After.Failed == 0: // chance too, and what is smaller was never seen to fail again
		found.Rate = trial.Rate{Failed: found.Rate.Failed + result.Before.Failed, Runs: found.Rate.Runs + result.Before.Runs}
		found.NotMinimal = "what is smaller did not fail again"
		return nil
	}
	l.c.mu.Lock() // other lanes ask whether it rests on a vote
	defer l.c.mu.Unlock()
	takeReduction(found, result)
	return nil
}

// minimizeCompared makes the trace small of a finding that only a comparison with
// other targets shows: every candidate is run on all of them.
func (l *lane) minimizeCompared(ctx context.Context, found *store.Finding, keep func(dd.Progress)) error {
	config := dd.Config{Budget: l.c.reduceBudget(), Seed: found.Seed, Parts: found.Parts,
		Description: l.c.descriptionOf(l.c.number(found.Target)), Events: dd.Events{Progress: keep}}
	result, err := shrink.Compared(ctx, l.group, found.Target, found.Key, found.Call, found.Minimal, config)
	if err != nil {
		return err
	}
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	found.NotMinimal = "what is smaller did not fail again"
	if result.After.Failed > 0 {
		found.Finding, found.Run, found.Minimal, found.Others = result.Finding, result.Run, store.Reduced(result.Trace), result.Others
		found.Tests, found.IsMinimal, found.Reducing, found.NotMinimal = result.Stats.Tests, result.Minimal, result.Time, shrink.WhyNotMinimal(result.Ended)
	}
	return nil
}

// reserve makes the key of a finding known while its trace is made small, so that
// no other lane does the same; false when one does.
func (c *Campaign) reserve(found *store.Finding) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if there := c.reducing[found.Key]; there != nil && there != found && (!there.Voted || found.Voted) {
		there.Hits++
		return false
	}
	c.reducing[found.Key] = found
	c.shrinks(found)
	return true
}

func (c *Campaign) release(found *store.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.shrinking, found)
	if c.reducing[found.Key] == found {
		delete(c.reducing, found.Key)
	}
}

// keeper returns what is called for every test of a reduction: when it takes
// long, it stores the finding as it was confirmed.
func (c *Campaign) keeper(found *store.Finding) func(dd.Progress) {
	begun, done := time.Now(), c.store == nil
	return func(p dd.Progress) {
		c.shrunk(found, p)
		if done || time.Since(begun) < keptAfter {
			return
		}
		done = true
		c.keepEarly(found)
	}
}

// keepEarly stores a finding as it was confirmed. That it cannot be stored is said
// when it is stored at last.
func (c *Campaign) keepEarly(found *store.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.store == nil || c.byKey[found.Key] != nil || c.early[found.Key] {
		return
	}
	now := *found
	now.NotMinimal = store.BeingReduced
	now.Hits++
	if now.After == 0 {
		now.After, now.Elapsed = c.judged.Load(), time.Since(c.begun)
	}
	c.early[found.Key] = c.store.Put(&now) == nil && !now.Again
}

// keep stores a finding, in the place of what was kept of it before.
func (c *Campaign) keep(found *store.Finding) error {
	if c.early[found.Key] {
		return c.store.Replace(found)
	}
	return c.store.Put(found)
}

// takeReduction makes the finding that of the reduced trace.
func takeReduction(f *store.Finding, result *shrink.Reduction) {
	f.Minimal, f.Run, f.Rate = store.Reduced(result.Expecting), result.Run, result.After
	f.Tests, f.IsMinimal, f.Right, f.Reducing = result.Stats.Tests, result.Result.Minimal, result.Right, result.Time
	f.Finding, f.Others, f.NotMinimal = result.Finding, result.Others, shrink.WhyNotMinimal(result.Ended)
}
