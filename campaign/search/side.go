package search

import (
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/internal/caught"
)

// Side lanes keep the search going when their lane cannot. They run and judge larger traces, one at a time, since each
// can take tenths of a second. And they run traces of the cell while the lane, or another side lane, waits for a trace
// that takes unusually long. The first that has nothing to do takes a task, so that most campaigns open only one.
//
// Campaigns with a fixed number of traces, and fair ones, have no side lanes: there a lane runs all traces
// in turn.
type sideLanes []*sideLane

// mostSideLanes is the number of side lanes of a lane. Each may wait for a trace that hangs.
const mostSideLanes = 3

// A sideLane is a lane with its own goroutine, process and judge.
type sideLane struct {
	tasks chan sideTask // ready to receive while the side lane has nothing to do
	quit  chan struct{}
	ended chan struct{}
}

// A sideTask asks the side lane to run a larger trace, or traces of the cell until the context ends.
type sideTask struct {
	cell   *book.Cell
	larger source.Numbers
	until  context.Context // nil: run only the larger trace
}

func newSideLane() *sideLane {
	return &sideLane{tasks: make(chan sideTask), quit: make(chan struct{}), ended: make(chan struct{})}
}

func (s *Search) newSideLanes(ctx context.Context, target int) (all sideLanes) {
	for range mostSideLanes {
		all = append(all, newSideLane())
	}
	for _, side := range all {
		go func() {
			defer close(side.ended)
			err := caught.Do(func() error { return s.workBeside(ctx, target, side, all) })
			if err != nil && ctx.Err() == nil {
				s.Stop(err)
			}
		}()
	}
	return all
}

// close waits for the traces in progress.
func (all sideLanes) close() {
	for _, s := range all {
		close(s.quit)
	}
	for _, s := range all {
		<-s.ended
	}
}

// offer hands over a task, unless all side lanes are busy.
func (all sideLanes) offer(t sideTask) (taken bool) {
	for _, s := range all {
		select {
		case s.tasks <- t:
			return true
		default:
		}
	}
	return false
}

// handOver has a side lane run the larger traces of a posted batch. It postpones a trace if all side lanes are
// busy or if larger traces have had their share of the time. A trace that the queue did not take is made
// again, so it must not be handed over before.
func (l *lane) handOver(b *numbered) {
	for i := range b.Traces {
		if b.made[i] != source.Elsewhere {
			continue
		}
		number := b.origin(i).Number
		task := sideTask{cell: b.cell, larger: source.Numbers{From: number, To: number + 1}}
		if l.costs.PostponeExtra(b.origin(i).Choice().Extra()) || !l.side.offer(task) {
			b.made[i] = source.Postponed
		}
	}
}

// A lane waits long if it waits for patience plus late times the usual time of its batch. While much of the time goes
// to traces that are set aside, patience must do: the lane probably waits for such a trace.
const (
	patience = 50 * time.Millisecond
	late     = 2
)

// await waits for the target to run a batch. A side lane takes over if that takes long.
func (l *lane) await(b *numbered, wait func() error) error {
	began := time.Now()
	defer func() { l.counts.Waiting += time.Since(began) }()
	if len(l.side) == 0 {
		return wait()
	}
	waiting, end := context.WithCancel(context.Background())
	defer end()
	task, long := sideTask{cell: b.cell, until: waiting}, patience
	if !l.costs.LosesTime() {
		long += late * b.usual
	}
	defer time.AfterFunc(long, func() {
		if !l.isFirstHang() && !l.allAreLong() {
			l.side.offer(task)
		}
	}).Stop()
	return wait()
}

// isFirstHang reports whether a hang is being confirmed and hardly any trace has ended. Then another trace would
// probably hang, too, and take processor time from the confirmation.
func (l *lane) isFirstHang() bool {
	return limit.IsFirst(l.costs.Expect()) && l.s.Registry.Hangs(l.s.All[l.targets[0]].Name)
}

// workBeside does the tasks of a side lane. The first of them opens the lane.
func (s *Search) workBeside(ctx context.Context, target int, side *sideLane, all sideLanes) error {
	var l *lane
	for {
		var task sideTask
		select {
		case task = <-side.tasks:
		case <-side.quit:
			return nil
		}
		if l == nil {
			size := s.QueueOptions()
			size.Ahead = 1
			var err error
			if l, err = s.newLane(ctx, target, size); err != nil {
				return err
			}
			l.side, l.isSide = all, true
			defer l.close()
			defer l.interruptAtEnd(ctx)()
		}
		if err := l.runBeside(ctx, task); err != nil || ctx.Err() != nil {
			return err // a resumed campaign runs the trace again
		}
	}
}

func (l *lane) runBeside(ctx context.Context, task sideTask) error {
	todo, turn := task.larger, &book.Turn{Cell: task.cell, Length: time.Hour, ReadyAt: time.Now()}
	if l.standsIn = task.until != nil; l.standsIn {
		l.setLimits()
	}
	for {
		if todo.Empty() {
			if task.until == nil || task.until.Err() != nil || l.s.Halt.Paused() || l.isIdle() || l.allAreLong() {
				return nil
			}
			if todo = l.s.Book.Take(turn, l.size); todo.Empty() {
				return nil
			}
		}
		taken, err := l.postNumbers(ctx, task.cell, todo)
		todo.From += uint64(taken)
		for err == nil && ctx.Err() == nil && len(l.posted) > 0 {
			err = l.collect()
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// isLong reports whether a lane that stands in for another leaves out a trace of the kind: most would exceed its limit.
func (l *lane) isLong(k cost.Kind) bool {
	return l.standsIn && limit.Expectation{Usual: l.costs.UsualOfAll([]cost.Kind{k})}.Exceeds(l.limits.CPU)
}

// allAreLong reports whether a lane that stands in for another would leave out nearly all traces of the target.
func (l *lane) allAreLong() bool { return l.costs.Expect().Exceeds(l.s.Limits.CPU) }

// interruptAtEnd interrupts the traces that run when ctx ends. Calling done prevents that.
func (l *lane) interruptAtEnd(ctx context.Context) (done func() bool) {
	return context.AfterFunc(ctx, func() {
		l.stream.Interrupt()
		for _, r := range l.rivals {
			r.stream.Interrupt()
		}
	})
}

// does records what the lane does. The book ignores side lanes: they cannot hold up the search.
func (l *lane) does(what string, numbers source.Numbers) {
	if !l.isSide {
		l.s.Book.Does(l.account, what, numbers)
	}
}

// numbers returns the numbers of traces of the batch, without those that the side lane runs.
func (b *numbered) numbers(from, to int) (all []source.Numbers) {
	for i := from; i < to; i++ {
		if b.made[i] == source.Elsewhere {
			all = append(all, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(i)})
			from = i + 1
		}
	}
	return append(all, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(to)})
}
