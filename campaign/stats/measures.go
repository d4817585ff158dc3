package stats

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostKeys bounds the keys in Firsts, and so its memory.
const mostKeys = 1 << 14

// Measures are what a campaign counts for its report. Every lane has its own; the campaign adds them up
// after each batch.
type Measures struct {
	Targets  []TargetUse            `json:"targets,omitempty"`
	Profiles map[string]*ProfileUse `json:"profiles,omitempty"` // by name and version
	// Firsts says, for each key of a finding, which profiles showed it and when.
	Firsts map[oracle.Key]map[string]First `json:"firsts,omitempty"`
	// Kinds says what the kinds of traces cost. Lanes leave it empty.
	Kinds []KindUse `json:"kinds,omitempty"`
}

// A TargetUse counts the traces that one target ran, and their time and memory.
type TargetUse struct {
	Target      string  `json:"target"`
	Traces      uint64  `json:"traces"`
	Died        uint64  `json:"died"` // traces whose process ended by a signal or an exit
	OutOfTime   uint64  `json:"out_of_time"`
	OutOfMemory uint64  `json:"out_of_memory"`
	OutOfOutput uint64  `json:"out_of_output"`
	CPU         float64 `json:"cpu_seconds"`
	Wall        float64 `json:"wall_seconds"`
	Slowest     float64 `json:"slowest_seconds"`
	PeakKB      uint64  `json:"peak_kb"`
	// Times is a histogram of wall time: Times[i] counts the traces that took from 2^(i-1) to less than 2^i
	// us.
	Times []uint64 `json:"times,omitempty"`
}

// A First says when a profile first showed a finding, and how often it has.
type First struct {
	Hits    uint64  `json:"hits"`
	Traces  uint64  `json:"after_traces"`
	Seconds float64 `json:"after_seconds"`
}

// Ran counts the run of a trace on a target, given by its index.
func (m *Measures) Ran(target int, run *trace.Run) {
	u := &m.Targets[target]
	u.Traces++
	switch run.End {
	case trace.Killed, trace.Exited, trace.Deadlocked:
		u.Died++
	case trace.OutOfTime, trace.OutOfCPU:
		u.OutOfTime++
	case trace.OutOfMemory:
		u.OutOfMemory++
	case trace.OutOfOutput:
		u.OutOfOutput++
	}
	wall := time.Duration(run.Usage.WallNanos)
	u.CPU += time.Duration(run.Usage.CPUNanos).Seconds()
	u.Wall += wall.Seconds()
	u.Slowest = max(u.Slowest, wall.Seconds())
	u.PeakKB = max(u.PeakKB, run.Usage.PeakKB)
	bucket := bits.Len64(uint64(wall.Microseconds()))
	for len(u.Times) <= bucket {
		u.Times = append(u.Times, 0)
	}
	u.Times[bucket]++
}

// Add adds the measures of a lane. Both must have the same targets.
func (m *Measures) Add(o *Measures) {
	for i := range o.Targets {
		u, v := &m.Targets[i], &o.Targets[i]
		u.Traces += v.Traces
		u.Died += v.Died
		u.OutOfTime += v.OutOfTime
		u.OutOfMemory += v.OutOfMemory
		u.OutOfOutput += v.OutOfOutput
		u.CPU += v.CPU
		u.Wall += v.Wall
		u.Slowest = max(u.Slowest, v.Slowest)
		u.PeakKB = max(u.PeakKB, v.PeakKB)
		for len(u.Times) < len(v.Times) {
			u.Times = append(u.Times, 0)
		}
		for k := range v.Times {
			u.Times[k] += v.Times[k]
		}
	}
	for key, of := range o.Firsts {
		if m.Firsts[key] == nil {
			if len(m.Firsts) >= mostKeys {
				continue
			}
			m.Firsts[key] = make(map[string]First)
		}
		for profile, f := range of {
			sum, known := m.Firsts[key][profile]
			if !known || f.Seconds < sum.Seconds {
				sum.Traces, sum.Seconds = f.Traces, f.Seconds
			}
			sum.Hits += f.Hits
			m.Firsts[key][profile] = sum
		}
	}
}

// Reset sets all counts to 0 and keeps the memory.
func (m *Measures) Reset() {
	for i := range m.Targets {
		u := &m.Targets[i]
		times := u.Times
		clear(times)
		*u = TargetUse{Target: u.Target, Times: times}
	}
	clear(m.Firsts)
}

// Clone returns a copy without the profiles, which are counted by cell.
func (m *Measures) Clone() *Measures {
	copied := &Measures{Targets: slices.Clone(m.Targets), Firsts: make(map[oracle.Key]map[string]First)}
	for i := range copied.Targets {
		copied.Targets[i].Times = slices.Clone(m.Targets[i].Times)
	}
	for key, of := range m.Firsts {
		copied.Firsts[key] = maps.Clone(of)
	}
	return copied
}

// Joined returns m with the measures of another shard added. Either may be nil.
func (m *Measures) Joined(o *Measures) *Measures {
	if o == nil {
		return m
	}
	if m == nil {
		m = &Measures{Profiles: make(map[string]*ProfileUse), Firsts: make(map[oracle.Key]map[string]First)}
		for i := range o.Targets {
			m.Targets = append(m.Targets, TargetUse{Target: o.Targets[i].Target})
		}
	}
	m.Add(o)
	JoinProfiles(m.Profiles, o.Profiles)
	m.Kinds = JoinKinds(m.Kinds, o.Kinds)
	return m
}
