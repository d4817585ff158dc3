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

// A rival of a lane's target runs the same traces in a process of its own, for
// comparison.
type rival struct {
	stream replay.Queue
	judge  *trial.Judge
}

// rules returns the rules for time and memory of runs with the configured limits.
func (c *Campaign) rules() compare.Resources {
	return compare.Resources{Factor: c.config.Factor, Limit: c.timeLimit()}
}

func (c *Campaign) timeLimit() time.Duration { return trial.LeastLimit(c.config.Limits) }

func (l *lane) openRivals(size replay.QueueOptions) error {
	size.HeapStride = 0 // only the fuzzed target is checked for leaks
	size.Whole = true   // batches are compared whole
	for _, target := range l.targets[1:] {
		stream, err := replay.OpenQueue(l.c.target(target), l.c.config.Way, l.c.config.Limits, size)
		if err != nil {
			return err
		}
		l.rivals = append(l.rivals, &rival{stream: stream, judge: l.c.judge(target, false, trial.InPassing)})
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

// collectCompared is collect for a lane with rivals: it judges a batch when all targets
// have run it.
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
	for _, member := range l.peakJumped(b) {
		if err := l.weigh(ctx, member, b); err != nil && ctx.Err() == nil {
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

// judgeCompared judges trace i of a batch: first the run of each target, then all runs
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
	ballots := []compare.Ballot{{Target: l.c.target(l.targets[0]).Name, Run: &b.Runs[i], Findings: findings,
		Solves: l.judge.Solves()}}
	before := map[int]int{l.targets[0]: b.Before[i]}
	for k, r := range l.rivals {
		run, target := &b.others[k].Runs[i], l.targets[k+1]
		l.measures.Ran(target, run)
		if findings, err = r.judge.Judge(t, run); err != nil {
			return err
		}
		ballots = append(ballots, compare.Ballot{Target: l.c.target(target).Name, Run: run, Findings: findings,
			Solves: r.judge.Solves()})
		before[target] = b.others[k].Before[i]
	}
	hung := false
	for k := range ballots {
		run := ballots[k].Run
		hung = hung || run.End == trace.OutOfCPU || run.End == trace.OutOfTime
		run.Usage.PeakKB = 0 // it covers all traces of the process
	}
	compared := trial.Compare(t, ballots, l.c.rules())
	for member, target := range l.targets {
		for _, f := range compared.Findings[member] {
			if f.Voted {
				continue // settle first looks for a proof
			}
			if err := l.report(ctx, target, t, f, from, before[target]); err != nil {
				return err
			}
		}
	}
	if err := l.endSuspicion(ctx, from, before[l.suspicion.target]); err != nil {
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

// count adds a run to the counts of the next commit.
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

// countFault counts whether a trace failed. It counts traces that avoid the features of
// known faults apart.
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

// commit hands the counts to the book and marks these traces of the batch as done, both
// at once, so that a resumed campaign counts no trace twice.
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

// crossCheckStride is the stride of the traces whose answers all go to the reference
// solver, decided or not, so that the checks watch each other. It costs some ten
// nanoseconds a trace.
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

// judgeAll judges traces of a batch and commits their counts.
func (l *lane) judgeAll(b *numbered, from, to int, judge func(i int) error) error {
	first, began := from, time.Now()
	for i := from; i < to; i++ {
		l.unsettled, l.failed = false, false
		err := judge(i)
		l.countFault(b.avoiding[i])
		if l.unsettled || err != nil { // a resumed campaign runs it again
			l.commit(b, first, i)
			first = i + 1
		}
		if err != nil {
			return err
		}
		l.ran = append(l.ran, b.origin(i))
		if now := time.Now(); now.Sub(began) > longBatch { // a confirmation took long: commit the traces so far
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
		if err := l.report(ctx, l.targets[0], t, f, from, b.Before[i]); err != nil {
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

// hurry shortens the time limits of this lane while the target is known to hang or a hang
// is being confirmed. Such a target hangs again and again, and waiting for it tells
// nothing new. A suspected hang is still confirmed with the full limit. A target that
// proves to be only slow gets its full limits back.
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

// showed notes that a trace of the current profile showed a failure.
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
