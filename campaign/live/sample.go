// Package live shows a campaign while it runs: a dashboard for a terminal, metrics for Prometheus, and
// events as lines of JSON. All of them show samples. They read the campaign and can pause or end it, but
// own nothing of it.
package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Sample is the state of a campaign at one moment.
type Sample struct {
	Elapsed  time.Duration
	Targets  []Target
	Kinds    []Kind
	Found    string // the numbers of faults and findings
	Faults   int    // without findings of unknown fault
	Findings int
	Doubtful int // unconfirmed failures
	Paused   bool
	Process  Process

	Times     stats.SearchTimes // of all targets
	FollowUps stats.FollowUps
	Standing  string   // why no new trace has run for a while; "" if one has
	Slow      []string // a line for each target whose solves take long
	PutOff    string   // which expensive kind of traces was put off, and why; "" if none was
}

// A Target has the counts of one target so far.
type Target struct {
	Name     string
	Traces   uint64
	Solves   uint64
	Deaths   uint64
	Library  time.Duration // in calls of the library
	Solving  time.Duration // in calls of solve
	Busy     time.Duration // of the workers
	Faults   int
	Findings map[string]int
}

// A Kind is a profile with the properties of its traces that published studies report for generators.
type Kind struct {
	Name string
	stats.ProfileUse
}

// A Finding is the simplest finding of a fault, or a finding that is being reduced.
type Finding struct {
	Key      oracle.Key
	Target   string
	Title    string        // what has to be fixed
	Why      string        // how it fails, or what is known about its cause
	Findings int           // number of findings of the fault; 0: this one is being reduced
	Also     string        // how the other findings of the fault fail
	Possibly string        // other faults that may be the same
	Elapsed  time.Duration // into the run
	Original int           // calls
	Calls    int           // in the smallest trace so far
	Tests    int           // runs of the reduction
	Reducing bool
	Again    bool // the directory has it from an earlier campaign

	Observed, Expected, Known string
	Trace                     string // the smallest so far, as text
	Dir                       string
	Replay, Generate          string // commands; one of them is known
}

// A part is what some of the time goes to.
type part struct {
	Name string
	Took time.Duration
}

// parts returns where the time of the workers goes.
func parts(t *stats.SearchTimes) []part {
	return []part{{"library", t.Library}, {"generating", t.Generating}, {"judging", t.Judging}, {"waiting", t.Waiting}}
}

// partsBeside returns where the time of follow-ups goes.
func partsBeside(f *stats.FollowUps) []part {
	return []part{{"confirming", f.Confirming}, {"reducing", f.Reducing}}
}

// Times returns where the time goes, as text: that of the workers, and that of follow-ups beside them.
func Times(s *stats.Stats) string {
	return searchTimes(&s.SearchTimes) + "  " + timesBeside(&s.FollowUps)
}

func searchTimes(t *stats.SearchTimes) string { return "time: " + listed(parts(t)) }

func timesBeside(f *stats.FollowUps) string { return "beside: " + listed(partsBeside(f)) }

func listed(all []part) string {
	var texts []string
	for _, p := range all {
		texts = append(texts, p.Name+" "+shortTime(p.Took))
	}
	return strings.Join(texts, ", ")
}

func shortTime(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Truncate(time.Second).String()
}

// span is the time over which rates are averaged.
const span = 5 * time.Second

// A history keeps the samples of the last seconds.
type history struct{ samples []Sample }

func (h *history) add(s Sample) {
	h.samples = append(h.samples, s)
	for len(h.samples) > 2 && s.Elapsed-h.samples[1].Elapsed >= span {
		h.samples = h.samples[1:]
	}
}

func (h *history) last() *Sample {
	if len(h.samples) == 0 {
		return &Sample{}
	}
	return &h.samples[len(h.samples)-1]
}

// rates are counts per second.
type rates struct {
	Traces, Solves float64
	Inside         float64 // the share of the workers' time inside the library
}

// of returns the rates of the target with that index, or of all targets if it is -1.
func (h *history) of(target int) rates {
	if len(h.samples) == 0 {
		return rates{}
	}
	last, first := h.last(), &Sample{} // compare the first sample with the beginning
	if len(h.samples) > 1 {
		first = &h.samples[0]
	}
	took := (last.Elapsed - first.Elapsed).Seconds()
	if took <= 0 {
		return rates{}
	}
	var traces, solves, library, busy float64
	for i := range last.Targets {
		if target >= 0 && i != target {
			continue
		}
		now, before := &last.Targets[i], Target{}
		if i < len(first.Targets) {
			before = first.Targets[i]
		}
		traces += float64(now.Traces) - float64(before.Traces)
		solves += float64(now.Solves) - float64(before.Solves)
		library += (now.Library - before.Library).Seconds()
		busy += (now.Busy - before.Busy).Seconds()
	}
	r := rates{Traces: traces / took, Solves: solves / took}
	if busy > 0 {
		r.Inside = min(1, library/busy)
	}
	return r
}
