package campaign

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A confirmer replays single traces, each in a fresh process, and judges them:
// on the target that is fuzzed and, where there are others, on all of them. Its
// processes are started when they are needed.
type confirmer struct {
	c       *Campaign
	group   []int          // numbers of targets: the one that is fuzzed, then those that it is compared with
	parties map[int]*party // by these numbers
}

// A party is one target as a confirmer uses it, with more patience than the
// campaign. Its referee asks the reference about everything: a finding must stand
// up to it.
type party struct {
	*examiner
	run trace.Run
}

func newConfirmer(c *Campaign, group []int) *confirmer {
	f := &confirmer{c: c, group: group, parties: make(map[int]*party)}
	for _, who := range group {
		e := &examiner{target: c.target(who), limits: c.config.Limits.Longer(patience), referee: c.referee(who, true, trial.Thorough)}
		f.parties[who] = &party{examiner: e}
	}
	return f
}

func (f *confirmer) close() {
	for _, p := range f.parties {
		p.close()
	}
}

// replay runs the trace alone on one target and returns what is wrong with its run.
func (f *confirmer) replay(ctx context.Context, who int, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	return f.parties[who].replay(ctx, t, run)
}

// shows replays the trace and returns the target's finding of the same key, if
// there is one.
func (f *confirmer) shows(ctx context.Context, who int, t *trace.Trace, key oracle.Key, run *trace.Run) (*oracle.Finding, error) {
	findings, err := f.faults(ctx, who, t, key, run, true)
	if i := f.c.withKey(who, findings, key); i >= 0 {
		same := findings[i]
		return &same, err
	}
	return nil, err
}

// faults replays the trace and returns the target's findings: those of its own
// judge, when the one of that key is among them, else those of a comparison with
// the others. A doubting one compares more than once before it says that the
// target is slow.
func (f *confirmer) faults(ctx context.Context, who int, t *trace.Trace, key oracle.Key, run *trace.Run, doubting bool) ([]oracle.Finding, error) {
	findings, err := f.replay(ctx, who, t, run)
	same := f.c.withKey(who, findings, key)
	if err != nil || len(f.group) == 1 || same >= 0 && !isHang(&findings[same]) {
		return findings, err
	}
	// A time limit that was met means more beside targets that did not meet it.
	compared, err := f.compare(ctx, t)
	if err != nil {
		return nil, err
	}
	place := slices.Index(f.group, who)
	if same = f.c.withKey(who, compared.Findings[place], key); doubting && same >= 0 && compared.Findings[place][same].IsSlowBesideOthers() {
		if compared, err = f.steady(ctx, t, compared); err != nil {
			return nil, err
		}
	}
	*run = f.parties[who].run
	f.parties[who].run = trace.Run{}
	return compared.Findings[place], nil
}

// withKey returns which of the target's findings has the key, -1 when none has.
func (c *Campaign) withKey(who int, findings []oracle.Finding, key oracle.Key) int {
	return slices.IndexFunc(findings, func(f oracle.Finding) bool { return f.Key(c.target(who).Name) == key })
}

// steady repeats a comparison until chance has no part in who is too slow. The
// first runs stay with the parties.
func (f *confirmer) steady(ctx context.Context, t *trace.Trace, compared oracle.Comparison) (oracle.Comparison, error) {
	first := make([]trace.Run, len(f.group))
	runs := make([]*trace.Run, len(f.group))
	for place, who := range f.group {
		first[place] = f.parties[who].run
		runs[place] = &first[place]
	}
	compared, err := trial.Steady(compared, runs, func() (oracle.Comparison, error) { return f.compare(ctx, t) })
	for place, who := range f.group {
		f.parties[who].run = first[place]
	}
	return compared, err
}

// compare runs the trace alone on every target and compares the answers and
// what they cost, in the order of the group. The runs stay with the parties until the next comparison.
func (f *confirmer) compare(ctx context.Context, t *trace.Trace) (oracle.Comparison, error) {
	var ballots []oracle.Ballot
	for _, who := range f.group {
		p := f.parties[who]
		p.run = trace.Run{}
		findings, err := f.replay(ctx, who, t, &p.run)
		if err != nil {
			return oracle.Comparison{}, err
		}
		p.run.Usage.PeakKB = 0 // of all traces of the worker; see weigh
		ballots = append(ballots, oracle.Ballot{Target: f.c.target(who).Name, Run: &p.run, Findings: findings, Solves: p.referee.Solves()})
	}
	return f.c.compare(t, ballots, patience), nil
}
