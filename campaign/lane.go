package campaign

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// historyKept is how many traces of a process can be made again to reproduce a
// failure that none of them shows alone.
const historyKept = 1 << 14

// Every so many traces the reference solver is asked about all answers, decided or
// not: the checks watch each other, for some ten nanoseconds a trace.
const crossCheckStride = 1 << 12

// lastBatch is how long the batch that runs when the campaign ends may go on.
const lastBatch = 300 * time.Millisecond

// A lane is one stream of traces with all that belongs to it: a generator and a
// judge on this side, a worker process on the other. While the worker runs one
// batch the lane judges the one before and makes the one after.
type lane struct {
	c         *Campaign
	stream    replay.Queue
	generator *gen.Generator
	referee   *Referee
	confirmer *confirmer
	rivals    []*rival
	peaks     map[int]uint64 // KiB, of every target's process
	weighed   int
	suspicion suspicion
	measures  *Measures
	profile   string // of the trace that is being judged

	size    int // traces in a batch; fewer when a batch took long
	free    []*numbered
	posted  []*numbered
	pending numbers  // taken and not yet posted
	ran     []uint64 // the last numbers that were collected, oldest first
}

// numbered is a batch whose trace i has number first+i.
type numbered struct {
	replay.Batch
	first  uint64
	traces []*trace.Trace // all that the batch owns; Traces is what was posted
	made   []string       // the profiles of the traces
	others []replay.Batch // the same traces, for the rivals
}

// numbers is a range of trace numbers.
type numbers struct{ from, to uint64 }

func (c *Campaign) newLane() (*lane, error) {
	size := streamSize(c.config.Way)
	stream, err := replay.OpenQueue(c.config.Target, c.config.Way, c.config.Limits, size)
	if err != nil {
		return nil, err
	}
	generator, err := gen.New(c.generatorConfig())
	if err != nil {
		stream.Close()
		return nil, err
	}
	l := &lane{c: c, measures: c.newMeasures(), size: leastBatch, stream: stream, generator: generator, referee: c.referee(0, false, inPassing)}
	l.confirmer = newConfirmer(c)
	if err := l.openRivals(size); err != nil {
		l.close()
		return nil, err
	}
	for range size.Ahead {
		b := &numbered{traces: make([]*trace.Trace, size.Traces), others: make([]replay.Batch, len(l.rivals))}
		for i := range b.traces {
			b.traces[i] = new(trace.Trace)
		}
		b.Seeds, b.made = make([]uint64, size.Traces), make([]string, size.Traces)
		l.free = append(l.free, b)
	}
	return l, nil
}

func (l *lane) close() {
	l.stream.Close()
	l.confirmer.close()
	for _, r := range l.rivals {
		r.stream.Close()
		r.referee.Close()
	}
	tally := l.referee.Decided()
	l.referee.Close()
	l.c.mu.Lock()
	l.c.tally.Add(tally)
	l.c.measures.add(l.measures)
	l.c.mu.Unlock()
}

// run goes on until ctx ends. What it has collected by then it still judges and
// confirms, as long as confirming lets it.
func (l *lane) run(ctx, confirming context.Context) error {
	done := make(chan struct{})
	defer close(done)
	defer context.AfterFunc(ctx, func() { // a trace that hangs must not hold up the end
		select {
		case <-done:
		case <-time.After(lastBatch):
			l.stream.Interrupt()
			for _, r := range l.rivals {
				r.stream.Interrupt()
			}
		}
	})()
	for {
		for ctx.Err() == nil && len(l.free) > 0 {
			posted, err := l.post()
			if err != nil {
				return err
			}
			if !posted {
				break
			}
		}
		if ctx.Err() != nil {
			return nil // what is in flight would only be run again
		}
		if len(l.posted) == 0 {
			return nil // the limit on traces is reached
		}
		if err := l.collect(confirming); err != nil {
			return err
		}
	}
}

// A batch is judged when all of it has run. Of traces that take long it holds
// few, so that their findings are news and the end of the run loses little.
const (
	leastBatch = 2
	longBatch  = 100 * time.Millisecond // then the next ones are smaller
	shortBatch = 10 * time.Millisecond  // then they are larger
)

// resize sets the size of the next batches by how long one has run.
func (l *lane) resize(b *numbered) {
	var took time.Duration
	for i := range b.Runs {
		took += time.Duration(b.Runs[i].Usage.WallNanos)
	}
	switch {
	case took > longBatch:
		l.size = max(l.size/2, 1)
	case took < shortBatch:
		l.size = min(2*l.size, len(b.traces))
	}
}

// take returns the next numbers to be run, none when the campaign has enough.
func (l *lane) take(n int) numbers {
	if l.pending.from < l.pending.to {
		return numbers{l.pending.from, min(l.pending.to, l.pending.from+uint64(n))}
	}
	from := l.c.next.Add(uint64(n)) - uint64(n)
	to := from + uint64(n)
	if limit := l.c.config.Traces; limit > 0 {
		to = min(to, limit)
	}
	return numbers{from, max(from, to)}
}

func (l *lane) post() (bool, error) {
	b := l.free[len(l.free)-1]
	todo := l.take(l.size)
	if todo.from == todo.to {
		return false, nil
	}
	b.first = todo.from
	n := int(todo.to - todo.from)
	for i := range n {
		b.Seeds[i] = l.c.seed(b.first + uint64(i))
		l.generator.Generate(b.Seeds[i], b.traces[i])
		b.made[i] = l.generator.Profile()
	}
	b.Traces = b.traces[:n]
	taken, err := l.stream.Post(&b.Batch)
	if err != nil {
		return false, err
	}
	if err := l.postToRivals(b); err != nil {
		return false, err
	}
	l.pending = numbers{todo.from + uint64(taken), max(todo.to, l.pending.to)}
	l.free = l.free[:len(l.free)-1]
	l.posted = append(l.posted, b)
	return true, nil
}

func (c *Campaign) seed(number uint64) uint64 {
	return gen.Seed(c.config.Seed, c.config.Shard, number)
}

func (l *lane) collect(ctx context.Context) error {
	if len(l.rivals) > 0 {
		return l.collectCompared(ctx)
	}
	if _, err := l.stream.Collect(); err != nil {
		return err
	}
	b := l.posted[0]
	if b.Complete() {
		l.posted = append(l.posted[:0], l.posted[1:]...)
		l.free = append(l.free, b)
		l.resize(b)
	}
	for i := b.Fresh; i < b.Done; i++ {
		t, run := b.Traces[i], &b.Runs[i]
		number := b.first + uint64(i)
		l.profile = b.made[i]
		l.count(t, run)
		l.measures.ran(0, run)
		l.measures.made(l.profile, number, t)
		undecided := l.referee.Undecided()
		findings, err := l.referee.Judge(t, run)
		if err == nil && number%crossCheckStride == 0 && run.End == trace.Finished {
			_, err = l.confirmer.parties[0].referee.Judge(t, run)
		}
		if err != nil {
			return err
		}
		for _, f := range findings {
			if err := l.found(ctx, 0, t, f, number, b.Before[i]); err != nil {
				return err
			}
		}
		if err := l.endSuspicion(ctx, number, b.Before[i]); err != nil {
			return err
		}
		if l.referee.Undecided() > undecided {
			if err := l.checkAlone(ctx, t, number); err != nil && ctx.Err() == nil {
				return err
			}
		}
		if run.Usage.HeapDelta > 0 && run.End == trace.Finished {
			if err := l.checkLeak(ctx, t, number); err != nil && ctx.Err() == nil {
				return err
			}
		}
		l.ran = append(l.ran, number)
		if run.End == trace.OutOfCPU || run.End == trace.OutOfTime {
			l.hurry()
		}
	}
	if len(l.ran) > 2*historyKept {
		l.ran = append(l.ran[:0], l.ran[len(l.ran)-historyKept:]...)
	}
	return nil
}

// hurry shortens the time limits of this lane while the target is known to hang,
// or a hang is being confirmed: it will hang again and again, and each time only
// the first few milliseconds are news. What looks like a hang then is still
// confirmed at the full limit. A target that turned out to be slow gets its time
// back.
func (l *lane) hurry() {
	const factor, least = 10, 200 * time.Millisecond
	limits := l.c.config.Limits
	if l.c.hangs() {
		limits.CPU, limits.Wall = max(limits.CPU/factor, least), max(limits.Wall/factor, least)
	}
	l.stream.SetLimits(limits)
	for _, r := range l.rivals {
		r.stream.SetLimits(limits)
	}
}

func (c *Campaign) hangs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.hanging {
		if h.busy {
			return true
		}
	}
	return slices.ContainsFunc(c.found, func(f *Found) bool { return f.Class == oracle.TooSlow })
}

func (l *lane) count(t *trace.Trace, run *trace.Run) {
	s := &l.c.stats
	s.traces.Add(1)
	s.calls.Add(uint64(len(t.Calls)))
	var solves, nanos uint64
	for i := range t.Calls {
		if a := run.Answers.At(i); t.Calls[i].Op == apimodel.OpSolve && a.Kind == trace.Answered {
			solves++
			nanos += run.Answers.EffortOf(a).Nanos
		}
	}
	s.solves.Add(solves)
	s.solveNanos.Add(nanos)
	if run.End != trace.Finished {
		s.deaths.Add(1)
	}
}
