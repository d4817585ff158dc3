package search

import (
	"cmp"
	"context"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// historyKept is the number of traces that a lane remembers. They run before a failing trace that does not
// fail alone.
const historyKept = 1 << 14

// A lane is one stream of traces: a generator, a worker process and a judge. While the process runs one
// batch, the lane judges the previous batch and generates the next.
type lane struct {
	s       *Search
	account *book.Account
	targets []int // the numbers of the fuzzed target and its rivals
	costs   *cost.Costs
	processes
	makers source.Makers
	batches
	counted
	current
	side      sideLanes // those of the lane, or those that it is one of; none in some campaigns
	isSide    bool
	standsIn  bool // a side lane whose lane waits for a long trace; it must skip such traces
	suspicion suspicion
	ran       []source.Origin // the last traces that ran, oldest first
}

// The processes of a lane, and what judges their answers.
type processes struct {
	stream  replay.Queue
	judge   *trial.Judge
	second  *trial.Judge // asks the reference solver about every answer
	rivals  []*rival
	limits  replay.Limits  // beyond which a trace is set aside
	perRun  bool           // limits hold for each run of a program, not for the trace
	peaks   map[int]uint64 // of each member of the group, in KiB
	weighed int            // number of times that peakJumped reported a jump
	grown   uint64         // peak memory of the target's process after the previous trace, in KiB
	exited  bool           // checkExit has taken one of the lane's traces
}

// The batches of a lane, in the turn that it has.
type batches struct {
	size    int  // traces in a batch; fewer after a batch that took long
	slow    bool // generating the last batch took long
	dying   int  // above 0 if a process died in one of the last batches
	free    []*numbered
	posted  []*numbered
	turn    *book.Turn
	rested  time.Duration  // time of this turn in which the lane was paused or idle
	pending source.Numbers // taken in this turn, but not posted
}

// What a lane counted since the last commit.
type counted struct {
	counts   stats.Counts
	profiles map[string]*stats.ProfileUse
	measures *stats.Measures
	hits     []registry.Hit
	samples  []cost.Sample
	used     registry.Frequencies // features of the traces
	finished time.Duration        // in the library, in traces that ended well
	kept     []store.Kept         // of the batch that is being archived
}

// The trace that is being judged.
type current struct {
	profile string
	row     string // the name of the profile in tables
	kind    cost.Kind
	judged  *trace.Run // of the target
	took    time.Duration
	failed  bool // the trace showed a failure
}

// numbered is a batch whose trace i has number first+i.
type numbered struct {
	replay.Batch
	cell     *book.Cell
	first    uint64
	traces   []*trace.Trace // all traces that a batch may hold; Traces are those that were posted
	made     []string       // the profiles of the traces
	kinds    []cost.Kind    // of the traces
	price    time.Duration  // of the most expensive of them
	usual    time.Duration  // the usual time of such a batch
	headers  []notes.Header // of the traces, if they are archived
	avoiding []avoidance    // of the traces
	needs    [][]string     // what known faults needed when the traces were made
	others   []replay.Batch // the same traces for the rivals
}

func (b *numbered) origin(i int) source.Origin {
	return source.Origin{Stream: b.cell.Stream, Number: b.first + uint64(i)}
}

// newLane opens a lane. It gives up if ctx ends before the target has started.
func (s *Search) newLane(ctx context.Context, target int, size replay.QueueOptions) (*lane, error) {
	size.Starting = ctx
	stream, err := replay.OpenQueue(s.All[target].Target, s.Way, s.Limits, size)
	if err != nil {
		return nil, err
	}
	l := &lane{s: s, account: s.Book.Open(), targets: s.Group(target), costs: s.All[target].Costs,
		processes: processes{stream: stream, judge: s.Judge(target, false, trial.InPassing),
			second: s.Judge(target, true, trial.InPassing), perRun: s.All[target].Kind == replay.File},
		batches: batches{size: leastBatch},
		counted: counted{measures: s.NewMeasures(), profiles: make(map[string]*stats.ProfileUse)}}
	if err := l.openRivals(size); err != nil {
		l.close()
		return nil, err
	}
	for range size.Ahead {
		b := &numbered{traces: make([]*trace.Trace, size.Traces), others: make([]replay.Batch, len(l.rivals))}
		for i := range b.traces {
			b.traces[i] = new(trace.Trace)
		}
		b.Seeds, b.made, b.avoiding = make([]uint64, size.Traces), make([]string, size.Traces), make([]avoidance, size.Traces)
		b.headers, b.kinds = make([]notes.Header, size.Traces), make([]cost.Kind, size.Traces)
		l.free = append(l.free, b)
	}
	return l, nil
}

func (l *lane) close() {
	if !l.isSide {
		l.side.close()
	}
	l.endSuspicion(source.Origin{}, 0, true)
	l.stream.Close()
	for _, r := range l.rivals {
		r.stream.Close()
		r.judge.Close()
	}
	l.judge.Close()
	l.second.Close()
	l.s.Book.Close(l.account)
}

// run takes turns for its target. It returns the first turn for another target, or nil if there is none or
// ctx has ended.
func (l *lane) run(ctx context.Context, t *book.Turn) (*book.Turn, error) {
	defer l.interruptAtEnd(ctx)()
	l.turn, t.ReadyAt = t, time.Now()
	var next, over *book.Turn
	defer func() {
		if over = cmp.Or(over, l.turn); over != nil {
			l.s.Book.EndTurn(over, l.rested)
			l.turn, l.rested = nil, 0
		}
	}()
	for {
		for ctx.Err() == nil && !l.s.Halt.Paused() && !l.isIdle() && l.mayPost() && next == nil && l.turn != nil {
			posted, err := l.post(ctx)
			if err != nil {
				return nil, err
			}
			if posted {
				continue
			}
			over, l.turn = l.turn, nil
			if next = l.s.Book.NextTurn(); next != nil && next.Cell.TargetNumber == l.targets[0] {
				l.s.Book.EndTurn(over, l.rested)
				l.turn, next, over, l.rested = next, nil, nil, 0
			} // otherwise, the posted batches still belong to the old turn
		}
		if ctx.Err() != nil {
			return nil, nil // a resumed campaign runs the posted batches again
		}
		if len(l.posted) == 0 && (next != nil || l.turn == nil) {
			return next, nil
		} else if len(l.posted) == 0 {
			l.rested += l.rest(ctx)
			continue
		}
		if err := l.collect(); err != nil {
			return nil, err
		}
	}
}

// isIdle reports whether the campaign has as many failures as it wants findings, so that it needs more only if some
// of these are not confirmed, or needs the rest of its time for those that it has. A lane with an open suspicion is
// not idle: it may take more traces to tell which of them wrote the message.
func (l *lane) isIdle() bool {
	return (l.s.Registry.Saturated() || l.s.Rests()) && !l.suspicion.wanted
}

// rest waits while the campaign is paused and while the lane is idle.
func (l *lane) rest(ctx context.Context) time.Duration {
	begun := time.Now()
	l.s.Halt.Rest(ctx)
	if l.isIdle() {
		l.s.Pacer.SearchRests(true)
		for l.isIdle() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
			l.s.Progress.Done(time.Hour)
		}
		l.s.Pacer.SearchRests(false)
	}
	return time.Since(begun)
}

// The lane judges a batch once all of its traces have run. If traces take long, batches are small, so that
// findings come early and the end of the campaign loses little.
const (
	leastBatch = 2
	longBatch  = 100 * time.Millisecond // after longer batches, the next are smaller
	shortBatch = 10 * time.Millisecond  // after shorter batches, the next are larger
)

// resize sets the size of the next batches by how long this batch ran.
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

// take returns the next numbers to run, or none if the turn is over.
func (l *lane) take(n int) source.Numbers {
	if l.pending.Empty() {
		l.pending = l.s.Book.Take(l.turn, n)
	}
	return source.Numbers{From: l.pending.From, To: min(l.pending.To, l.pending.From+uint64(n))}
}

// mayPost reports whether the lane may post another batch. If generating is slow, only one batch runs while
// the lane makes the next. With more batches ahead, judging could start minutes late. If the target often hangs or
// crashes, only few batches are ahead, since each new process needs all of them again.
func (l *lane) mayPost() bool {
	const few = 3
	return len(l.free) > 0 && (!l.slow || len(l.posted) < 2) && (l.dying == 0 || len(l.posted) < few)
}

func (l *lane) post(ctx context.Context) (bool, error) {
	todo := l.take(l.size)
	if todo.Empty() {
		return false, nil
	}
	if l.s.Weighs && l.s.Pacer.QuietFor() > cost.Quiet {
		l.s.Book.Grow(l.turn.Cell)
	}
	taken, err := l.postNumbers(ctx, l.turn.Cell, todo)
	l.pending.From += uint64(taken)
	return taken > 0, err
}

// postNumbers makes the traces of the numbers and posts them. It returns how many it posted: all, unless
// making or sending them takes long; none if ctx ends.
func (l *lane) postNumbers(ctx context.Context, cell *book.Cell, todo source.Numbers) (int, error) {
	b, lessons := l.free[len(l.free)-1], cell.Lessons.Now()
	b.cell, b.first, b.needs = cell, todo.From, source.Learned(lessons)
	n, began := int(todo.To-todo.From), time.Now()
	l.does("the generator makes", todo)
	for i := range n {
		if i > 0 && time.Since(began) > longBatch {
			n = i // an external generator is slow
			break
		}
		b.Seeds[i] = b.origin(i).Seed()
		choice := b.cell.Chosen(lessons, b.first+uint64(i), b.Seeds[i])
		b.avoiding[i] = avoidanceOf(choice, b.needs)
		var err error
		if b.made[i], b.kinds[i], err = l.make(ctx, b.origin(i), choice, b.traces[i]); err != nil {
			if ctx.Err() != nil {
				return 0, nil
			}
			return 0, err
		}
		if l.s.Archivist != nil && source.HasTrace(b.made[i]) {
			b.headers[i] = l.header(b, i, choice)
		}
	}
	took := time.Since(began)
	l.slow, l.counts.Generating = took > longBatch, l.counts.Generating+took
	b.Traces = b.traces[:n]
	taken, err := l.stream.Post(&b.Batch)
	if err != nil {
		return 0, err
	}
	if err := l.postToRivals(b); err != nil {
		return 0, err
	}
	l.handOver(b)
	l.free = l.free[:len(l.free)-1]
	l.posted = append(l.posted, b)
	b.price = l.costs.UsualOfAll(b.kinds[:n])
	b.usual = b.price + time.Duration(taken)*l.costs.Usual()
	l.setLimits()
	return taken, nil
}

// setLimits derives the time limit from the most expensive posted trace, and bounds how fast the memory
// may grow. The lane sets aside traces that meet these limits: they run again beside the search, with those
// of the user.
func (l *lane) setLimits() {
	var price time.Duration
	for _, b := range l.posted {
		price = max(price, b.price)
	}
	hangs := l.s.Registry.Hangs(l.s.All[l.targets[0]].Name)
	if l.standsIn {
		price, hangs = 0, true
	}
	limits := limit.Shorten(l.s.Limits, limit.Search(l.costs.NeedsOf(price), hangs))
	limits.Warmup = l.costs.Warmup()
	if own := l.s.Limits.CPU; own > 0 {
		limits.Warmup = min(limits.Warmup, own-limits.CPU)
	}
	if limits.Growth = l.costs.Growth(); l.limits == limits {
		return
	}
	l.limits = limits
	l.stream.SetLimits(limits)
	for _, r := range l.rivals {
		r.stream.SetLimits(limits)
	}
}

// adjustLimits sets the limits anew after a trace was set aside: its kind, the other kinds that were posted
// with it, or hangs of the target are now better known.
func (l *lane) adjustLimits() {
	for _, b := range l.posted {
		b.price = l.costs.UsualOfAll(b.kinds[b.Done:len(b.Traces)])
	}
	l.setLimits()
}

// make makes a trace to run and returns its profile and kind. It counts faults of an external generator,
// and fails if the generator makes no traces at all.
func (l *lane) make(ctx context.Context, from source.Origin, choice source.Choice,
	t *trace.Trace) (profile string, kind cost.Kind, err error) {
	if choice.IsLarger() && len(l.side) > 0 && !l.isSide {
		from.Idle(t) // it runs in this lane, and the larger one in a side lane
		return source.Elsewhere, cost.Kind{Profile: source.Postponed}, nil
	}
	maker, err := l.makers.Open(from.Stream, choice)
	if err != nil {
		return source.NoTrace, kind, err
	}
	extra := choice.Extra()
	if choice.IsExtra() && l.s.Weighs && l.costs.PostponeExtra(extra) {
		from.Idle(t)
		return source.Postponed, cost.Kind{Profile: source.Postponed}, nil
	}
	if choice.IsExtra() {
		defer func(began time.Time) { l.costs.SpentOnExtra(extra, time.Since(began)) }(time.Now())
	}
	profile, err = from.Make(ctx, maker, t)
	if err == nil {
		kind = source.KindOf(maker.Source, t)
		kind.Extra = extra
		switch {
		case source.HasTrait(t, l.s.Avoid):
			profile = source.Filtered
		case l.s.Weighs && l.costs.Postpone(kind, l.s.Pacer.QuietFor()), l.isLong(kind):
			profile = source.Postponed
		}
		if profile == source.Filtered || profile == source.Postponed {
			from.Idle(t)
			kind = cost.Kind{Profile: profile}
		}
	}
	if from.Stream.From == nil || err != nil && profile != source.NoTrace {
		return profile, kind, err
	}
	return profile, kind, l.s.Book.Generated(err)
}
