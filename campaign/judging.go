package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A rival of a lane's target runs the same traces in its own process, for comparison.
type rival struct {
	stream replay.Queue
	judge  *trial.Judge
}

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

// collectCompared is collect for a lane with rivals: it judges a batch once all targets have run it.
func (l *lane) collectCompared() error {
	b := l.posted[0]
	l.does("the targets run", source.Numbers{From: b.first, To: b.first + uint64(len(b.Traces))})
	err := l.await(b, func() error {
		err := collectWhole(l.stream, &b.Batch)
		for i, r := range l.rivals {
			if err == nil {
				err = collectWhole(r.stream, &b.others[i])
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	l.posted = append(l.posted[:0], l.posted[1:]...)
	l.free = append(l.free, b)
	l.resize(b)
	for _, member := range l.peakJumped(b) {
		l.weighLater(member, b)
	}
	return l.judgeAll(b, 0, len(b.Traces), func(i int) error { return l.judgeCompared(b, i) })
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
func (l *lane) judgeCompared(b *numbered, i int) error {
	t, from := b.Traces[i], b.origin(i)
	l.begin(b, i)
	l.count(t, &b.Runs[i], b.Before[i] == 0)
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
	for k := range ballots {
		ballots[k].Run.Usage.PeakKB = 0 // it covers all traces of the process
	}
	compared := trial.Compare(t, ballots, compare.Resources{Factor: l.c.config.Factor, Limit: l.limits.CPU})
	if l.ranAsMade() {
		l.counts.Compared += compared.Compared
		l.counts.Agreed += compared.Agreed
	}
	for member, target := range l.targets {
		for _, f := range compared.Findings[member] {
			if f.Voted {
				continue // settle first looks for a proof
			}
			l.report(target, t, f, from, before[target])
		}
	}
	l.endSuspicion(from, before[l.suspicion.target], false)
	if len(compared.Disputes) > 0 && l.c.followUps.hasCapacity() {
		l.settleLater(t, compared.Disputes, from)
	}
	if more := l.judge.Undecided() - undecided; more > 0 {
		l.counts.Undecided += more
		l.checkAlone(t, from)
	}
	if b.Runs[i].Usage.HeapDelta > 0 && b.Runs[i].End == trace.Finished {
		l.checkLeak(t, from)
	}
	return nil
}

// begin prepares to judge trace i of a batch.
func (l *lane) begin(b *numbered, i int) {
	l.profile, l.kind, l.end = b.made[i], b.kinds[i], b.Runs[i].End
	l.death, l.failed = &b.Runs[i].Death, false
	l.took = time.Duration(b.Runs[i].Usage.WallNanos)
}

// ranAsMade reports whether the trace being judged is the one that its number makes, not a substitute.
func (l *lane) ranAsMade() bool { return source.HasTrace(l.profile) }

// newProcess is roughly the time that it takes to replace a process that died.
const newProcess = 5 * time.Millisecond

// count adds a run to the counts of the next commit. first reports whether it was the first of its process.
func (l *lane) count(t *trace.Trace, run *trace.Run, first bool) {
	switch l.profile {
	case source.NoTrace:
		l.counts.Faulty++
		return
	case source.Filtered:
		l.counts.Filtered++
		return
	case source.Postponed:
		l.counts.Postponed++
		return
	case source.Elsewhere:
		return
	}
	took := time.Duration(run.Usage.WallNanos)
	l.counts.Library += took
	if run.End == trace.Finished {
		l.finished += took
	} else {
		took += newProcess
	}
	sample := cost.Sample{Kind: l.kind, Took: took, Grew: max(run.Usage.PeakKB, l.grown) - l.grown,
		Cut: run.End.IsTimeLimit() || run.End == trace.OutOfMemory, First: first}
	l.grown = run.Usage.PeakKB
	if sample.Cut {
		l.counts.SetAside++
		l.counts.SetAsideTime += time.Duration(run.Usage.WallNanos)
	}
	l.c.book.judged.Add(1)
	l.counts.Traces++
	l.counts.Calls += uint64(len(t.Calls))
	for i := range t.Calls {
		if a := run.Answers.At(i); t.Calls[i].Op == apimodel.OpSolve && a.Kind == trace.Answered {
			took := time.Duration(run.Answers.EffortOf(a).Nanos)
			l.counts.Solves++
			l.counts.SolveTime += took
			if l.perRun {
				sample.Longest = max(sample.Longest, took)
			}
		}
	}
	l.samples = append(l.samples, sample)
	if run.End != trace.Finished {
		l.counts.Deaths++
	}
}

// countFault counts whether a trace failed. Traces that avoid the features of known faults have their own
// counters.
func (l *lane) countFault(avoiding bool) {
	if !l.ranAsMade() {
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

// made counts a trace of the current profile.
func (l *lane) made(number uint64, t *trace.Trace) {
	if !l.ranAsMade() {
		return
	}
	p := l.profiles[l.profile]
	if p == nil {
		p = new(stats.ProfileUse)
		l.profiles[l.profile] = p
	}
	p.Traces++
	l.used.Add(l.kind.Features)
	if number%stats.SampleStride == 0 {
		p.Sample(t)
	}
}

// commit hands the counts to the book and marks traces of the batch as done, both at once, so that a
// resumed campaign counts no trace twice.
func (l *lane) commit(b *numbered, from, to int) {
	decided := l.judge.Decided()
	if l.c.archivist != nil {
		l.keep(b, from, to)
	}
	l.c.registry.NoteHits(l.hits)
	l.c.registry.Ran(&l.used)
	l.costs.Ran(l.samples)
	l.c.book.commit(l, b.cell, b.numbers(from, to), decided)
	l.hits, l.samples = l.hits[:0], l.samples[:0]
	l.counts = stats.Counts{}
	clear(l.profiles)
	l.measures.Reset()
}

// crossCheckStride is the stride of the traces whose answers all go to the reference solver, even those
// that the checks decided. That tests the checks, and costs some ten nanoseconds per trace on average.
const crossCheckStride = 1 << 12

// A lane posts only few batches ahead until a process has lived for longLife batches.
const longLife = 8

func (l *lane) collect() error {
	if len(l.rivals) > 0 {
		return l.collectCompared()
	}
	b := l.posted[0]
	l.does("the target runs", source.Numbers{From: b.first + uint64(b.Done),
		To: b.first + uint64(len(b.Traces))})
	err := l.await(b, func() error {
		_, err := l.stream.Collect()
		return err
	})
	if err != nil {
		return err
	}
	if b.Complete() {
		l.posted = append(l.posted[:0], l.posted[1:]...)
		l.free = append(l.free, b)
		l.resize(b)
		l.dying = max(l.dying-1, 0)
	} else {
		l.dying = longLife
	}
	return l.judgeAll(b, b.Fresh, b.Done, func(i int) error { return l.judgeAlone(b, i) })
}

// judgeAll judges traces of a batch and commits their counts.
func (l *lane) judgeAll(b *numbered, from, to int, judge func(i int) error) error {
	began := time.Now()
	l.does("the judge looks at", source.Numbers{From: b.first + uint64(from), To: b.first + uint64(to)})
	fresh := false // some are new traces, not substitutes for postponed ones
	for i := from; i < to; i++ {
		var begun time.Time
		extra := b.kinds[i].Extra
		if extra.Profile != "" {
			begun = time.Now()
		}
		err := judge(i)
		l.countFault(b.avoiding[i])
		if err != nil { // a resumed campaign runs this trace again
			l.commit(b, from, i)
			return err
		}
		if l.ranAsMade() {
			fresh = true
			l.ran = append(l.ran, b.origin(i))
		}
		if extra.Profile != "" {
			l.costs.SpentOnExtra(extra, time.Since(begun))
		}
	}
	l.counts.Judging += time.Since(began)
	ran := l.finished
	l.finished = 0
	for i := range l.rivals { // rivals run beside the target
		ran = max(ran, finishedTime(b.others[i].Runs[from:to]))
	}
	cut := slices.ContainsFunc(l.samples, func(s cost.Sample) bool { return s.Cut })
	l.commit(b, from, to)
	if cut {
		l.adjustLimits()
	}
	switch {
	case !fresh:
	case l.isSide:
		l.c.search.DoneBeside(ran)
	default:
		l.c.search.Done(ran)
	}
	if len(l.ran) > 2*historyKept {
		l.ran = append(l.ran[:0], l.ran[len(l.ran)-historyKept:]...)
	}
	return nil
}

// finishedTime returns the total time of the runs that ended well.
func finishedTime(runs []trace.Run) (sum time.Duration) {
	for i := range runs {
		if runs[i].End == trace.Finished {
			sum += time.Duration(runs[i].Usage.WallNanos)
		}
	}
	return sum
}

func (l *lane) judgeAlone(b *numbered, i int) error {
	t, run, from := b.Traces[i], &b.Runs[i], b.origin(i)
	l.begin(b, i)
	l.count(t, run, b.Before[i] == 0)
	l.measures.Ran(l.targets[0], run)
	l.made(from.Number, t)
	undecided := l.judge.Undecided()
	findings, err := l.judge.Judge(t, run)
	if err == nil && from.Number%crossCheckStride == 0 && run.End == trace.Finished {
		_, err = l.second.Judge(t, run)
	}
	if err != nil {
		return err
	}
	for _, f := range findings {
		l.report(l.targets[0], t, f, from, b.Before[i])
	}
	l.endSuspicion(from, b.Before[i], false)
	if run.End == trace.Finished && (!l.exited || from.Number%crossCheckStride == 0) {
		l.checkExit(t, from)
	}
	if more := l.judge.Undecided() - undecided; more > 0 {
		l.counts.Undecided += more
		l.checkAlone(t, from)
	}
	if run.Usage.HeapDelta > 0 && run.End == trace.Finished {
		l.checkLeak(t, from)
	}
	return nil
}

func (c *Campaign) newMeasures() *stats.Measures {
	m := &stats.Measures{Firsts: make(map[oracle.Key]map[string]stats.First)}
	for i := range c.targets {
		m.Targets = append(m.Targets, stats.TargetUse{Target: c.targets[i].Name})
	}
	return m
}

// showed records that a trace of the current profile failed.
func (l *lane) showed(key oracle.Key, from source.Origin) {
	l.hits = append(l.hits, registry.Hit{Key: key, From: from})
	of := l.measures.Firsts[key]
	if of == nil {
		of = make(map[string]stats.First)
		l.measures.Firsts[key] = of
	}
	f, known := of[l.profile]
	if !known {
		f.Traces, f.Seconds = l.c.book.judged.Load(), l.c.clock.Elapsed().Seconds()
	}
	f.Hits++
	of[l.profile] = f
}
