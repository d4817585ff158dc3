package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An examiner replays single traces, each in a fresh process, and judges them.
// Its processes are started when they are needed. It is not for concurrent use.
type examiner struct {
	target  *replay.Target
	limits  replay.Limits
	referee *trial.Judge
	alone   replay.Runner
	others  []oracle.Finding // beside the one that was wanted, in the run that showed it last
}

// newExaminer returns an examiner. A thorough one asks the reference about every
// answer; another one asks it about what the search leaves open, which is all
// that is needed to know whether a candidate still fails.
func newExaminer(target *replay.Target, description *apimodel.Description, limits replay.Limits, thorough bool) *examiner {
	config, conflicts := oracle.Config{Policies: description.Policies, CrossCheck: thorough}, uint64(trial.InPassing)
	if thorough {
		conflicts = trial.Thorough
	}
	return &examiner{target: target, limits: limits, referee: trial.NewJudge(config, conflicts)}
}

func (e *examiner) close() {
	e.stop()
	e.referee.Close()
}

// stop ends the process.
func (e *examiner) stop() {
	if e.alone != nil {
		e.alone.Close()
		e.alone = nil
	}
}

// limit changes the limits, from the next run on.
func (e *examiner) limit(limits replay.Limits) {
	if limits != e.limits {
		e.stop()
		e.limits = limits
	}
}

// replay runs the trace alone and returns what is wrong with its run.
func (e *examiner) replay(ctx context.Context, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	if e.alone == nil {
		alone, err := replay.Open(e.target, replay.Fork, e.limits)
		if err != nil {
			return nil, err
		}
		e.alone = alone
	}
	if err := e.alone.Run(ctx, t, run); err != nil {
		return nil, err
	}
	return e.referee.Judge(t, run)
}

// A wanted failure is what a replay is to show again.
type wanted struct {
	key oracle.Key
	any bool // any failure will do
	// lighter: the same failure with smaller weights will do, which is worse.
	lighter bool
}

// matches reports whether a finding is the wanted one.
func (w *wanted) matches(f *oracle.Finding, target string) bool {
	key := f.Key(target)
	return key == w.key || w.lighter && key.LighterThan(w.key)
}

// ofClass reports whether it is a failure of the class that is wanted, of that target.
func (w *wanted) ofClass(class oracle.Class, target string) bool {
	return !w.any && w.key.Class == class && w.key.IsOf(target)
}

// shows replays the trace and returns its finding that is the wanted one, nil
// when there is none, and the keys of all others.
func (e *examiner) shows(ctx context.Context, t *trace.Trace, w wanted, run *trace.Run) (*oracle.Finding, []oracle.Key, error) {
	if w.ofClass(oracle.Leak, e.target.Name) {
		return e.leaks(ctx, t, w, run)
	}
	findings, err := e.replay(ctx, t, run)
	if err != nil || len(findings) == 0 {
		return nil, nil, err
	}
	found := append([]oracle.Finding(nil), findings...) // the judge's own are gone with the next run
	var others []oracle.Key
	e.others = e.others[:0]
	var same *oracle.Finding
	for i := range found {
		f := &found[i]
		if w.ofClass(oracle.InstancesMix, e.target.Name) {
			mixed := mixedUp(*f)
			if w.matches(&mixed, e.target.Name) {
				if f, err = e.blameInstances(ctx, t, *f); err != nil {
					return nil, nil, err
				}
			}
		}
		switch {
		case same == nil && (w.any || w.matches(f, e.target.Name)):
			same = f
		default:
			others = append(others, f.Key(e.target.Name))
			e.others = append(e.others, *f)
		}
	}
	return same, others, nil
}

// leaks looks for a leak: in what the process reported, else on the heap.
func (e *examiner) leaks(ctx context.Context, t *trace.Trace, w wanted, run *trace.Run) (*oracle.Finding, []oracle.Key, error) {
	findings, err := e.replay(ctx, t, run)
	if err != nil {
		return nil, nil, err
	}
	for i := range findings {
		if w.matches(&findings[i], e.target.Name) {
			same := findings[i]
			return &same, nil, nil
		}
	}
	leak := trial.HeapFinding(t)
	if run.End != trace.Finished || !w.matches(&leak, e.target.Name) {
		return nil, nil, nil
	}
	growth, err := trial.HeapGrowth(ctx, e.target, e.limits, t)
	if err != nil || growth == 0 {
		return nil, nil, err
	}
	leak.Observed = trial.ObservedLeak(growth)
	return &leak, nil, nil
}

// blameInstances returns the finding with another class when it is a wrong
// answer that the instance does not give when it is alone: then the instances
// influence each other.
func (e *examiner) blameInstances(ctx context.Context, t *trace.Trace, f oracle.Finding) (*oracle.Finding, error) {
	wrongAnswer := f.Class[0] == '2' || f.Class[0] == '5'
	if t.Instances() < 2 || !wrongAnswer {
		return &f, nil
	}
	var run trace.Run
	findings, err := e.replay(ctx, t.Project(f.Instance), &run)
	if err != nil || len(findings) > 0 {
		return &f, err
	}
	f = mixedUp(f)
	return &f, nil
}

func mixedUp(f oracle.Finding) oracle.Finding {
	f.Detail = "with other instances only: " + string(f.Class) + " " + f.Detail
	f.Class = oracle.InstancesMix
	f.Known += "; the same calls of this instance alone are answered rightly"
	return f
}
