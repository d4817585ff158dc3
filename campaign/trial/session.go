// Package trial runs one trace on one target under limits and has the answers judged.
//
// A Session does exactly that. A Group does it on a target and its rivals and compares the runs; a Replayer
// does it for traces of any model. Hang, HeapGrowth and Sighting repeat trials to tell what a single one
// cannot: whether a run hangs, whether the heap grows, whether a failure occurs at all. The package knows
// no campaign: confirmation, reduction, replay and comparison all call it.
package trial

import (
	"context"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Session runs single traces on one target under limits and judges the answers.
// Each trace runs in a fresh process, unless a Replayer asked for another way. The
// processes start on demand. A session is not safe for concurrent use.
type Session struct {
	Target *replay.Target
	Judge  *Judge

	way    replay.Way
	limits replay.Limits
	runner replay.Runner
	judged *judged // if one trace is repeated
	anyway *Judge  // of runs in which no allocation fails; nil: there was none
}

// NewSession returns a session that owns the judge. The caller must close it.
func NewSession(target *replay.Target, limits replay.Limits, judge *Judge) *Session {
	return &Session{Target: target, Judge: judge, way: replay.Fork, limits: limits}
}

// Use makes the session run its next traces with a runner that has started with the limits of the session. The session
// closes it.
func (s *Session) Use(runner replay.Runner) {
	s.stop()
	s.runner = runner
}

// NewExamination returns a session for a target with that description. If thorough is set, the judge asks
// the reference solver about every answer. Otherwise it asks only about answers that its own search leaves
// open, which is enough for candidates of a reduction.
func NewExamination(
	target *replay.Target, description *apimodel.Description, limits replay.Limits, thorough bool,
) *Session {
	config, conflicts := oracle.Config{Policies: description.Policies, CrossCheck: thorough}, uint64(InPassing)
	if thorough {
		conflicts = Thorough
	}
	return NewSession(target, limits, NewJudge(config, conflicts))
}

// Close ends the process and closes the judge.
func (s *Session) Close() {
	s.stop()
	s.Judge.Close()
	if s.anyway != nil {
		s.anyway.Close()
	}
}

// Restart makes the next run load the library anew. Otherwise all runs are copies of one process that has
// loaded it, so its memory has the same addresses in all of them.
func (s *Session) Restart() { s.stop() }

func (s *Session) stop() {
	if s.runner != nil {
		s.runner.Close()
		s.runner = nil
	}
}

// Limits returns the limits of each run.
func (s *Session) Limits() replay.Limits { return s.limits }

// SetLimits sets the limits of the runs that follow. The process stays if they only give it less time.
func (s *Session) SetLimits(limits replay.Limits) {
	hurried := s.limits
	hurried.CPU, hurried.Wall = limit.Lower(hurried.CPU, limits.CPU), limit.Lower(hurried.Wall, limits.Wall)
	if limits == s.limits {
		return
	}
	if s.limits = limits; limits != hurried {
		s.stop()
	} else if s.runner != nil {
		s.runner.SetLimits(limits)
	}
}

// Run runs and judges the trace. It repeats a trace whose instances run at the same time until a run fails,
// up to threadRuns times. The findings are valid until the next run.
func (s *Session) Run(ctx context.Context, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	most := 1
	if RunsAtOnce(t) {
		most = threadRuns
	}
	return s.runs(ctx, t, run, most)
}

// runs runs and judges the trace until a run fails, at most so many times.
func (s *Session) runs(ctx context.Context, t *trace.Trace, run *trace.Run, most int) ([]oracle.Finding, error) {
	leave, err := enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	for n := 1; ; n++ {
		if err := s.run(ctx, t, run); err != nil {
			return nil, err
		}
		findings, err := s.judge(ctx, t, run)
		if err == nil && s.way == replay.Fork { // a process that made an allocation fail proves nothing more
			err = s.blameAllocation(ctx, t, findings)
		}
		if len(findings) > 0 || err != nil || n == most {
			return findings, err
		}
	}
}

// Answers runs the trace once, without judging it.
func (s *Session) Answers(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	leave, err := enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.run(ctx, t, run)
}

func (s *Session) run(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	if s.runner == nil {
		runner, err := replay.OpenUntil(ctx, s.Target, s.way, s.limits)
		if err != nil {
			return err
		}
		s.runner = runner
	}
	return s.runner.Run(ctx, t, run)
}

// Wanted describes the failure that a run should show again.
type Wanted struct {
	Key    oracle.Key
	Any    bool               // accept any failure
	Weight oracle.WeightClass // of the failure; 0: any
}

// matches reports whether a finding is wanted.
func (w *Wanted) matches(f *oracle.Finding, target string) bool {
	return f.Key(target) == w.Key && (w.Weight == 0 || f.Weight == w.Weight)
}

// ofClass reports whether w wants a failure of the class in the target.
func (w *Wanted) ofClass(class oracle.Class, target string) bool {
	return !w.Any && w.Key.Class == class && w.Key.IsOf(target)
}

// Shows runs the trace. It returns the wanted finding, or nil, and all other findings.
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
	for _, f := range slices.Clone(findings) { // the judge reuses the slice
		if w.ofClass(oracle.InstancesMix, s.Target.Name) {
			mixed, together := mixedUp(f), atOnce(f)
			if w.matches(&mixed, s.Target.Name) || w.matches(&together, s.Target.Name) {
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

// Leaks looks for a wanted leak, first in the findings of a run, then on the heap.
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

// BlameInstances returns the finding, with the class InstancesMix if the instances influence each other.
// That is shown by a wrong answer that the instance does not give alone, and by a failure of any kind of
// instances that run at the same time, if it goes away when their calls are made one after the other. The
// class stays if only a vote supports the finding, and, for a wrong status, model or optimum, if no check
// decides whether the instance is right alone.
func (s *Session) BlameInstances(ctx context.Context, t *trace.Trace, f oracle.Finding) (*oracle.Finding, error) {
	if RunsAtOnce(t) && blamesThreads(&f) {
		t = inOrder(t)
		var run trace.Run
		findings, err := s.runs(ctx, t, &run, threadRuns) // it may depend on chance, too
		if err != nil {
			return &f, err
		}
		if len(findings) == 0 {
			f = atOnce(f)
			return &f, nil
		}
	}
	// Alone, an instance makes fewer allocations: another one fails, or none.
	wrongAnswer := f.Class[0] == '2' || f.Class[0] == '5' && f.Class != oracle.FailedAllocation
	if t.Instances() < 2 || !wrongAnswer || f.Voted { // an instance that runs alone has no vote
		return &f, nil
	}
	if right, err := s.isRightAlone(ctx, t, &f); err != nil || !right {
		return &f, err
	}
	f = mixedUp(f)
	return &f, nil
}

// mixedRuns is how often an instance must answer wrongly beside others, and not alone in as many runs,
// before the instances are blamed.
const mixedRuns = 4

// isRightAlone reports whether the trace shows the finding again and again, and its instance never fails
// alone. One run of each would prove nothing about a failure that depends on chance.
func (s *Session) isRightAlone(ctx context.Context, t *trace.Trace, f *oracle.Finding) (bool, error) {
	alone, wanted := t.Project(f.Instance), Wanted{Key: f.Key(s.Target.Name)}
	var run trace.Run
	together := 1 // it was seen once
	for range 4 * mixedRuns {
		before := s.Judge.Unchecked()
		findings, err := s.Run(ctx, alone, &run)
		if err != nil || len(findings) > 0 || f.Class[0] == '2' && s.Judge.Unchecked().Minus(before).Answers() > 0 {
			return false, err // the instance may be wrong alone, too
		}
		if together == mixedRuns {
			return true, nil
		}
		if findings, err = s.Run(ctx, t, &run); err != nil {
			return false, err
		}
		if slices.ContainsFunc(findings, func(f oracle.Finding) bool { return wanted.matches(&f, s.Target.Name) }) {
			together++
		}
	}
	return false, nil
}

// withOthers begins the detail of an answer that the instance gets right alone.
const withOthers = "with other instances only: "

func mixedUp(f oracle.Finding) oracle.Finding {
	f.Detail = withOthers + string(f.Class) + " " + f.Detail
	f.Class = oracle.InstancesMix
	f.Known += "; alone, the instance answers the same calls correctly"
	return f
}

// UnmixedClass returns the class that a failure had before BlameInstances, which is its own class if
// BlameInstances did not change it.
func UnmixedClass(class oracle.Class, detail string) oracle.Class {
	before, mixed := strings.CutPrefix(detail, withOthers)
	if word, _, _ := strings.Cut(before, " "); mixed && class == oracle.InstancesMix && len(word) == len(class) {
		return oracle.Class(word)
	}
	return class
}
