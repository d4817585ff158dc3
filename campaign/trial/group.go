package trial

import (
	"context"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Group runs single traces on a target and its rivals, each in a fresh process, judges the runs and
// compares them.
type Group struct {
	Sessions []*Session        // of the target, then of its rivals
	Rules    compare.Resources // for comparing times and memory

	runs []trace.Run // of the last comparison
}

// Close ends all sessions.
func (g *Group) Close() {
	for _, s := range g.Sessions {
		s.Close()
	}
}

// SetYields decides whether the processes let others run first.
func (g *Group) SetYields(yields bool) {
	for _, s := range g.Sessions {
		limits := s.Limits()
		limits.Yields = yields
		s.SetLimits(limits)
	}
}

func (g *Group) indexOf(target string) int {
	return slices.IndexFunc(g.Sessions, func(s *Session) bool { return s.Target.Name == target })
}

// Session returns the session of a target.
func (g *Group) Session(target string) *Session { return g.Sessions[g.indexOf(target)] }

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

// Findings runs the trace on a target and returns its findings. If the target's own judge does not find the
// key, Findings also runs the rivals and returns what the comparison finds. If steady is set, it reports a
// target as slow beside its rivals only if several comparisons agree.
func (g *Group) Findings(
	ctx context.Context, target string, t *trace.Trace, key oracle.Key, run *trace.Run, steady bool,
) ([]oracle.Finding, error) {
	findings, err := g.Session(target).Run(ctx, t, run)
	same := WithKey(findings, target, key)
	if err != nil || len(g.Sessions) == 1 || same >= 0 && !findings[same].IsTimeLimit() {
		return findings, err
	}
	// A time limit says more if the rivals do not meet it.
	compared, err := g.Compare(ctx, t)
	if err != nil {
		return nil, err
	}
	at := g.indexOf(target)
	same = WithKey(compared.Findings[at], target, key)
	if steady && same >= 0 && compared.Findings[at][same].IsSlowBesideOthers() {
		if compared, err = g.steady(ctx, t, compared); err != nil {
			return nil, err
		}
	}
	*run = g.runs[at]
	return compared.Findings[at], nil
}

// WithKey returns the index of the finding that has the key in the target, or -1.
func WithKey(findings []oracle.Finding, target string, key oracle.Key) int {
	return slices.IndexFunc(findings, func(f oracle.Finding) bool { return f.Key(target) == key })
}

// steady repeats a comparison to drop findings about targets that were slow by chance. It keeps the runs of
// the first comparison.
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

// Compare runs the trace on every target, in the order of the sessions, and compares answers, times and
// memory.
func (g *Group) Compare(ctx context.Context, t *trace.Trace) (compare.Result, error) {
	g.runs = make([]trace.Run, len(g.Sessions))
	var ballots []compare.Ballot
	for i, s := range g.Sessions {
		run := &g.runs[i]
		findings, err := s.Run(ctx, t, run)
		if err != nil {
			return compare.Result{}, err
		}
		run.Usage.PeakKB = 0 // it covers all traces of the process; see PeakGrowth
		ballots = append(ballots, compare.Ballot{
			Target: s.Target.Name, Run: run, Findings: findings, Solves: s.Judge.Solves()})
	}
	return Compare(t, ballots, g.Rules), nil
}

// Compare compares runs of a trace. A finding of the rules about time and memory replaces a finding of the
// same class and call.
func Compare(t *trace.Trace, ballots []compare.Ballot, rules compare.Resources) compare.Result {
	compared := compare.Answers(t, ballots)
	for target, findings := range rules.Compare(t, ballots) {
		for _, f := range findings {
			same := slices.IndexFunc(compared.Findings[target], func(o oracle.Finding) bool {
				return o.Class == f.Class && o.Call == f.Call
			})
			if same >= 0 {
				compared.Findings[target][same] = f
			} else {
				compared.Findings[target] = append(compared.Findings[target], f)
			}
		}
	}
	return compared
}

// Patience is the factor by which a confirmation extends the configured limits, so
// that a busy machine does not turn a run into a time limit.
const Patience = 2

// LenientRules returns the rules for runs with Patience times the limit.
func LenientRules(factor float64, limit time.Duration) compare.Resources {
	return compare.Resources{Factor: factor, Limit: limit * Patience}
}
