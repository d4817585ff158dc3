package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A rival is another target in a lane: it runs the same traces in a process of
// its own, and the answers are compared.
type rival struct {
	stream replay.Queue
	judge  *trial.Judge
}

// rules are those for the times and memory of runs with the configured limits.
func (c *Campaign) rules() compare.Resources {
	return compare.Resources{Factor: c.config.Factor, Limit: c.timeLimit()}
}

func (c *Campaign) timeLimit() time.Duration { return trial.LeastLimit(c.config.Limits) }

func (l *lane) openRivals(size replay.QueueOptions) error {
	size.HeapStride = 0 // leaks are looked for in the target that is fuzzed
	size.Whole = true   // a batch is compared whole
	for _, who := range l.targets[1:] {
		stream, err := replay.OpenQueue(l.c.target(who), l.c.config.Way, l.c.config.Limits, size)
		if err != nil {
			return err
		}
		l.rivals = append(l.rivals, &rival{stream: stream, judge: l.c.judge(who, false, trial.InPassing)})
	}
	return nil
}

func (l *lane) postToRivals(b *numbered) error {
	for i, r := range l.rivals {
		other := &b.others[i]
		other.Traces = append(other.Traces[:0], b.Traces...)
		other.Seeds = b.Seeds
		n, err := r.stream.Post(other)
		if err == nil && n != len(b.Traces) {
			err = fmt.Errorf("target %s took %d traces of a batch of %d", l.c.target(l.targets[i+1]).Name, n, len(b.Traces))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// collectCompared is collect with other targets: a batch is judged when all of
// them are through with it.
func (l *lane) collectCompared(ctx context.Context) error {
	b := l.posted[0]
	if err := collectWhole(l.stream, &b.Batch); err != nil {
		return err
	}
	for i, r := range l.rivals {
		if err := collectWhole(r.stream, &b.others[i]); err != nil {
			return err
		}
	}
	l.posted = append(l.posted[:0], l.posted[1:]...)
	l.free = append(l.free, b)
	l.resize(b)
	for _, place := range l.peakJumped(b) {
		if err := l.weigh(ctx, place, b); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return l.judgeAll(b, 0, len(b.Traces), func(i int) error { return l.judgeCompared(ctx, b, i) })
}

func collectWhole(s replay.Queue, b *replay.Batch) error {
	for done := false; !done; done = b.Complete() {
		if _, err := s.Collect(); err != nil {
			return err
		}
	}
	return nil
}

// judgeCompared judges trace i of a batch: each target's run alone, then all
// together.
func (l *lane) judgeCompared(ctx context.Context, b *numbered, i int) error {
	t, from := b.Traces[i], b.origin(i)
	l.profile = b.made[i]
	l.count(t, &b.Runs[i])
	l.measures.Ran(l.targets[0], &b.Runs[i])
	l.made(from.Number, t)
	undecided := l.judge.Undecided()
	findings, err := l.judge.Judge(t, &b.Runs[i])
	if err != nil {
		return err
	}
	ballots := []compare.Ballot{{Target: l.c.target(l.targets[0]).Name, Run: &b.Runs[i], Findings: findings, Solves: l.judge.Solves()}}
	before := map[int]int{l.targets[0]: b.Before[i]}
	for k, r := range l.rivals {
		run, who := &b.others[k].Runs[i], l.targets[k+1]
		l.measures.Ran(who, run)
		if findings, err = r.judge.Judge(t, run); err != nil {
			return err
		}
		ballots = append(ballots, compare.Ballot{Target: l.c.target(who).Name, Run: run, Findings: findings, Solves: r.judge.Solves()})
		before[who] = b.others[k].Before[i]
	}
	hung := false
	for k := range ballots {
		run := ballots[k].Run
		hung = hung || run.End == trace.OutOfCPU || run.End == trace.OutOfTime
		run.Usage.PeakKB = 0 // of the whole process, and not of this trace
	}
	compared := trial.Compare(t, ballots, l.c.rules())
	for place, who := range l.targets {
		for _, f := range compared.Findings[place] {
			if f.Voted {
				continue // settle asks for a proof first
			}
			if err := l.found(ctx, who, t, f, from, before[who]); err != nil {
				return err
			}
		}
	}
	if err := l.endSuspicion(ctx, from, before[l.suspicion.who]); err != nil {
		return err
	}
	if len(compared.Disputes) > 0 {
		if err := l.settle(ctx, t, compared.Disputes, from); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if more := l.judge.Undecided() - undecided; more > 0 {
		l.counts.Undecided += more
		if err := l.checkAlone(ctx, t, from); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if b.Runs[i].Usage.HeapDelta > 0 && b.Runs[i].End == trace.Finished {
		if err := l.checkLeak(ctx, t, from); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if hung {
		l.hurry()
	}
	return nil
}

// count adds a run to what the lane hands in with the next commit.
func (l *lane) count(t *trace.Trace, run *trace.Run) {
	switch l.profile {
	case source.NoTrace:
		l.counts.Faulty++
		return
	case source.Filtered:
		l.counts.Filtered++
		return
	}
	l.c.book.judged.Add(1)
	l.counts.Traces++
	l.counts.Calls += uint64(len(t.Calls))
	for i := range t.Calls {
		if a := run.Answers.At(i); t.Calls[i].Op == apimodel.OpSolve && a.Kind == trace.Answered {
			l.counts.Solves++
			l.counts.SolveTime += time.Duration(run.Answers.EffortOf(a).Nanos)
		}
	}
	if run.End != trace.Finished {
		l.counts.Deaths++
	}
}

// countFault counts whether a trace showed a fault, with and without what known
// faults need.
func (l *lane) countFault(avoiding bool) {
	if l.profile == source.NoTrace || l.profile == source.Filtered {
		return
	}
	if avoiding {
		l.counts.Avoiding++
	}
	if l.failed {
		l.counts.Failed++
	}
	if l.failed && avoiding {
		l.counts.AvoidingFailed++
	}
}

// made counts a trace that a profile generated.
func (l *lane) made(number uint64, t *trace.Trace) {
	if l.profile == source.NoTrace || l.profile == source.Filtered {
		return
	}
	p := l.profiles[l.profile]
	if p == nil {
		p = new(stats.ProfileUse)
		l.profiles[l.profile] = p
	}
	p.Traces++
	if number%stats.SampleStride == 0 {
		p.Sample(t)
	}
}

// commit hands in what was counted, and that these traces of the batch are
// through: both at once, so that whoever goes on from there counts none twice.
func (l *lane) commit(b *numbered, from, to int) {
	decided := l.judge.Decided()
	if l.c.archivist != nil {
		l.keep(b, from, to)
	}
	l.c.registry.NoteHits(l.hits)
	l.c.book.commit(l, b.cell, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(to)}, decided)
	l.hits = l.hits[:0]
	l.counts = stats.Counts{}
	clear(l.profiles)
	l.measures.Reset()
}

// Every so many traces the reference solver is asked about all answers, decided or
// not: the checks watch each other, for some ten nanoseconds a trace.
const crossCheckStride = 1 << 12

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
	return l.judgeAll(b, b.Fresh, b.Done, func(i int) error { return l.judgeAlone(ctx, b, i) })
}

// judgeAll judges traces of a batch and hands in what was counted.
func (l *lane) judgeAll(b *numbered, from, to int, judge func(i int) error) error {
	first, began := from, time.Now()
	for i := from; i < to; i++ {
		l.unsettled, l.failed = false, false
		err := judge(i)
		l.countFault(b.avoiding[i])
		if l.unsettled || err != nil { // to be run again, should the run go on some day
			l.commit(b, first, i)
			first = i + 1
		}
		if err != nil {
			return err
		}
		l.ran = append(l.ran, b.origin(i))
		if now := time.Now(); now.Sub(began) > longBatch { // something was confirmed: what is through need not be run again
			l.commit(b, first, i+1)
			first, began = i+1, now
		}
	}
	l.commit(b, first, to)
	if len(l.ran) > 2*historyKept {
		l.ran = append(l.ran[:0], l.ran[len(l.ran)-historyKept:]...)
	}
	return nil
}

func (l *lane) judgeAlone(ctx context.Context, b *numbered, i int) error {
	t, run, from := b.Traces[i], &b.Runs[i], b.origin(i)
	l.profile = b.made[i]
	l.count(t, run)
	l.measures.Ran(l.targets[0], run)
	l.made(from.Number, t)
	undecided := l.judge.Undecided()
	findings, err := l.judge.Judge(t, run)
	if err == nil && from.Number%crossCheckStride == 0 && run.End == trace.Finished {
		_, err = l.group.Sessions[0].Judge.Judge(t, run)
	}
	if err != nil {
		return err
	}
	for _, f := range findings {
		if err := l.found(ctx, l.targets[0], t, f, from, b.Before[i]); err != nil {
			return err
		}
	}
	if err := l.endSuspicion(ctx, from, b.Before[i]); err != nil {
		return err
	}
	if more := l.judge.Undecided() - undecided; more > 0 {
		l.counts.Undecided += more
		if err := l.checkAlone(ctx, t, from); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if run.Usage.HeapDelta > 0 && run.End == trace.Finished {
		if err := l.checkLeak(ctx, t, from); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if run.End == trace.OutOfCPU || run.End == trace.OutOfTime {
		l.hurry()
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
	if l.c.registry.Hanging(l.c.names(l.targets)) {
		limits.CPU, limits.Wall = max(limits.CPU/factor, least), max(limits.Wall/factor, least)
	}
	l.stream.SetLimits(limits)
	for _, r := range l.rivals {
		r.stream.SetLimits(limits)
	}
}

func (c *Campaign) newMeasures() *stats.Measures {
	m := &stats.Measures{Firsts: make(map[oracle.Key]map[string]stats.First)}
	for i := range c.targets {
		m.Targets = append(m.Targets, stats.TargetUse{Target: c.targets[i].Name})
	}
	return m
}

// showed notes that a trace of the profile showed a failure.
func (l *lane) showed(key oracle.Key, from source.Origin) {
	l.hits = append(l.hits, registry.Hit{Key: key, From: from})
	of := l.measures.Firsts[key]
	if of == nil {
		of = make(map[string]stats.First)
		l.measures.Firsts[key] = of
	}
	f, known := of[l.profile]
	if !known {
		f.Traces, f.Seconds = l.c.book.judged.Load(), l.c.elapsed().Seconds()
	}
	f.Hits++
	of[l.profile] = f
}
