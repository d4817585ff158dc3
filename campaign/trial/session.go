package trial

import (
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Session runs single traces on one target under limits and judges the
// answers. Unless it was opened otherwise, each trace runs in a fresh process. The
// processes start when they are needed. A session is not for concurrent use.
type Session struct {
	Target *replay.Target
	Judge  *Judge

	way    replay.Way
	limits replay.Limits
	runner replay.Runner
}

// NewSession returns a session, which owns the judge and must be closed.
func NewSession(target *replay.Target, limits replay.Limits, judge *Judge) *Session {
	return &Session{Target: target, Judge: judge, way: replay.Fork, limits: limits}
}

// NewExamination returns a session for a target with that description. A thorough
// one asks the reference solver about every answer. Otherwise it is asked about
// what the search leaves open, which is enough to know whether a candidate fails.
func NewExamination(
	target *replay.Target, description *apimodel.Description, limits replay.Limits, thorough bool,
) *Session {
	config, conflicts := oracle.Config{Policies: description.Policies, CrossCheck: thorough}, uint64(InPassing)
	if thorough {
		conflicts = Thorough
	}
	return NewSession(target, limits, NewJudge(config, conflicts))
}

// Close ends the process and frees the judge.
func (s *Session) Close() {
	s.stop()
	s.Judge.Close()
}

func (s *Session) stop() {
	if s.runner != nil {
		s.runner.Close()
		s.runner = nil
	}
}

// Limits returns the limits of a run.
func (s *Session) Limits() replay.Limits { return s.limits }

// SetLimits changes the limits, from the next run on.
func (s *Session) SetLimits(limits replay.Limits) {
	if limits != s.limits {
		s.stop()
		s.limits = limits
	}
}

// Run runs the trace and returns its faults, which are valid until the next run.
func (s *Session) Run(ctx context.Context, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	if s.runner == nil {
		runner, err := replay.Open(s.Target, s.way, s.limits)
		if err != nil {
			return nil, err
		}
		s.runner = runner
	}
	if err := s.runner.Run(ctx, t, run); err != nil {
		return nil, err
	}
	return s.Judge.Judge(t, run)
}

// A Wanted failure is what a run is to show again.
type Wanted struct {
	Key     oracle.Key
	Any     bool // any failure will do
	Lighter bool // the same failure with smaller weights will do, which is worse
}

// matches reports whether a finding is the wanted one.
func (w *Wanted) matches(f *oracle.Finding, target string) bool {
	key := f.Key(target)
	return key == w.Key || w.Lighter && key.LighterThan(w.Key)
}

// ofClass reports whether a failure of that class of that target is wanted.
func (w *Wanted) ofClass(class oracle.Class, target string) bool {
	return !w.Any && w.Key.Class == class && w.Key.IsOf(target)
}

// Shows runs the trace. It returns the finding that is the wanted one, or nil, and
// all others.
func (s *Session) Shows(
	ctx context.Context, t *trace.Trace, w Wanted, run *trace.Run,
) (same *oracle.Finding, others []oracle.Finding, err error) {
	if w.ofClass(oracle.Leak, s.Target.Name) {
		same, err = s.Leaks(ctx, t, w, run)
		return same, nil, err
	}
	findings, err := s.Run(ctx, t, run)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range slices.Clone(findings) { // the judge reuses its own
		if w.ofClass(oracle.InstancesMix, s.Target.Name) {
			mixed := mixedUp(f)
			if w.matches(&mixed, s.Target.Name) {
				blamed, err := s.BlameInstances(ctx, t, f)
				if err != nil {
					return nil, nil, err
				}
				f = *blamed
			}
		}
		if same == nil && (w.Any || w.matches(&f, s.Target.Name)) {
			same = &f
		} else {
			others = append(others, f)
		}
	}
	return same, others, nil
}

// Leaks looks for a leak: in what the process reported, then on the heap.
func (s *Session) Leaks(ctx context.Context, t *trace.Trace, w Wanted, run *trace.Run) (*oracle.Finding, error) {
	findings, err := s.Run(ctx, t, run)
	if err != nil {
		return nil, err
	}
	for i := range findings {
		if w.matches(&findings[i], s.Target.Name) {
			same := findings[i]
			return &same, nil
		}
	}
	leak := HeapFinding(t)
	if run.End != trace.Finished || !w.matches(&leak, s.Target.Name) {
		return nil, nil
	}
	growth, err := HeapGrowth(ctx, s.Target, s.limits, t)
	if err != nil || growth == 0 {
		return nil, err
	}
	leak.Observed = ObservedLeak(growth)
	return &leak, nil
}

// BlameInstances returns the finding, with another class if it is a wrong answer
// that the instance does not give when it is alone: then the instances influence
// each other.
func (s *Session) BlameInstances(ctx context.Context, t *trace.Trace, f oracle.Finding) (*oracle.Finding, error) {
	wrongAnswer := f.Class[0] == '2' || f.Class[0] == '5'
	if t.Instances() < 2 || !wrongAnswer {
		return &f, nil
	}
	var run trace.Run
	findings, err := s.Run(ctx, t.Project(f.Instance), &run)
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
