package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Resources says when a target needs too much time or memory compared with others.
type Resources struct {
	Factor float64       // how many times the median of the others is too much; 0 means 100
	Limit  time.Duration // the time limit of the runs; a run that met it took at least that long
}

const (
	defaultFactor = 100
	// leastTime and leastMemory are the least that a target must take for a finding, whatever the others take. A
	// page fault or a busy machine turns microseconds into milliseconds, and an allocator reserves tens of MiB
	// at once. Nobody minds less than a second or less than 64 MiB.
	leastTime   = time.Second
	leastMemory = 64 << 20
)

// Compare returns, by ballot, findings about solves and runs that took more than Factor times the median of the others.
// With fewer than three targets, there are none: if two differ, nobody knows which is odd.
func (r Resources) Compare(t *trace.Trace, ballots []Ballot) [][]oracle.Finding {
	found := make([][]oracle.Finding, len(ballots))
	if len(ballots) < votersNeeded {
		return found
	}
	for _, group := range sameProblems(t, withDeaths(t, ballots)) {
		r.times(t, ballots, group, found)
	}
	r.memory(t, ballots, found)
	return found
}

// withDeaths adds the solves in which runs met their time limits. Judges do not list these, because they have no
// answers.
func withDeaths(t *trace.Trace, ballots []Ballot) []Ballot {
	all := slices.Clone(ballots)
	for i := range all {
		run := all[i].Run
		if run.End.IsTimeLimit() && run.Call < len(t.Calls) && t.Calls[run.Call].Op == apimodel.OpSolve {
			c := &t.Calls[run.Call]
			all[i].Solves = append(slices.Clone(all[i].Solves), oracle.Solve{Call: run.Call, Instance: c.Instance,
				Weight: oracle.NoWeights, Status: apimodel.Interrupted})
		}
	}
	return all
}

func (r Resources) times(t *trace.Trace, ballots []Ballot, group []seat, found [][]oracle.Finding) {
	type timed struct {
		seat
		took  uint64
		ended bool
	}
	var all []timed
	for _, s := range group {
		run := ballots[s.ballot].Run
		e := run.Answers.EffortOf(run.Answers.At(s.Call))
		switch {
		case run.End.IsTimeLimit() && run.Call == s.Call:
			all = append(all, timed{s, uint64(r.Limit), false})
		case s.Status != apimodel.Interrupted && e.Nanos > 0: // a whole search
			all = append(all, timed{s, e.Nanos, true})
		}
	}
	for i, s := range all {
		var others []uint64
		for j, o := range all {
			if j != i && o.ended {
				others = append(others, o.took)
			}
		}
		median, enough := medianOf(others)
		if !enough || !r.tooMuch(s.took, median, uint64(leastTime)) {
			continue
		}
		f := oracle.Finding{Class: oracle.TooSlow, Check: oracle.ResourcesCheck, Call: s.Call, Instance: s.Instance,
			Weight: s.Weight, Detail: "in solve",
			Observed: fmt.Sprintf("%v in this solve", time.Duration(s.took).Round(time.Millisecond)),
			Expected: fmt.Sprintf("less than %g times the median of the others", r.factor()),
			Known:    fmt.Sprintf("the median of the %d other targets that answered, %v", len(others), time.Duration(median))}
		if !s.ended {
			f.Observed = "no answer within " + time.Duration(s.took).String()
			for _, own := range ballots[s.ballot].Findings {
				if own.Class == oracle.TooSlow && own.Call == s.Call {
					f.Weight, f.Detail = own.Weight, own.Detail // the same fault, better described
				}
			}
		}
		found[s.ballot] = append(found[s.ballot], f)
	}
}

// memory compares the peaks of whole runs, because a peak belongs to a process, not to a call.
func (r Resources) memory(t *trace.Trace, ballots []Ballot, found [][]oracle.Finding) {
	for i := range ballots {
		var others []uint64
		for j := range ballots {
			if run := ballots[j].Run; j != i && run.Usage.PeakKB > 0 && run.End == trace.Finished {
				others = append(others, run.Usage.PeakKB<<10)
			}
		}
		run := ballots[i].Run
		peak := run.Usage.PeakKB << 10
		median, enough := medianOf(others)
		if !enough || !r.tooMuch(peak, median, leastMemory) {
			continue
		}
		call := len(t.Calls)
		if run.End != trace.Finished {
			call = run.Call
		}
		f := oracle.Finding{Class: oracle.TooMuchMemory, Check: oracle.ResourcesCheck, Call: call, Weight: oracle.NoWeights,
			Detail:   "peak of the run",
			Observed: fmt.Sprintf("%d MiB at the peak", peak>>20),
			Expected: fmt.Sprintf("less than %g times the median of the others", r.factor()),
			Known:    fmt.Sprintf("the median of the %d other targets, %d KiB", len(others), median>>10)}
		for _, own := range ballots[i].Findings {
			if own.Class == oracle.TooMuchMemory {
				f.Weight, f.Detail, f.Call, f.Instance = own.Weight, own.Detail, own.Call, own.Instance
			}
		}
		found[i] = append(found[i], f)
	}
}

func (r Resources) factor() float64 {
	if r.Factor <= 0 {
		return defaultFactor
	}
	return r.Factor
}

func (r Resources) tooMuch(took, median, least uint64) bool {
	return took >= least && float64(took) > r.factor()*float64(max(median, 1))
}

// medianOf returns the median of at least two numbers. Of the two in the middle of an even number of them, it returns
// the larger one, in favour of the target that took more.
func medianOf(numbers []uint64) (median uint64, enough bool) {
	if len(numbers) < votersNeeded-1 {
		return 0, false
	}
	slices.Sort(numbers)
	return numbers[len(numbers)/2], true
}
