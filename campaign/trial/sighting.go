package trial

import (
	"context"
	"fmt"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Sighting is whether a build of a library has the failure of a trace.
type Sighting struct {
	Seen   bool
	Run    trace.Run        // the last one
	Others []oracle.Finding // that were seen instead, in the last run
	Runs   int
	limits string // as flags, with which the trace failed, when this was run with others
}

// Undecided says why a run that did not show the failure does not acquit the
// library, "" when it does: it ended before it got to where the failure was, or
// had other limits.
func (s *Sighting) Undecided() string {
	switch {
	case s.Seen:
		return ""
	case s.limits != "":
		return "the trace failed with " + s.limits + ": give the same limits"
	case s.Run.End == trace.Finished:
		return ""
	}
	return fmt.Sprintf("the run ended early (%s, call %d)", s.Run.End, s.Run.Call+1)
}

// Shows runs a trace until its failure is seen, each time in a fresh process. The
// key may be of another target: its class, weights and detail are looked for.
// Without a key it is any failure. What fails by chance (its notes say how often)
// is run until a library that has it would have failed with a probability of 99%.
func Shows(ctx context.Context, target *replay.Target, description *apimodel.Description, limits replay.Limits,
	t *trace.Trace, key oracle.Key) (*Sighting, error) {
	w := Wanted{Any: key.IsZero()}
	if !w.Any {
		w.Key = key.On(target.Name)
	}
	s := new(Sighting)
	noted := notes.ResultOf(t.Notes)
	if noted.Limits != limits.Flags() {
		s.limits = noted.Limits // none: those of today are somebody's choice
	}
	for most := runsFor(Rate(noted.Rate)); s.Runs < most && !s.Seen; s.Runs++ {
		session := NewExamination(target, description, limits, true)
		s.Run = trace.Run{}
		same, others, err := session.Shows(ctx, t, w, &s.Run)
		s.Others = others
		session.Close()
		if err != nil {
			return nil, err
		}
		s.Seen = same != nil
	}
	return s, nil
}

// KeyIn is the key of the failure that a trace was made small for, zero when its
// notes have none.
func KeyIn(t *trace.Trace) (key oracle.Key, err error) {
	err = key.UnmarshalText([]byte(notes.ResultOf(t.Notes).Finding))
	return key, err
}

const (
	missedAtMost = 0.01
	mostRuns     = 2000
)

// runsFor is how often a trace of such a rate is run.
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
