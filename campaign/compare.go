package campaign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A rival is another target in a lane: it runs the same traces in a process of
// its own, and the answers are compared.
type rival struct {
	stream  replay.Queue
	referee *Referee
}

// probeOthers loads the other targets once, as New does with the one that is
// fuzzed.
func (c *Campaign) probeOthers() error {
	names := map[string]bool{c.config.Target.Name: true}
	for _, t := range c.config.Against {
		if names[t.Name] {
			return &replay.TargetError{Target: t.Name, Reason: "it is named twice; a comparison needs different targets"}
		}
		names[t.Name] = true
		if t.Model != c.config.Target.Model {
			return &replay.TargetError{Target: t.Name, Reason: fmt.Sprintf("it is for %s, and %s for %s; choose one with --model", t.Model.Name, c.config.Target.Name, c.config.Target.Model.Name)}
		}
		probe, err := replay.OpenQueue(t, c.config.Way, c.config.Limits, streamSize(c.config.Way))
		if err != nil {
			return err
		}
		description, err := probe.Description()
		probe.Close()
		if err != nil {
			return err
		}
		c.others = append(c.others, description)
	}
	return nil
}

// compare compares the runs of a trace; lenience is how much longer than
// configured they were allowed to take.
func (c *Campaign) compare(t *trace.Trace, ballots []oracle.Ballot, lenience int) oracle.Comparison {
	compared := oracle.Compare(t, ballots)
	rules := oracle.Resources{Factor: c.config.Factor, Limit: c.timeLimit() * time.Duration(lenience)}
	for who, findings := range rules.Compare(t, ballots) {
		for _, f := range findings {
			same := slices.IndexFunc(compared.Findings[who], func(o oracle.Finding) bool { return o.Class == f.Class && o.Call == f.Call })
			if same >= 0 {
				compared.Findings[who][same] = f
			} else {
				compared.Findings[who] = append(compared.Findings[who], f)
			}
		}
	}
	return compared
}

func (c *Campaign) timeLimit() time.Duration { return LeastLimit(c.config.Limits) }

func (l *lane) openRivals(size replay.StreamOptions) error {
	size.HeapStride = 0 // leaks are looked for in the target that is fuzzed
	size.Whole = true   // a batch is compared whole
	for i, t := range l.c.config.Against {
		stream, err := replay.OpenQueue(t, l.c.config.Way, l.c.config.Limits, size)
		if err != nil {
			return err
		}
		l.rivals = append(l.rivals, &rival{stream: stream, referee: l.c.referee(i+1, false, inPassing)})
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
			err = fmt.Errorf("target %s took %d traces of a batch of %d", l.c.target(i+1).Name, n, len(b.Traces))
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
	for _, who := range l.leaps(b) {
		if err := l.weigh(ctx, who, b); err != nil && ctx.Err() == nil {
			return err
		}
	}
	for i := range b.Traces {
		if err := l.judgeCompared(ctx, b, i); err != nil {
			return err
		}
		l.ran = append(l.ran, b.first+uint64(i))
	}
	if len(l.ran) > 2*historyKept {
		l.ran = append(l.ran[:0], l.ran[len(l.ran)-historyKept:]...)
	}
	return nil
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
	t, number := b.Traces[i], b.first+uint64(i)
	l.count(t, &b.Runs[i])
	l.profile = b.made[i]
	l.measures.ran(0, &b.Runs[i])
	l.measures.made(l.profile, number, t)
	undecided := l.referee.Undecided()
	findings, err := l.referee.Judge(t, &b.Runs[i])
	if err != nil {
		return err
	}
	ballots := []oracle.Ballot{{Target: l.c.config.Target.Name, Run: &b.Runs[i], Findings: findings, Solves: l.referee.Solves()}}
	before := []int{b.Before[i]}
	for k, r := range l.rivals {
		run := &b.others[k].Runs[i]
		l.measures.ran(k+1, run)
		if findings, err = r.referee.Judge(t, run); err != nil {
			return err
		}
		ballots = append(ballots, oracle.Ballot{Target: l.c.target(k + 1).Name, Run: run, Findings: findings, Solves: r.referee.Solves()})
		before = append(before, b.others[k].Before[i])
	}
	hung := false
	for k := range ballots {
		run := ballots[k].Run
		hung = hung || run.End == trace.OutOfCPU || run.End == trace.OutOfTime
		run.Usage.PeakKB = 0 // of the whole process, and not of this trace
	}
	compared := l.c.compare(t, ballots, 1)
	for who := range compared.Findings {
		for _, f := range compared.Findings[who] {
			if f.Voted {
				continue // settle asks for a proof first
			}
			if err := l.found(ctx, who, t, f, number, before[who]); err != nil {
				return err
			}
		}
	}
	if err := l.endSuspicion(ctx, number, before[l.suspicion.who]); err != nil {
		return err
	}
	if len(compared.Disputes) > 0 {
		if err := l.settle(ctx, t, compared.Disputes, number); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if l.referee.Undecided() > undecided {
		if err := l.checkAlone(ctx, t, number); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if b.Runs[i].Usage.HeapDelta > 0 && b.Runs[i].End == trace.Finished {
		if err := l.checkLeak(ctx, t, number); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if hung {
		l.hurry()
	}
	return nil
}
