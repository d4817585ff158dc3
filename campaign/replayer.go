package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Replaying says how single traces are run and judged.
type Replaying struct {
	Way       replay.Way
	Limits    replay.Limits
	Conflicts uint64  // that the reference solver may spend on a solve; 0: it is not asked
	Exact     bool    // compare all expectations
	Compared  bool    // the target is one of several
	Factor    float64 // of several, of the median of the others, beyond which a target is too slow or too large
}

// A Replayer runs single traces on a target, of whatever model they are, and
// judges them. It is not for concurrent use.
type Replayer struct {
	Target *replay.Target
	file   *targets.File
	how    Replaying
	open   map[*apimodel.Model]*opened
}

type opened struct {
	target  *replay.Target
	runner  replay.Runner
	referee *trial.Judge
	cannot  error
}

// Replayed is what a trace came to on a target.
type Replayed struct {
	Name       string // of the trace
	Trace      *trace.Trace
	Run        trace.Run
	Findings   []oracle.Finding
	Mismatches []oracle.Mismatch
	Slow       []string       // why a time limit that was met is no finding
	Solves     []oracle.Solve // for a comparison
	Undecided  uint64         // answers that nothing has proven right or wrong
}

// NewReplayer returns a replayer, which must be closed; the file is the one that
// the target is named in.
func NewReplayer(target *replay.Target, file *targets.File, how Replaying) *Replayer {
	return &Replayer{Target: target, file: file, how: how, open: make(map[*apimodel.Model]*opened)}
}

// Close ends the processes of the target.
func (r *Replayer) Close() {
	for _, o := range r.open {
		if o.cannot == nil {
			o.runner.Close()
			o.referee.Close()
		}
	}
}

// For returns the target as it serves the model, or a *replay.TargetError.
func (r *Replayer) For(model *apimodel.Model) (*replay.Target, error) {
	o := r.open[model]
	if o == nil {
		o = new(opened)
		o.cannot = r.openFor(model, o)
		r.open[model] = o
	}
	return o.target, o.cannot
}

func (r *Replayer) openFor(model *apimodel.Model, o *opened) error {
	target, err := targets.ForModel(r.Target, model, r.file)
	if err != nil {
		return err
	}
	runner, err := replay.Open(target, r.how.Way, r.how.Limits)
	if err != nil {
		return err
	}
	description, err := runner.Description()
	if err != nil {
		runner.Close()
		return err
	}
	o.target, o.runner = target, runner
	o.referee = trial.NewJudge(oracle.Config{Policies: description.Policies, Exact: r.how.Exact, CrossCheck: r.how.Conflicts > 0, Compared: r.how.Compared}, r.how.Conflicts)
	return nil
}

// Replay runs a trace; errors call it name.
func (r *Replayer) Replay(ctx context.Context, name string, t *trace.Trace) (*Replayed, error) {
	if _, err := r.For(t.Model); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	o := r.open[t.Model]
	result := &Replayed{Name: name, Trace: t}
	if err := o.runner.Run(ctx, t, &result.Run); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	undecided := o.referee.Undecided()
	findings, err := o.referee.Judge(t, &result.Run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	result.Undecided = o.referee.Undecided() - undecided
	result.Findings = append(result.Findings, findings...)
	if err := result.lookAtHangs(ctx, r.how.Limits); err != nil {
		return nil, err
	}
	result.Solves = append(result.Solves, o.referee.Solves()...)
	result.Mismatches = append(result.Mismatches, o.referee.Mismatches()...)
	slices.SortStableFunc(result.Mismatches, func(a, b oracle.Mismatch) int { return cmp.Compare(a.Call, b.Call) })
	return result, nil
}

// lookAtHangs adds to a time limit that was met what the reference library needs
// for the trace. When that is no thousandth of the limit, the problem may be
// hard, and it is no finding.
func (result *Replayed) lookAtHangs(ctx context.Context, limits replay.Limits) error {
	limit := limits.CPU
	if result.Run.End == trace.OutOfTime {
		limit = limits.Wall
	}
	var kept []oracle.Finding
	for _, f := range result.Findings {
		if f.Class == oracle.TooSlow && f.Check == "end" {
			took, why, err := trial.ReferenceTime(ctx, result.Trace, limit)
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

// Wrote is what the target printed.
func (result *Replayed) Wrote() string {
	return cmp.Or(result.Run.Death.Stderr, result.Run.Output.Text)
}

// SolveTime is how long the solves took that came to an end.
func (result *Replayed) SolveTime() time.Duration { return trial.SolveTime(&result.Run) }
