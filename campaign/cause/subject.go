package cause

import (
	"context"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Subject runs versions of one minimal trace and tells whether they fail as it does.
//
// A version asks the same in other words, so the same fault may show in another way: a
// wrong optimum as a wrong objective. A version therefore fails, too, if it shows a
// failure with the same symptom that the minimal trace does not show beside its own.
type Subject struct {
	session *trial.Session
	wanted  trial.Wanted
	finding oracle.Finding
	run     trace.Run
	beside  []oracle.Key // other failures of the minimal trace: of other faults
	rate    trial.Rate
}

// NewSubject runs the minimal trace in the session to learn how it fails beside the
// failure with that key. For a failure that depends on chance, rate says how often it
// shows.
func NewSubject(ctx context.Context, session *trial.Session, minimal *trace.Trace, key oracle.Key, rate trial.Rate) (
	*Subject, error,
) {
	s := &Subject{session: session, wanted: trial.Wanted{Key: key}, rate: rate}
	for range s.runs() {
		var run trace.Run
		same, others, err := session.Shows(ctx, minimal, s.wanted, &run)
		if err != nil {
			return nil, err
		}
		for i := range others {
			s.beside = append(s.beside, others[i].Key(session.Target.Name))
		}
		if same != nil {
			s.finding, s.run = *same, run
			return s, nil
		}
	}
	return nil, ErrNotFailing
}

// runs returns how often a trace runs that does not fail.
func (s *Subject) runs() int {
	if s.rate.Runs == 0 || s.rate.Always() {
		return 1
	}
	const sure = 4 // times the runs that the minimal trace needs to fail once
	return min(trial.ChanceRuns, int(sure/max(s.rate.Share(), 0.01))+1)
}

// Shows reports whether a trace fails as the minimal trace does.
func (s *Subject) Shows(ctx context.Context, t *trace.Trace) (bool, error) {
	for range s.runs() {
		var run trace.Run
		same, others, err := s.session.Shows(ctx, t, s.wanted, &run)
		if err != nil {
			return false, err
		}
		if same != nil || slices.ContainsFunc(others, s.alike) {
			return true, nil
		}
	}
	return false, nil
}

// alike reports whether a finding can come from the same fault.
func (s *Subject) alike(f oracle.Finding) bool {
	return Symptom(f.Class) == Symptom(s.finding.Class) && !slices.Contains(s.beside, f.Key(s.session.Target.Name))
}

// Symptom returns a word for what a client sees of a failure. Wrong answers are one
// symptom: which of them a fault causes depends on the question that was asked.
func Symptom(class oracle.Class) string {
	switch {
	case strings.HasPrefix(string(class), "2"), class == oracle.WrongCore, class == oracle.AnswersDiffer,
		class == oracle.LearnedNotImplied:
		return "wrong answer"
	case strings.HasPrefix(string(class), "1"):
		return "crash"
	}
	return class.Info().Name
}

// Failure returns what is known about the failure once its cause is determined.
func (s *Subject) Failure(minimal *trace.Trace, cause Cause) *Failure {
	f := &Failure{Symptom: Symptom(s.finding.Class), Cause: cause, Minimal: minimal}
	if s.run.End != trace.Finished && s.finding.Check == "end" {
		f.Location = message.Location(&s.run.Death)
	}
	return f
}
