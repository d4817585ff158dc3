package campaign

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
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
		return "the trace failed with" + s.limits + ": give the same limits"
	case s.Run.End == trace.Finished:
		return ""
	}
	return fmt.Sprintf("the run ended early (%s, call %d)", s.Run.End, s.Run.Call+1)
}

// Shows runs a trace until its failure is seen, each time in a fresh process. The
// key may be of another target: its class, weights and detail are looked for.
// Without a key it is any failure. What fails by chance (its notes say how often)
// is run until a library that has it would have failed with a probability of 99%.
func Shows(ctx context.Context, target *replay.Target, description *apimodel.Description, limits replay.Limits, t *trace.Trace, key oracle.Key) (*Sighting, error) {
	w := wanted{any: key.IsZero()}
	if !w.any {
		w.key = key.On(target.Name)
	}
	s := new(Sighting)
	if noted := limitsIn(t.Notes); noted != limitsFlags(limits) {
		s.limits = noted // none: those of today are somebody's choice
	}
	for most := runsFor(rateIn(t.Notes)); s.Runs < most && !s.Seen; s.Runs++ {
		e := newExaminer(target, description, limits, true)
		s.Run = trace.Run{}
		same, _, err := e.shows(ctx, t, w, &s.Run)
		s.Others = e.others
		e.close()
		if err != nil {
			return nil, err
		}
		s.Seen = same != nil
	}
	return s, nil
}

// KeyIn is the key of the failure that a trace was made small for, zero when its
// notes have none.
func KeyIn(notes []string) (oracle.Key, error) {
	for _, note := range notes {
		if key, found := strings.CutPrefix(note, "finding: "); found {
			return oracle.ParseKey(key)
		}
	}
	return oracle.Key{}, nil
}

// rateIn reads how often a minimal trace failed when it was confirmed.
func rateIn(notes []string) trial.Rate {
	var r trial.Rate
	for _, note := range notes {
		if n, _ := fmt.Sscanf(note, "confirmed: failed in %d of %d runs", &r.Failed, &r.Runs); n == 2 {
			return r
		}
	}
	return trial.Rate{Failed: 1, Runs: 1}
}

const (
	missedAtMost = 0.01
	mostRuns     = 2000
)

// runsFor is how often a trace of such a rate is run.
func runsFor(r trial.Rate) int {
	share := r.Share()
	switch {
	case share >= 1:
		return 1
	case share <= 0:
		return trial.ChanceRuns
	}
	return min(mostRuns, int(math.Ceil(math.Log(missedAtMost)/math.Log(1-share))))
}
