package campaign

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// historyKept is how many traces of a process can be made again to reproduce a
// failure that none of them shows alone.
const historyKept = 1 << 14

// finalBatchGrace is how long the batch that runs when the campaign ends may go on.
const finalBatchGrace = 300 * time.Millisecond

// A lane is one stream of traces with all that belongs to it: a generator and a
// judge on this side, a worker process on the other. While the worker runs one
// batch the lane judges the one before and makes the one after.
type lane struct {
	reducer   // confirms, too
	stream    replay.Queue
	sources   map[string]source.Source // by cell and features that are avoided
	judge     *trial.Judge
	rivals    []*rival
	peaks     map[int]uint64 // KiB, of every target's process
	weighed   int
	suspicion suspicion

	// Of what was judged since the last commit.
	counts    stats.Counts
	profiles  map[string]*stats.ProfileUse
	measures  *stats.Measures
	hits      []registry.Hit
	profile   string // of the trace that is being judged
	failed    bool   // that trace showed a fault
	unsettled bool   // the run ended before what that trace showed was settled

	size    int  // traces in a batch; fewer when a batch took long
	slow    bool // to make the last batch took long
	free    []*numbered
	posted  []*numbered
	turn    *turn
	aside   time.Duration   // spent on confirming and reducing, in this turn
	pending source.Numbers  // taken in this turn and not yet posted
	ran     []source.Origin // the last traces that were collected, oldest first
}

// numbered is a batch whose trace i has number first+i.
type numbered struct {
	replay.Batch
	cell     *cell
	first    uint64
	traces   []*trace.Trace // all that the batch owns; Traces is what was posted
	made     []string       // the profiles of the traces
	notes    [][]string     // their headers, where they are kept
	avoiding []bool         // the traces are made without what known faults need
	others   []replay.Batch // the same traces, for the rivals
}

func (b *numbered) origin(i int) source.Origin {
	return source.Origin{Stream: b.cell.Stream, Number: b.first + uint64(i)}
}

func (c *Campaign) newLane(who int) (*lane, error) {
	size := streamSize(c.config.Way)
	stream, err := replay.OpenQueue(c.target(who), c.config.Way, c.config.Limits, size)
	if err != nil {
		return nil, err
	}
	l := &lane{reducer: reducer{c: c, targets: c.group(who)}, measures: c.newMeasures(),
		profiles: make(map[string]*stats.ProfileUse), size: leastBatch, stream: stream,
		sources: make(map[string]source.Source), judge: c.judge(who, false, trial.InPassing)}
	l.group = c.newGroup(l.targets)
	if err := l.openRivals(size); err != nil {
		l.close()
		return nil, err
	}
	for range size.Ahead {
		b := &numbered{traces: make([]*trace.Trace, size.Traces), others: make([]replay.Batch, len(l.rivals))}
		for i := range b.traces {
			b.traces[i] = new(trace.Trace)
		}
		b.Seeds, b.made, b.avoiding = make([]uint64, size.Traces), make([]string, size.Traces), make([]bool, size.Traces)
		b.notes = make([][]string, size.Traces)
		l.free = append(l.free, b)
	}
	return l, nil
}

func (l *lane) close() {
	l.stream.Close()
	l.group.Close()
	for _, r := range l.rivals {
		r.stream.Close()
		r.judge.Close()
	}
	l.judge.Close()
	l.c.book.closeLane(l)
}

// sourcesKept: what was learned of a target changes, and old sources are of no use.
const sourcesKept = 256

// source returns what makes the cell's traces in this lane, without some features.
func (l *lane) source(of *source.Stream, without []string) (source.Source, error) {
	name := strconv.Itoa(of.Index) + " " + strings.Join(without, ",")
	if known := l.sources[name]; known != nil {
		return known, nil
	}
	fresh, err := of.Open(without)
	if err == nil {
		if len(l.sources) == sourcesKept {
			clear(l.sources)
		}
		l.sources[name] = fresh
	}
	return fresh, err
}

// run takes turns as long as they are for its target. It returns the next one
// that is not; nil when there is none, or ctx has ended. What it has collected by
// then it still judges and confirms, as long as confirming lets it.
func (l *lane) run(ctx, confirming context.Context, t *turn) (*turn, error) {
	done := make(chan struct{})
	defer close(done)
	defer context.AfterFunc(ctx, func() { // a trace that hangs must not hold up the end
		select {
		case <-done:
		case <-time.After(finalBatchGrace):
			l.stream.Interrupt()
			for _, r := range l.rivals {
				r.stream.Interrupt()
			}
		}
	})()
	l.turn, t.readyAt = t, time.Now()
	var next, over *turn
	defer func() {
		if over = cmp.Or(over, l.turn); over != nil {
			l.c.book.endTurn(over, l.aside)
			l.turn, l.aside = nil, 0
		}
	}()
	for {
		if len(l.posted) == 0 {
			l.aside += l.c.rest(ctx)
		}
		for ctx.Err() == nil && !l.c.Paused() && l.mayPost() && next == nil && l.turn != nil {
			posted, err := l.post(ctx)
			if err != nil {
				return nil, err
			}
			if posted {
				continue
			}
			over, l.turn = l.turn, nil
			if next = l.c.book.nextTurn(); next != nil && next.cell.target == l.targets[0] {
				l.c.book.endTurn(over, l.aside)
				l.turn, next, over, l.aside = next, nil, nil, 0
			} // else what is under way is still the old one's
		}
		if ctx.Err() != nil {
			return nil, nil // what is in flight would only be run again
		}
		if len(l.posted) == 0 && (next != nil || l.turn == nil) {
			return next, nil
		} else if len(l.posted) == 0 {
			continue // the run is paused
		}
		if err := l.collect(confirming); err != nil {
			return nil, err
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

// take returns the next numbers to be run, none when the turn is over.
func (l *lane) take(n int) source.Numbers {
	if l.pending.Empty() {
		l.pending = l.c.book.take(l.turn, n)
	}
	return source.Numbers{From: l.pending.From, To: min(l.pending.To, l.pending.From+uint64(n))}
}

// mayPost: where traces come slowly, one batch runs while the next is made. With
// more ahead it would take minutes until anything is judged.
func (l *lane) mayPost() bool {
	return len(l.free) > 0 && (!l.slow || len(l.posted) < 2)
}

func (l *lane) post(ctx context.Context) (bool, error) {
	b := l.free[len(l.free)-1]
	todo := l.take(l.size)
	if todo.Empty() {
		return false, nil
	}
	lessons := l.turn.cell.Lessons.Now()
	b.cell, b.first = l.turn.cell, todo.From
	n, began := int(todo.To-todo.From), time.Now()
	for i := range n {
		if i > 0 && time.Since(began) > longBatch {
			n = i // another program makes them, and takes its time
			break
		}
		b.Seeds[i] = b.origin(i).Seed()
		without := source.Avoids(lessons, b.first+uint64(i), b.Seeds[i])
		b.avoiding[i] = without != nil
		var err error
		if b.made[i], err = l.make(ctx, b.origin(i), without, b.traces[i]); err != nil {
			if ctx.Err() != nil {
				return false, nil
			}
			return false, err
		}
		if l.c.archivist != nil && b.made[i] != source.NoTrace {
			b.notes[i] = l.header(b.origin(i), without)
		}
	}
	l.slow = time.Since(began) > longBatch
	b.Traces = b.traces[:n]
	taken, err := l.stream.Post(&b.Batch)
	if err != nil {
		return false, err
	}
	if err := l.postToRivals(b); err != nil {
		return false, err
	}
	l.pending.From += uint64(taken)
	l.free = l.free[:len(l.free)-1]
	l.posted = append(l.posted, b)
	return true, nil
}

// make is makeTrace for a trace that is to be run: faults of the generator are
// counted, and end the run when there is nothing else.
func (l *lane) make(ctx context.Context, from source.Origin, without []string,
	t *trace.Trace) (profile string, err error) {
	traces, err := l.source(from.Stream, without)
	if err != nil {
		return source.NoTrace, err
	}
	profile, err = from.Make(ctx, traces, t)
	if err == nil && source.HasTrait(t, l.c.config.Avoid) {
		from.Idle(t)
		profile = source.Filtered
	}
	if from.Stream.From == nil || err != nil && profile != source.NoTrace {
		return profile, err
	}
	return profile, l.c.book.generated(err)
}

// lanesOpen is how many lanes a worker keeps, each with processes of its target.
// A target that has to wait for its turn gets new ones.
const lanesOpen = 4

// A turn is what a worker does next: some of the numbers of a cell.
type turn struct {
	cell  *cell
	begun time.Time
	// readyAt is when its first trace could be made: the target may take long to
	// start, and what the worker did before may take long to end.
	readyAt time.Time
	used    bool
	length  time.Duration
}

// work takes turns until there are none, or ctx ends.
func (c *Campaign) work(ctx, confirming context.Context) error {
	var lanes []*lane // the one used last at the end
	defer func() {
		for _, l := range lanes {
			l.close()
		}
	}()
	for t := c.book.nextTurn(); t != nil && ctx.Err() == nil; {
		t.begun = time.Now() // the lane before has come to its end
		var l *lane
		if at := slices.IndexFunc(lanes, func(l *lane) bool { return l.targets[0] == t.cell.target }); at >= 0 {
			l = lanes[at]
			lanes = slices.Delete(lanes, at, at+1)
		} else {
			if len(lanes) == lanesOpen {
				lanes[0].close()
				lanes = slices.Delete(lanes, 0, 1)
			}
			var err error
			if l, err = c.newLane(t.cell.target); err != nil {
				return err
			}
		}
		lanes = append(lanes, l)
		next, err := l.run(ctx, confirming, t)
		if err != nil {
			return err
		}
		t = next
	}
	return c.endWaiting(confirming)
}
