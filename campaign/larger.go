package campaign

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/trace"
)

// To run or to judge a larger trace can take tenths of a second, in which a lane runs
// thousands of usual ones. So it hands larger traces over to another lane, which has a
// goroutine, a process and a judge of its own and runs them one at a time. Campaigns with a
// fixed number of traces, and fair ones, do not: there the lane runs all traces itself.

// A largerLane runs the larger traces of another lane.
type largerLane struct {
	todo  chan source.Origin // ready to receive while the lane has nothing to do
	ended chan struct{}
}

// handOver lets another lane run a larger trace, or postpones it if that lane has one
// already or if larger traces have had their share of the time. It fills t with a trace
// that takes its place in this lane.
func (l *lane) handOver(ctx context.Context, from source.Origin, t *trace.Trace) (profile string, kind cost.Kind) {
	from.Idle(t)
	profile, kind.Profile = source.Postponed, source.Postponed
	if l.costs.PostponeExtra() {
		return profile, kind
	}
	if l.larger == nil { // it is not ready for this trace, but for a later one
		l.larger = l.c.newLargerLane(ctx, l.targets[0])
	}
	select {
	case l.larger.todo <- from:
		profile = source.Elsewhere
	default:
	}
	return profile, kind
}

func (c *Campaign) newLargerLane(ctx context.Context, target int) *largerLane {
	x := &largerLane{todo: make(chan source.Origin), ended: make(chan struct{})}
	go func() {
		defer close(x.ended)
		err := caught.Do(func() error { return c.runLarger(ctx, target, x.todo) })
		if err != nil && ctx.Err() == nil {
			c.stop(err)
		}
	}()
	return x
}

// close waits for the trace in progress.
func (x *largerLane) close() {
	if x != nil {
		close(x.todo)
		<-x.ended
	}
}

// runLarger runs larger traces of a target until there are no more.
func (c *Campaign) runLarger(ctx context.Context, target int, todo <-chan source.Origin) error {
	size := streamSize(c.config.Way)
	size.Ahead, size.Traces, size.Starting = 1, 1, ctx
	l, err := c.newLane(target, size)
	if err != nil {
		return err
	}
	l.beside = true
	defer l.close()
	defer l.interruptAfter(ctx)()
	for from := range todo {
		numbers := source.Numbers{From: from.Number, To: from.Number + 1}
		_, err := l.postNumbers(ctx, c.book.cellOf(from), numbers)
		for err == nil && ctx.Err() == nil && len(l.posted) > 0 {
			err = l.collect()
		}
		if err != nil || ctx.Err() != nil {
			return err // a resumed campaign runs the trace again
		}
	}
	return nil
}

// interruptAfter ends what runs soon after ctx ends, unless the function that it returns is
// called before: a trace that hangs must not hold up the end.
func (l *lane) interruptAfter(ctx context.Context) (done func()) {
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(finalBatchGrace):
			l.stream.Interrupt()
			for _, r := range l.rivals {
				r.stream.Interrupt()
			}
		}
	})
	return func() {
		close(over)
		stop()
	}
}

// does notes what the lane does. Lanes of larger traces do not keep the search from going
// on, and are not asked.
func (l *lane) does(what string, of source.Numbers) {
	if !l.beside {
		l.c.book.does(l, what, of)
	}
}

// numbers returns the numbers of some traces of the batch, without those that another lane
// runs.
func (b *numbered) numbers(from, to int) (all []source.Numbers) {
	for i := from; i < to; i++ {
		if b.made[i] == source.Elsewhere {
			all = append(all, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(i)})
			from = i + 1
		}
	}
	return append(all, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(to)})
}
