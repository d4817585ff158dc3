package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A confirmer replays single traces, each in a fresh process, and judges them:
// on the target that is fuzzed and, where there are others, on all of them. Its
// processes are started when they are needed.
type confirmer struct {
	c       *Campaign
	parties []*party // by number: the target that is fuzzed, then those that it is compared with
}

// A party is one target as a confirmer uses it.
type party struct {
	judge *oracle.Judge
	alone replay.Runner
	run   trace.Run
}

func newConfirmer(c *Campaign) *confirmer {
	f := &confirmer{c: c}
	for who := range 1 + len(c.config.Against) {
		f.parties = append(f.parties, &party{judge: c.judge(who)})
	}
	return f
}

func (f *confirmer) close() {
	for _, p := range f.parties {
		if p.alone != nil {
			p.alone.Close()
		}
	}
}

// replay runs the trace alone on one target and returns what is wrong with its run.
func (f *confirmer) replay(ctx context.Context, who int, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	p := f.parties[who]
	if p.alone == nil {
		alone, err := replay.Open(f.c.target(who), replay.Fork, f.c.config.Limits.Longer(patience))
		if err != nil {
			return nil, err
		}
		p.alone = alone
	}
	if err := p.alone.Run(ctx, t, run); err != nil {
		return nil, err
	}
	return p.judge.Judge(t, run), nil
}

// shows replays the trace and returns the target's finding of the same key, if
// there is one: one of its own judge, or one of the comparison with the others.
func (f *confirmer) shows(ctx context.Context, who int, t *trace.Trace, key string, run *trace.Run) (*oracle.Finding, error) {
	findings, err := f.replay(ctx, who, t, run)
	same := f.withKey(who, findings, key)
	if err != nil || len(f.parties) == 1 || same != nil && !isHang(same) {
		return same, err
	}
	// A time limit that was met means more beside targets that did not meet it.
	compared, err := f.compare(ctx, t)
	if err != nil {
		return nil, err
	}
	*run = f.parties[who].run
	f.parties[who].run = trace.Run{}
	return f.withKey(who, compared.Findings[who], key), nil
}

func (f *confirmer) withKey(who int, findings []oracle.Finding, key string) *oracle.Finding {
	for i := range findings {
		if findings[i].Key(f.c.target(who).Name) == key {
			same := findings[i]
			return &same
		}
	}
	return nil
}

// compare runs the trace alone on every target and compares the answers and
// what they cost. The runs stay with the parties until the next comparison.
func (f *confirmer) compare(ctx context.Context, t *trace.Trace) (oracle.Comparison, error) {
	var ballots []oracle.Ballot
	for who, p := range f.parties {
		p.run = trace.Run{}
		findings, err := f.replay(ctx, who, t, &p.run)
		if err != nil {
			return oracle.Comparison{}, err
		}
		p.run.Usage.PeakKB = 0 // of all traces of the worker; see weigh
		ballots = append(ballots, oracle.Ballot{Target: f.c.target(who).Name, Run: &p.run, Findings: findings, Solves: p.judge.Solves()})
	}
	return f.c.compare(t, ballots, patience), nil
}
