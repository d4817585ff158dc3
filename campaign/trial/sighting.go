package trial

import (
	"context"
	"fmt"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Sighting is the result of looking for the failure of a trace in a build of a library.
type Sighting struct {
	Seen   bool
	Run    trace.Run        // the last run
	Others []oracle.Finding // other failures of the last run
	Runs   int
	open   []unchecked.Item
	limits string // flags of the limits with which the trace failed, if this run had others
}

// Undecided says why a run without the failure does not clear the library: it ended early or had other
// limits. It returns "" if the run decides.
func (s *Sighting) Undecided() string {
	switch {
	case s.Seen:
		return ""
	case s.limits != "":
		return "the trace failed with " + s.limits + ": give the same limits"
	case s.Run.End == trace.Finished && len(s.open) > 0:
		return "the failure was not seen, but not all was checked. " + unchecked.Text(s.open)
	case s.Run.End == trace.Finished:
		return ""
	}
	return fmt.Sprintf("the run ended early (%s, call %d)", s.Run.End, s.Run.Call+1)
}

// Shows runs a trace until it shows the failure, each time in a fresh process. The key may name another
// target: Shows looks for its class, weights and detail. The zero key stands for any failure. If the notes
// of the trace say that it fails by chance, Shows repeats it until a faulty library would have failed with
// a probability of 99%.
func Shows(ctx context.Context, target *replay.Target, description *apimodel.Description, limits replay.Limits,
	t *trace.Trace, key oracle.Key) (*Sighting, error) {
	w := Wanted{Any: key.IsZero()}
	if !w.Any {
		w.Key = key.On(target.Name)
	}
	s := new(Sighting)
	noted := notes.ResultOf(t.Notes)
	if noted.Limits != limits.Flags() {
		s.limits = noted.Limits // "": the trace does not say
	}
	for most := runsFor(Rate(noted.Rate)); s.Runs < most && !s.Seen; s.Runs++ {
		session := NewExamination(target, description, limits, true)
		s.Run = trace.Run{}
		same, others, err := session.Shows(ctx, t, w, &s.Run)
		s.Others = others
		if w.Any || w.Key.Class[0] == '2' || w.Key.Class.IsAboutProof() {
			s.open = session.Judge.Unchecked().Items()
		}
		session.Close()
		if err != nil {
			return nil, err
		}
		s.Seen = same != nil
	}
	return s, nil
}

// KeyIn returns the key in the notes of a minimal trace, or the zero key if the notes have none.
func KeyIn(t *trace.Trace) (key oracle.Key, err error) {
	err = key.UnmarshalText([]byte(notes.ResultOf(t.Notes).Finding))
	return key, err
}

const (
	missedAtMost = 0.01
	mostRuns     = 2000
)

// runsFor returns how often to run a trace that fails at that rate.
func runsFor(r Rate) int {
	share := r.Share()
	switch {
	case share >= 1, r.Runs == 0:
		return 1
	case share <= 0:
		return ChanceRuns
	}
	return min(mostRuns, int(math.Ceil(math.Log(missedAtMost)/math.Log(1-share))))
}
