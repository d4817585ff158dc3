package cause

import (
	"context"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Prober runs versions of one minimal trace and tells whether they fail as it does.
//
// A version asks the same in another form, so the same fault may show in another way: a wrong optimum as a
// wrong objective. So a version also fails if it shows another failure with the same symptom, unless the
// minimal trace shows that failure, too, beside its own.
//
// If the same problem got two answers, one of them is wrong, and fixing that one removes the difference. If
// it is known which one, the Prober looks for the wrong answer instead.
type Prober struct {
	session *trial.Session
	wanted  trial.Wanted
	finding oracle.Finding
	run     trace.Run
	beside  []oracle.Key // other failures of the minimal trace, which have other faults
	rate    trial.Rate
}

// NewProber runs the minimal trace in the session to learn which failures it shows beside the one with the
// key. For a failure that depends on chance, rate says how often it shows. NewProber lowers the session's
// time limits to a multiple of the time of that run: a version that hangs must not keep others waiting.
func NewProber(ctx context.Context, session *trial.Session, minimal *trace.Trace, key oracle.Key, rate trial.Rate) (
	*Prober, error,
) {
	p := &Prober{session: session, wanted: trial.Wanted{Key: key}, rate: rate}
	for range p.runs() {
		var run trace.Run
		same, others, err := session.Shows(ctx, minimal, p.wanted, &run)
		if err != nil {
			return nil, err
		}
		if wrong := wrongOf(same, others); wrong != nil {
			if wrong, others, err = p.blamed(ctx, minimal, same, wrong, others); err != nil {
				return nil, err
			}
			same, p.wanted.Key = wrong, wrong.Key(session.Target.Name)
		}
		for i := range others {
			p.beside = append(p.beside, others[i].Key(session.Target.Name))
		}
		if same != nil {
			p.finding, p.run = *same, run
			session.SetLimits(limit.Near(session.Limits(), &run))
			return p, nil
		}
	}
	return nil, ErrNotFailing
}

// wrongOf returns the failure among others of the wrong one of two differing answers, or nil.
func wrongOf(differ *oracle.Finding, others []oracle.Finding) (wrong *oracle.Finding) {
	if differ == nil || differ.Voted || trial.UnmixedClass(differ.Class, differ.Detail) != oracle.AnswersDiffer {
		return nil
	}
	for i := range others {
		f := &others[i]
		if f.Class[0] == '2' && !f.Voted && f.Instance == differ.Instance && f.Solve >= 0 && f.Solve <= differ.Solve {
			wrong = f
		}
	}
	return wrong
}

// blamed returns the wrong one of two differing answers, and the other failures without it. If the answers differ only
// beside other instances, so must the wrong answer be wrong only beside them. A reduction that may leave them out could
// drift to another fault. If the answer is wrong alone, too, blamed returns the difference.
func (p *Prober) blamed(ctx context.Context, t *trace.Trace, differ, wrong *oracle.Finding, others []oracle.Finding) (
	*oracle.Finding, []oracle.Finding, error,
) {
	rest := slices.DeleteFunc(slices.Clone(others), func(f oracle.Finding) bool { return f == *wrong })
	if differ.Class != oracle.InstancesMix {
		return wrong, rest, nil
	}
	blamed, err := p.session.BlameInstances(ctx, t, *wrong)
	if err != nil || blamed.Class != oracle.InstancesMix {
		return differ, others, err
	}
	return blamed, rest, nil
}

// Key returns the key of the failure that p looks for.
func (p *Prober) Key() oracle.Key { return p.wanted.Key }

// runs returns how many runs without a failure it takes for a trace to count as passing.
func (p *Prober) runs() int {
	if p.rate.Runs == 0 || p.rate.Always() {
		return 1
	}
	const sure = 4 // multiple of the runs that the minimal trace needs to fail once
	return min(trial.ChanceRuns, int(sure/max(p.rate.Share(), 0.01))+1)
}

// Shows reports whether a trace fails as the minimal trace does. It returns ErrUndecided if the trace met a
// limit instead of failing.
func (p *Prober) Shows(ctx context.Context, t *trace.Trace) (bool, error) {
	shows, limited, err := p.shows(ctx, t, p.alike)
	if err == nil && limited && !shows {
		err = ErrUndecided
	}
	return shows, err
}

// ShowsKey reports whether a trace fails with the wanted key. If a reduction kept any similar failure
// instead, it could drift to another fault, step by step.
func (p *Prober) ShowsKey(ctx context.Context, t *trace.Trace) (bool, error) {
	shows, _, err := p.shows(ctx, t, func(oracle.Finding) bool { return false })
	return shows, err
}

// shows also reports whether a run met a limit.
func (p *Prober) shows(ctx context.Context, t *trace.Trace, alike func(oracle.Finding) bool) (
	shows, limited bool, err error,
) {
	for range p.runs() {
		var run trace.Run
		same, others, err := p.session.Shows(ctx, t, p.wanted, &run)
		if err != nil {
			return false, limited, err
		}
		if p.finding.Class == oracle.TooSlow && run.End == trace.OutOfTime && !run.Death.Asleep { // it wanted to run
			limited = true
			continue
		}
		if same != nil || slices.ContainsFunc(others, alike) {
			return true, limited, nil
		}
		limited = limited || run.End.IsLimit()
	}
	return false, limited, nil
}

// alike reports whether a finding may have the same fault.
func (p *Prober) alike(f oracle.Finding) bool {
	return Symptom(f.Class, f.Detail) == Symptom(p.finding.Class, p.finding.Detail) &&
		!slices.Contains(p.beside, f.Key(p.session.Target.Name))
}

// Symptom returns a word for what a client sees of a failure. All wrong answers are one symptom: which
// wrong answer a fault causes depends on the question and on the calls of other instances. If two answers
// disagree, one is wrong. A wrong state has the symptom of the check that is missing.
func Symptom(class oracle.Class, detail string) string {
	class = trial.UnmixedClass(class, detail)
	switch {
	case strings.HasPrefix(string(class), "2"), class == oracle.WrongCore, class == oracle.AnswersDiffer,
		class == oracle.ValuesDisagree, class == oracle.LearnedNotImplied, class == oracle.InstancesMix:
		return wrongAnswer
	case strings.HasPrefix(string(class), "1") && class != oracle.Deadlock:
		return crash
	case hasNoAnswer(class, detail):
		return string(NoAnswer)
	case class == oracle.WrongState:
		return wrongState + oracle.CheckOf(detail)
	}
	return class.Info().Name
}

// The symptoms of all deaths of the process and of all wrong answers, and the beginning of those of wrong states.
const (
	crash       = "crash"
	wrongAnswer = "wrong answer"
	wrongState  = "wrong state: "
)
