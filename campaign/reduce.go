package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The number of tests bounds a reduction in a campaign, so that slow and fast machines
// come to the same result. The time limit is a last resort, for targets that take seconds
// per trace; a finding says if its reduction met it.
const (
	reduceTests = 3000 // many times the tests of a tiny trace
	reduceIdle  = 1000 // tests in a row without progress
	reduceTime  = 2 * time.Minute
	// keptAfter is the time after which a finding that is being reduced is stored as
	// confirmed.
	keptAfter = 2 * time.Second
)

// A reducer reduces and adds findings of a target and its rivals.
type reducer struct {
	c       *Campaign
	targets []int // the numbers of the group's members
	group   *trial.Group
}

// newReducer returns a reducer for findings of a cell. The caller must close its group.
func (c *Campaign) newReducer(cell int) *reducer {
	targets := c.group(c.book.cells[cell].target)
	return &reducer{c: c, targets: targets, group: c.newGroup(targets)}
}

// reduce reduces and adds a confirmed finding, then those that wait. If half of the
// workers already reduce, the finding waits: it is stored as confirmed, its number is
// held, and the next worker that finishes a reduction takes it.
func (r *reducer) reduce(ctx context.Context, found *store.Finding) error {
	c := r.c
	if !c.registry.Reserve(found, c.registry.ViewOf(found)) {
		return nil
	}
	if c.registry.Busy() {
		c.registry.KeepEarly(found) // while this goroutine owns it
	}
	c.book.hold(c.originOf(found)) // before another worker may take it
	if !c.registry.BeginReduction(found) {
		return nil
	}
	c.book.release(c.originOf(found)) // its number is not done before reduce returns
	defer c.registry.EndReduction()
	err := r.reduceAndAdd(ctx, found)
	for err == nil {
		next := c.registry.NextWaiting()
		if next == nil {
			return nil
		}
		err = c.reduceWaiting(ctx, r, next)
	}
	return err
}

// reduceWaiting reduces a finding from the queue, which may be of another target
// than the reducer's, nil if there is none.
func (c *Campaign) reduceWaiting(ctx context.Context, r *reducer, found *store.Finding) error {
	if r == nil || !slices.Equal(c.group(c.book.cells[found.Cell].target), r.targets) {
		r = c.newReducer(found.Cell)
		defer r.group.Close()
	}
	var err error
	if c.registry.Enough() { // it is dropped
		err = c.add(found)
		c.registry.Release(found)
	}
	if err == nil {
		err = r.reduceAndAdd(ctx, found)
	}
	if err == nil || errors.Is(err, registry.ErrEnough) {
		c.book.release(c.originOf(found))
	}
	return err
}

// endWaiting reduces the findings that wait when there are no turns left.
func (c *Campaign) endWaiting(ctx context.Context) error {
	for next := c.registry.NextWaiting(); next != nil; next = c.registry.NextWaiting() {
		if err := c.reduceWaiting(ctx, nil, next); err != nil && !errors.Is(err, registry.ErrEnough) {
			return err
		}
	}
	return nil
}

// keepWaiting adds the findings that still wait at the end of a campaign as confirmed.
func (c *Campaign) keepWaiting() {
	for next := c.registry.NextWaiting(); next != nil; next = c.registry.NextWaiting() {
		next.NotMinimal = store.RunEnded
		c.add(next) // it is stored already
		c.registry.Release(next)
	}
}

// reduceLarger reduces findings that were not minimal when an earlier part of the campaign
// ended, one after the other. A finding whose trace does not fail again stays as it is.
func (c *Campaign) reduceLarger(ctx context.Context) error {
	for _, found := range c.larger {
		r := c.newReducer(found.Cell)
		err := r.reduceStored(ctx, found)
		r.group.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// reduceStored reduces a stored finding and replaces its directory.
func (r *reducer) reduceStored(ctx context.Context, found *store.Finding) error {
	smaller := *found
	smaller.Minimal, smaller.NotMinimal, smaller.Resumed = store.Reduced(found.Minimal), "", false
	r.c.registry.Reserve(&smaller, r.c.registry.ViewOf(&smaller))
	defer r.c.registry.Release(&smaller)
	side := make(shrink.SideFailures)
	if err := r.run(ctx, &smaller, side); err != nil {
		return err
	}
	if store.CallsAlone(smaller.Minimal) != store.CallsAlone(found.Minimal) || smaller.IsMinimal {
		r.c.program(&smaller)
		if err := r.c.registry.Replace(&smaller); err != nil {
			return err
		}
	}
	return r.reduceSideFailures(ctx, found, side)
}

// reduceAndAdd reduces and adds a confirmed finding, whose key is reserved, and then its
// side failures.
func (r *reducer) reduceAndAdd(ctx context.Context, found *store.Finding) error {
	defer r.c.registry.Release(found)
	side := make(shrink.SideFailures)
	if err := r.run(ctx, found, side); err != nil {
		return err
	}
	if err := r.c.add(found); err != nil {
		return err
	}
	return r.reduceSideFailures(ctx, found, side)
}

// reduceSideFailures makes findings of other failures seen during a reduction, if they are
// wanted, and of those seen while it reduces these.
func (r *reducer) reduceSideFailures(ctx context.Context, in *store.Finding, side shrink.SideFailures) error {
	for r.c.config.Others && len(side) > 0 {
		key, traces := side.Next()
		if err := r.reduceSideFailure(ctx, in, key, traces); err != nil {
			return err
		}
	}
	return nil
}

// reduceSideFailure makes a finding of a side failure from the smallest of its traces that
// shows it again. If the other traces reduce to something else, the finding keeps that as
// a variant: another fault may have the same key.
func (r *reducer) reduceSideFailure(
	ctx context.Context, in *store.Finding, key oracle.Key, traces []*trace.Trace,
) error {
	if !r.c.registry.Wants(key, false) {
		return nil
	}
	var first *store.Finding
	side := make(shrink.SideFailures)
	for _, t := range traces {
		other := &store.Finding{Key: key, Target: in.Target, Cell: in.Cell, Number: in.Number, Seed: in.Seed,
			Without: in.Without, Original: t, Minimal: t, MetIn: in.Key, Rate: trial.Rate{Failed: 1, Runs: 1}}
		same, err := r.group.Shows(ctx, in.Target, t, key, &other.Run)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return err
		}
		if same == nil {
			continue // it was never confirmed, so nothing is lost
		}
		other.Finding = *same
		if first == nil {
			if !r.c.registry.Reserve(other, r.c.registry.ViewOf(other)) {
				return nil
			}
			defer r.c.registry.Release(other)
			first = other
		}
		if err := r.run(ctx, other, side); err != nil {
			return err
		}
		if other != first && !first.ReducesTo(other.Minimal) {
			first.Variants = append(first.Variants, store.Variant{Original: other.Original, Minimal: other.Minimal})
		}
	}
	if first == nil {
		return nil
	}
	if err := r.c.add(first); err != nil {
		return err
	}
	return r.reduceSideFailures(ctx, first, side)
}

// run reduces the trace of a finding and notes side failures. The finding is confirmed, so
// it stays whatever happens to its reduction.
func (r *reducer) run(ctx context.Context, found *store.Finding, side shrink.SideFailures) error {
	if r.c.reduction.Tests == 0 {
		return nil
	}
	target := r.c.number(found.Target)
	config := dd.Config{Budget: r.c.reduction, Workers: 1, Seed: found.Seed, Parts: found.Parts,
		Description: r.c.descriptionOf(target), Allowed: r.c.allowed(found),
		Events: dd.Events{Progress: r.c.progress(found)}}
	if found.Compared() {
		result, err := shrink.Compared(ctx, r.group, found.Target, found.Key, found.Call, found.Minimal, config)
		if err != nil {
			return err
		}
		takeCompared(found, result)
		found.Right, err = shrink.RightAnswers(ctx, found.Minimal)
		return err
	}
	config.OnOther = side.Note
	reducer := &shrink.Reducer{Config: config, Target: r.c.target(target),
		Limits: r.group.Session(found.Target).Limits(), Key: found.Key}
	result, err := reducer.Reduce(ctx, found.Minimal)
	var lost *shrink.NotFailingError
	switch {
	case errors.As(err, &lost): // it depends on chance: keep the confirmed trace
		found.Rate.Runs += lost.Runs
		found.NotMinimal = fmt.Sprintf("it did not fail in %d more runs", lost.Runs)
		return nil
	case err != nil && ctx.Err() != nil:
		found.NotMinimal = store.RunEnded
		return nil
	case err != nil:
		return err
	case result.After.Failed == 0: // the reduced trace did not fail again, by chance, too
		found.Rate.Failed += result.Before.Failed
		found.Rate.Runs += result.Before.Runs
		found.NotMinimal = lostAgain
		return nil
	}
	takeReduction(found, result)
	return nil
}

// allowed returns a function that rejects candidates with what the user excluded; nil if
// nothing is excluded.
func (c *Campaign) allowed(found *store.Finding) func(*trace.Trace) bool {
	return c.book.cells[found.Cell].Excludes(c.config.Avoid, found.Minimal)
}

const lostAgain = "the reduced trace did not fail again"

// takeReduction replaces the trace of a finding by the reduced one.
func takeReduction(f *store.Finding, result *shrink.Reduction) {
	f.Minimal, f.Run, f.Rate = store.Reduced(result.Expecting), result.Run, result.After
	f.Tests, f.IsMinimal, f.Right, f.Reducing = result.Stats.Tests, result.Minimal, result.Right, result.Time
	f.Finding, f.Others, f.NotMinimal = result.Finding, result.Others, shrink.WhyNotMinimal(result.Ended)
}

// takeCompared is takeReduction for a finding of a comparison, which keeps the rate of its
// confirmation.
func takeCompared(f *store.Finding, result *shrink.Reduction) {
	if result.After.Failed == 0 {
		f.NotMinimal = lostAgain
		return
	}
	rate := f.Rate
	takeReduction(f, result)
	f.Rate = rate
}

// progress returns a function to call for every test of a reduction. If the reduction
// takes long, the function stores the finding as confirmed.
func (c *Campaign) progress(found *store.Finding) func(dd.Progress) {
	begun, done := time.Now(), c.store == nil
	return func(p dd.Progress) {
		c.registry.Progress(found, p)
		if done || time.Since(begun) < keptAfter {
			return
		}
		done = true
		c.registry.KeepEarly(found)
	}
}
