package dd

import (
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mark remembers where the search is, for scouts to begin there.
func (r *reducer) mark() {
	if r.config.Workers > 1 && r.search == engine.Searcher[*trace.Trace](r.lab) {
		r.lab.Mark()
		r.marked = r.fork()
	}
}

// fork returns a copy that can go on by itself.
func (r *reducer) fork() *reducer {
	f := *r
	f.config.OnBest, f.config.OnOther, f.config.Progress = nil, nil, nil
	f.passes = make([]*pass, len(r.passes))
	for i, p := range r.passes {
		copied := *p
		f.passes[i] = &copied
	}
	return &f
}

// ahead goes on from the mark, on the way that the search will probably take.
func (r *reducer) ahead(s *engine.Scout[*trace.Trace]) {
	f := r.marked.fork()
	f.search = s
	s.Guess = f.guess
	done, err := f.rest()
	for !done && err == nil {
		done, err = f.nextRound()
	}
}

// usual are the passes whose candidates mostly fail in the same way the first
// time; when they run again, mostly nothing is left to be done, but for those that
// say true. Measured with TestTwoWorkers of package campaign.
var usual = map[string]bool{"parts": false, "cut": false, "lives": false, "normal form": false, "common weights": false, "unit weights": false,
	"renumber": true, "order": true}

// guess is the verdict that is probable.
func (r *reducer) guess(candidate *trace.Trace, _ int) engine.Verdict {
	again, same := usual[r.now.Name]
	switch {
	case r.now.ran:
		same = again
	case r.now.Name == "calls" || r.now.Name == "increments":
		// Group testing takes sets that go in half of all cases; of the halves of
		// one that does not go, the larger do so less often.
		same = 5*(len(r.best.Calls)-len(candidate.Calls)) < len(r.best.Calls)
	}
	v := Verdict{Same: same, Call: -1}
	if r.verdict.Call == len(r.best.Calls)-1 {
		v.Call = len(candidate.Calls) - 1
	}
	return engine.Verdict{Holds: same, Note: v}
}
