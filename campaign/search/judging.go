package search

import (
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// begin prepares to judge trace i of a batch.
func (l *lane) begin(b *numbered, i int) {
	l.profile, l.kind, l.judged, l.failed = b.made[i], b.kinds[i], &b.Runs[i], false
	l.row = b.cell.Row(l.profile)
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
	l.s.Book.Judged.Add(1)
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
			sample.Solves++
			sample.Answered += took
		}
	}
	l.samples = append(l.samples, sample)
	if run.End != trace.Finished {
		l.counts.Deaths++
	}
}

// countFault counts whether a trace failed. Traces that avoid the features of known faults have their own
// counters.
func (l *lane) countFault(avoiding avoidance) {
	if !l.ranAsMade() {
		return
	}
	failed := uint64(0)
	if l.failed {
		failed = 1
	}
	l.counts.Failed += failed
	if avoiding > avoidsNothing {
		l.counts.Avoiding++
		l.counts.AvoidingFailed += failed
	}
	if avoiding == avoidsAll {
		l.counts.AvoidingAll++
		l.counts.AvoidingAllFailed += failed
	}
}

// An avoidance says which known faults a trace avoids.
type avoidance uint8

const (
	avoidsNothing avoidance = iota
	avoidsSome
	avoidsAll
)

// avoidanceOf returns the avoidance of a trace, given what known faults need.
func avoidanceOf(choice source.Choice, needs [][]string) avoidance {
	switch {
	case choice.Without == nil:
		return avoidsNothing
	case source.AvoidsAll(needs, choice.Without):
		return avoidsAll
	}
	return avoidsSome
}

// made counts a trace of the current profile.
func (l *lane) made(number uint64, t *trace.Trace) {
	if !l.ranAsMade() {
		return
	}
	p := l.profiles[l.row]
	if p == nil {
		p = new(stats.ProfileUse)
		l.profiles[l.row] = p
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
	for _, r := range l.rivals {
		decided.Rivals.Add(r.judge.Unchecked())
	}
	if l.s.Archivist != nil {
		l.keep(b, from, to)
	}
	l.s.Registry.NoteHits(l.hits)
	l.s.Registry.Ran(&l.used)
	l.costs.Ran(l.samples)
	l.s.Book.Commit(l.account, book.Done{Cell: b.cell, Needs: b.needs, Numbers: b.numbers(from, to), Counts: &l.counts,
		Profiles: l.profiles, Measures: l.measures, Tally: decided})
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
		l.s.Progress.DoneBeside(ran)
	default:
		l.s.Progress.Done(ran)
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
	before := l.judge.Unchecked()
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
	if l.ranAsMade() && run.End == trace.Finished && (!l.exited || from.Number%crossCheckStride == 0) {
		l.checkExit(t, from)
	}
	if more := l.judge.Unchecked().Minus(before).Answers(); more > 0 {
		l.counts.Undecided += more
		l.checkAlone(t, from)
	}
	if run.Usage.HeapDelta > 0 && run.End == trace.Finished {
		l.checkLeak(t, from)
	}
	return nil
}

// showed records that a trace of the current profile failed.
func (l *lane) showed(key oracle.Key, from source.Origin) {
	l.hits = append(l.hits, registry.Hit{Key: key, From: from})
	byRow := l.measures.Firsts[key]
	if byRow == nil {
		byRow = make(map[string]stats.First)
		l.measures.Firsts[key] = byRow
	}
	f, known := byRow[l.row]
	if !known {
		f.Traces, f.Seconds = l.s.Book.Judged.Load(), l.s.Clock.Elapsed().Seconds()
	}
	f.Hits++
	byRow[l.row] = f
}

// header returns the header of the trace that the lane made last, with the command that makes it again.
func (l *lane) header(b *numbered, i int, choice source.Choice) notes.Header {
	maker, err := l.makers.Open(b.cell.Stream, choice)
	if err != nil {
		return notes.Header{Number: b.first + uint64(i)}
	}
	return maker.Header(b.first+uint64(i), b.Seeds[i])
}

// keep archives judged traces of a batch.
func (l *lane) keep(b *numbered, from, to int) {
	l.kept = l.kept[:0]
	for i := from; i < to; i++ {
		if source.HasTrace(b.made[i]) {
			l.kept = append(l.kept, store.Kept{Trace: b.Traces[i], Header: &b.headers[i]})
		}
	}
	if err := l.s.Archivist.Keep(uint64(b.cell.Index), l.s.Shard, l.kept); err != nil {
		l.s.Stop(err)
	}
}
