package search

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
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
		stream, err := replay.OpenQueue(l.s.All[target].Target, l.s.Way, l.s.Limits, size)
		if err != nil {
			return err
		}
		l.rivals = append(l.rivals, &rival{stream: stream, judge: l.s.Judge(target, false, trial.InPassing)})
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
			err = fmt.Errorf("target %s took %d traces of a batch of %d", l.s.All[l.targets[i+1]].Name, n, len(b.Traces))
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
	open := l.judge.Unchecked()
	findings, err := l.judge.Judge(t, &b.Runs[i])
	if err != nil {
		return err
	}
	ballots := []compare.Ballot{{Target: l.s.All[l.targets[0]].Name, Run: &b.Runs[i], Findings: findings,
		Solves: l.judge.Solves()}}
	before := map[int]int{l.targets[0]: b.Before[i]}
	for k, r := range l.rivals {
		run, target := &b.others[k].Runs[i], l.targets[k+1]
		l.measures.Ran(target, run)
		if findings, err = r.judge.Judge(t, run); err != nil {
			return err
		}
		ballots = append(ballots, compare.Ballot{Target: l.s.All[target].Name, Run: run, Findings: findings,
			Solves: r.judge.Solves()})
		before[target] = b.others[k].Before[i]
	}
	for k := range ballots {
		ballots[k].Run.Usage.PeakKB = 0 // it covers all traces of the process
	}
	compared := trial.Compare(t, ballots, compare.Resources{Factor: l.s.Factor, Limit: l.limits.CPU})
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
	if len(compared.Disputes) > 0 && l.s.Pacer.HasCapacity() {
		l.s.Emit(&suspect.Suspect{Kind: suspect.Differs, Target: l.targets[0], From: from, Made: l.kind, Trace: t.Clone(),
			Disputes: compared.Disputes})
	}
	if more := l.judge.Unchecked().Minus(open).Answers(); more > 0 {
		l.counts.Undecided += more
		l.checkAlone(t, from)
	}
	if b.Runs[i].Usage.HeapDelta > 0 && b.Runs[i].End == trace.Finished {
		l.checkLeak(t, from)
	}
	return nil
}
