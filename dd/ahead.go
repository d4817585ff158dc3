package dd

import (
	"maps"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mark saves the state of the search. Scouts begin there.
func (r *reducer) mark() {
	if r.config.Workers > 1 && r.search == engine.Searcher[*trace.Trace](r.lab) {
		r.lab.Mark()
		r.marked = r.fork()
	}
}

// fork returns a copy of the reducer that can continue independently.
func (r *reducer) fork() *reducer {
	f := *r
	f.config.Events = Events{}
	f.passes = make([]*pass, len(r.passes))
	for i, p := range r.passes {
		copied := *p
		f.passes[i] = &copied
	}
	return &f
}

// ahead continues from the mark along the probable path of the search, so that a second worker
// has something useful to test.
func (r *reducer) ahead(s *engine.Scout[*trace.Trace]) {
	f := r.scout()
	f.search = s
	s.Guess, s.Seen = f.guess, f.expect
	done, err := f.rest()
	for !done && err == nil {
		done, err = f.nextRound()
	}
}

// scout returns a copy of the reducer at the mark. It knows what the search has shown since then, as the next
// candidates depend on that, too.
func (r *reducer) scout() *reducer {
	f := r.marked.fork()
	f.history = newHistory()
	f.history.below = &r.history
	f.memory = maps.Clone(r.memory)
	return f
}

// expect remembers a verdict that the search will probably use.
func (r *reducer) expect(candidate *trace.Trace, v engine.Verdict) {
	r.remember(candidate, v)
	if !v.Holds {
		r.history.add(candidate)
	}
}

// usual lists the passes whose candidates mostly fail in the same way when the pass first runs.
// The value says whether they do so in later runs, too, in which most passes find nothing left
// to do. Measured with TestTwoWorkers and the files of BenchmarkReductionPublished (package shrink).
var usual = map[string]bool{
	"parts": false, "cut": false, "lives": false, "queries": false, "normal form": true, "renumber": true, "order": true,
}

// guess returns the probable verdict on a candidate.
func (r *reducer) guess(candidate *trace.Trace, _ int) engine.Verdict {
	again, same := usual[r.now.Name]
	switch {
	case r.now.ran:
		same = again
	case r.now.Name == "calls" || r.now.Name == "increments":
		// Group testing tries sets of a size that can be removed in half of all cases. But
		// the halves of a set that cannot be removed can less often, the larger they are.
		same = 5*(len(r.best.Calls)-len(candidate.Calls)) < len(r.best.Calls)
	case r.now.Name == "assign": // likewise
		same = 5*(len(r.best.Calls)-len(candidate.Calls)) < 2*len(r.best.Calls)
	}
	v := Verdict{Same: same, Call: -1}
	if r.verdict.Call >= 0 { // mostly, the calls behind it stay
		v.Call = max(-1, len(candidate.Calls)-len(r.best.Calls)+r.verdict.Call)
	}
	return engine.Verdict{Holds: same, Note: v}
}
