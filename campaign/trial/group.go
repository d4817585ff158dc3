package trial

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Group runs single traces on a target and its rivals, each in a fresh process,
// judges every run and compares them.
type Group struct {
	Sessions []*Session        // of the target, then of its rivals
	Rules    compare.Resources // for times and memory

	runs []trace.Run // of the last comparison
}

// Close ends all sessions.
func (g *Group) Close() {
	for _, s := range g.Sessions {
		s.Close()
	}
}

func (g *Group) place(target string) int {
	return slices.IndexFunc(g.Sessions, func(s *Session) bool { return s.Target.Name == target })
}

// Session returns the session of a target.
func (g *Group) Session(target string) *Session { return g.Sessions[g.place(target)] }

// Shows runs the trace and returns the finding with the key, or nil.
func (g *Group) Shows(
	ctx context.Context, target string, t *trace.Trace, key oracle.Key, run *trace.Run,
) (*oracle.Finding, error) {
	findings, err := g.Findings(ctx, target, t, key, run, true)
	if i := WithKey(findings, target, key); i >= 0 {
		same := findings[i]
		return &same, err
	}
	return nil, err
}

// Findings runs the trace and returns the findings of a target: those of its own
// judge if the one with the key is among them, else those of a comparison with
// the others. If steady is set, it compares several times before it says that
// the target is slow.
func (g *Group) Findings(
	ctx context.Context, target string, t *trace.Trace, key oracle.Key, run *trace.Run, steady bool,
) ([]oracle.Finding, error) {
	findings, err := g.Session(target).Run(ctx, t, run)
	same := WithKey(findings, target, key)
	if err != nil || len(g.Sessions) == 1 || same >= 0 && !findings[same].IsTimeLimit() {
		return findings, err
	}
	// A time limit that was met means more beside targets that did not meet it.
	compared, err := g.Compare(ctx, t)
	if err != nil {
		return nil, err
	}
	place := g.place(target)
	same = WithKey(compared.Findings[place], target, key)
	if steady && same >= 0 && compared.Findings[place][same].IsSlowBesideOthers() {
		if compared, err = g.steady(ctx, t, compared); err != nil {
			return nil, err
		}
	}
	*run = g.runs[place]
	return compared.Findings[place], nil
}

// WithKey returns the index of the finding of the target with the key, or -1.
func WithKey(findings []oracle.Finding, target string, key oracle.Key) int {
	return slices.IndexFunc(findings, func(f oracle.Finding) bool { return f.Key(target) == key })
}

// steady repeats a comparison until chance has no part in who is too slow. The
// runs stay those of the first comparison.
func (g *Group) steady(
	ctx context.Context, t *trace.Trace, compared compare.Result,
) (compare.Result, error) {
	first := g.runs
	var runs []*trace.Run
	for i := range first {
		runs = append(runs, &first[i])
	}
	compared, err := Steady(compared, runs, func() (compare.Result, error) { return g.Compare(ctx, t) })
	g.runs = first
	return compared, err
}

// Compare runs the trace on every target and compares answers, times and memory,
// in the order of the sessions.
func (g *Group) Compare(ctx context.Context, t *trace.Trace) (compare.Result, error) {
	g.runs = make([]trace.Run, len(g.Sessions))
	var ballots []compare.Ballot
	for i, s := range g.Sessions {
		run := &g.runs[i]
		findings, err := s.Run(ctx, t, run)
		if err != nil {
			return compare.Result{}, err
		}
		run.Usage.PeakKB = 0 // the peak is that of all traces of the process; see PeakGrowth
		ballots = append(ballots, compare.Ballot{
			Target: s.Target.Name, Run: run, Findings: findings, Solves: s.Judge.Solves()})
	}
	return Compare(t, ballots, g.Rules), nil
}

// Compare compares runs of a trace. What the rules say about time and memory
// takes the place of findings of the same class and call.
func Compare(t *trace.Trace, ballots []compare.Ballot, rules compare.Resources) compare.Result {
	compared := compare.Answers(t, ballots)
	for place, findings := range rules.Compare(t, ballots) {
		for _, f := range findings {
			same := slices.IndexFunc(compared.Findings[place], func(o oracle.Finding) bool {
				return o.Class == f.Class && o.Call == f.Call
			})
			if same >= 0 {
				compared.Findings[place][same] = f
			} else {
				compared.Findings[place] = append(compared.Findings[place], f)
			}
		}
	}
	return compared
}

// Patience is how many times the configured limits a confirmation may take, so
// that a time limit is not a matter of the machine's load.
const Patience = 2

// LenientRules returns the rules for runs that had Patience times the limit.
func LenientRules(factor float64, limit time.Duration) compare.Resources {
	return compare.Resources{Factor: factor, Limit: limit * Patience}
}
