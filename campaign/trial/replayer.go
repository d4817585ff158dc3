package trial

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Replaying configures how a Replayer runs and judges traces.
type Replaying struct {
	Way       replay.Way
	Limits    replay.Limits
	Conflicts uint64  // bound for the reference solver on one solve; 0: no reference solver
	Exact     bool    // compare all expectations
	Compared  bool    // the run is compared with rivals
	Factor    float64 // a target that exceeds this multiple of its rivals' median is too slow or too large
}

// A Replayer runs traces of any model on a target and judges them. It is not safe for
// concurrent use.
type Replayer struct {
	Target *replay.Target
	file   *targets.File
	how    Replaying
	open   map[*apimodel.Model]*opened
}

// opened is the session for a model, or the reason why the target does not serve the model.
type opened struct {
	session     *Session
	description *apimodel.Description
	cannot      error
}

// Replayed is a judged run of a trace on a target.
type Replayed struct {
	Name       string // of the trace
	Trace      *trace.Trace
	Run        trace.Run
	Findings   []oracle.Finding
	Mismatches []oracle.Mismatch
	Slow       []string // why runs that met a time limit are not findings
	Solves     []oracle.Solve
	Unchecked  unchecked.Counts
	Notes      []unchecked.Note // why proofs stayed unchecked
}

// NewReplayer returns a replayer that the caller must close. The file defines the target.
func NewReplayer(target *replay.Target, file *targets.File, how Replaying) *Replayer {
	return &Replayer{Target: target, file: file, how: how, open: make(map[*apimodel.Model]*opened)}
}

// Close ends the processes of the target.
func (r *Replayer) Close() {
	for _, o := range r.open {
		if o.cannot == nil {
			o.session.Close()
		}
	}
}

// For returns the target for the model, or a *replay.TargetError if it does not serve it.
func (r *Replayer) For(model *apimodel.Model) (*replay.Target, error) {
	o := r.open[model]
	if o == nil {
		o = new(opened)
		o.session, o.description, o.cannot = r.openFor(model)
		r.open[model] = o
	}
	if o.cannot != nil {
		return nil, o.cannot
	}
	return o.session.Target, nil
}

func (r *Replayer) openFor(model *apimodel.Model) (*Session, *apimodel.Description, error) {
	target, err := targets.ForModel(r.Target, model, r.file)
	if err != nil {
		return nil, nil, err
	}
	runner, err := replay.Open(target, r.how.Way, r.how.Limits)
	if err != nil {
		return nil, nil, err
	}
	description, err := runner.Description()
	if err != nil {
		runner.Close()
		return nil, nil, err
	}
	judge := NewJudge(oracle.Config{Policies: description.Policies, Exact: r.how.Exact,
		CrossCheck: r.how.Conflicts > 0, Compared: true}, r.how.Conflicts)
	session := &Session{Target: target, Judge: judge, way: r.how.Way, limits: r.how.Limits, runner: runner}
	return session, description, nil
}

// Replay runs and judges a trace. Its errors start with name.
func (r *Replayer) Replay(ctx context.Context, name string, t *trace.Trace) (*Replayed, error) {
	result := &Replayed{Name: name, Trace: t}
	if err := r.replay(ctx, result); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := result.explainTimeLimits(ctx, r.how.Limits); err != nil {
		return nil, err
	}
	result.countRest()
	return result, nil
}

// takes returns nil if the target takes the trace, or else the reason.
func (r *Replayer) takes(t *trace.Trace) error {
	if _, err := r.For(t.Model); err != nil {
		return err
	}
	return trace.CheckAgainst(t, r.open[t.Model].description)
}

func (r *Replayer) replay(ctx context.Context, result *Replayed) error {
	if err := r.takes(result.Trace); err != nil {
		return err
	}
	session := r.open[result.Trace.Model].session
	judge := session.Judge
	before := judge.Unchecked()
	findings, err := session.Run(ctx, result.Trace, &result.Run)
	if err != nil {
		return err
	}
	result.Unchecked, result.Notes = judge.Unchecked().Minus(before), slices.Clone(judge.Notes())
	result.Findings = slices.Clone(findings)
	if err := result.addLeak(ctx, session); err != nil {
		return err
	}
	result.Solves = slices.Clone(judge.Solves())
	result.Mismatches = slices.Clone(judge.Mismatches())
	slices.SortStableFunc(result.Mismatches, func(a, b oracle.Mismatch) int { return cmp.Compare(a.Call, b.Call) })
	return nil
}

// addLeak adds the finding of a minimal trace whose notes say that the heap grows, if the heap still grows.
// A single run does not show that.
func (result *Replayed) addLeak(ctx context.Context, session *Session) error {
	key, err := KeyIn(result.Trace)
	leak := HeapFinding(result.Trace)
	if err != nil || key.On(session.Target.Name) != leak.Key(session.Target.Name) ||
		len(result.Findings) > 0 || result.Run.End != trace.Finished {
		return nil
	}
	growth, err := HeapGrowth(ctx, session.Target, session.limits, result.Trace)
	if err != nil || growth == 0 {
		return err
	}
	leak.Observed = ObservedLeak(growth)
	result.Findings = append(result.Findings, leak)
	return nil
}

// explainTimeLimits adds the reference library's time to findings of a time limit. It drops a finding if
// the library needs more than a thousandth of the limit: the problem may be hard.
func (result *Replayed) explainTimeLimits(ctx context.Context, limits replay.Limits) error {
	limit := limits.CPU
	if result.Run.End == trace.OutOfTime {
		limit = limits.Wall
	}
	var kept []oracle.Finding
	for _, f := range result.Findings {
		if f.IsTimeLimit() {
			took, why, err := ReferenceTime(ctx, result.Trace, limit)
			if err != nil {
				return err
			}
			if why != "" {
				result.Slow = append(result.Slow, f.Observed+"; "+why)
				continue
			}
			f.Observed = fmt.Sprintf("no answer %s within %v", f.Detail, limit)
			f.Known = fmt.Sprintf("the built-in reference library, which needs %v for all calls of the trace", took)
		}
		kept = append(kept, f)
	}
	result.Findings = kept
	return nil
}

// countRest counts what the judge did not see: the end of a run that met a limit.
func (result *Replayed) countRest() {
	if result.Run.End != trace.Finished && len(result.Findings) == 0 {
		result.Unchecked[unchecked.TimeLimit]++
	}
}

// Wrote returns what the target wrote.
func (result *Replayed) Wrote() string {
	return cmp.Or(result.Run.Death.Stderr, result.Run.Output.Text)
}

// SolveTime returns the time that the finished solves took.
func (result *Replayed) SolveTime() time.Duration { return result.Run.SolveTime() }
