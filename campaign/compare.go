package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
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
	ballots := []compare.Ballot{{Target: l.c.target(l.targets[0]).Name, Run: &b.Runs[i], Findings: findings,
		Solves: l.judge.Solves()}}
	before := map[int]int{l.targets[0]: b.Before[i]}
	for k, r := range l.rivals {
		run, who := &b.others[k].Runs[i], l.targets[k+1]
		l.measures.Ran(who, run)
		if findings, err = r.judge.Judge(t, run); err != nil {
			return err
		}
		ballots = append(ballots, compare.Ballot{Target: l.c.target(who).Name, Run: run, Findings: findings,
			Solves: r.judge.Solves()})
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
