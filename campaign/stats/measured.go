package stats

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// SampleStride is how often the properties of a generated trace are measured.
const SampleStride = 32

// mostKeys bounds the keys in Firsts, so that memory does not grow with the run.
const mostKeys = 1 << 14

// Measures are what a run counts for its report. Every lane has its own, which is
// added to the campaign's with every batch.
type Measures struct {
	Targets  []TargetUse            `json:"targets,omitempty"`
	Profiles map[string]*ProfileUse `json:"profiles,omitempty"` // by name and version
	// Firsts: for the keys of confirmed findings, which profiles showed them.
	Firsts map[oracle.Key]map[string]First `json:"firsts,omitempty"`
}

// TargetUse is what the traces took of one target.
type TargetUse struct {
	Target      string  `json:"target"`
	Traces      uint64  `json:"traces"`
	Died        uint64  `json:"died"` // by a signal or an exit
	OutOfTime   uint64  `json:"out_of_time"`
	OutOfMemory uint64  `json:"out_of_memory"`
	OutOfOutput uint64  `json:"out_of_output"`
	CPU         float64 `json:"cpu_seconds"`
	Wall        float64 `json:"wall_seconds"`
	Slowest     float64 `json:"slowest_seconds"`
	PeakKB      uint64  `json:"peak_kb"`
	// Times counts traces by wall time: Times[i] of them took less than 2^i us.
	Times []uint64 `json:"times,omitempty"`
}

// ProfileUse is what one profile generated: all traces, and the properties of
// every sampleStride-th.
type ProfileUse struct {
	Traces   uint64 `json:"traces"`
	Sampled  uint64 `json:"sampled"`
	WithHard uint64 `json:"with_hard"`
	WithSoft uint64 `json:"with_soft"`
	Unit     uint64 `json:"unit_weights"` // with soft literals, none of which weighs more than 1
	Small    uint64 `json:"small_sums"`   // with soft literals whose weights add up to less than 2^32
	Calls    Range  `json:"calls"`
	Solves   Range  `json:"solves"`
	Hard     Range  `json:"hard"`
	Soft     Range  `json:"soft"`
	Vars     Range  `json:"vars"`
}

// A Range is the least, the greatest and the sum of a property.
type Range struct {
	Min uint64 `json:"min"`
	Max uint64 `json:"max"`
	Sum uint64 `json:"sum"`
}

func (r *Range) add(n uint64, first bool) {
	if first || n < r.Min {
		r.Min = n
	}
	r.Max = max(r.Max, n)
	r.Sum += n
}

func (r *Range) join(o Range, empty bool) {
	if empty || o.Min < r.Min {
		r.Min = o.Min
	}
	r.Max = max(r.Max, o.Max)
	r.Sum += o.Sum
}

// A First says when a profile showed a finding first, and how often it did.
type First struct {
	Hits    uint64  `json:"hits"`
	Traces  uint64  `json:"after_traces"`
	Seconds float64 `json:"after_seconds"`
}

// Ran counts the run of a trace on a target.
func (m *Measures) Ran(who int, run *trace.Run) {
	u := &m.Targets[who]
	u.Traces++
	switch run.End {
	case trace.Killed, trace.Exited:
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

func (p *ProfileUse) Sample(t *trace.Trace) {
	var hard, soft, heaviest, sum, top uint64
	huge := false
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Op {
		case apimodel.OpClause:
			if c.Flags&trace.Open == 0 {
				hard++
			}
		case apimodel.OpSoft:
			soft++
			heaviest = max(heaviest, c.Num)
			var carry uint64
			sum, carry = bits.Add64(sum, c.Num, 0)
			huge = huge || carry > 0
		}
	}
	for _, lit := range t.Lits {
		top = max(top, uint64(trace.Var(lit)))
	}
	first := p.Sampled == 0
	p.Sampled++
	count := func(n *uint64, is bool) {
		if is {
			*n++
		}
	}
	count(&p.WithHard, hard > 0)
	count(&p.WithSoft, soft > 0)
	count(&p.Unit, soft > 0 && heaviest <= 1)
	count(&p.Small, soft > 0 && !huge && sum < 1<<32)
	p.Calls.add(uint64(len(t.Calls)), first)
	p.Solves.add(uint64(t.Solves()), first)
	p.Hard.add(hard, first)
	p.Soft.add(soft, first)
	p.Vars.add(top, first)
}

// Add adds up what two lanes counted.
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

// Reset makes the measures those of nothing, and keeps the memory.
func (m *Measures) Reset() {
	for i := range m.Targets {
		u := &m.Targets[i]
		times := u.Times
		clear(times)
		*u = TargetUse{Target: u.Target, Times: times}
	}
	clear(m.Firsts)
}

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

// Joined adds the measures of another part of the campaign, nil: none.
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
	return m
}

func JoinProfiles(to, from map[string]*ProfileUse) {
	for name, v := range from {
		p := to[name]
		if p == nil {
			p = new(ProfileUse)
			to[name] = p
		}
		p.join(v)
	}
}

func (p *ProfileUse) join(v *ProfileUse) {
	empty := p.Sampled == 0
	p.Traces += v.Traces
	p.Sampled += v.Sampled
	p.WithHard += v.WithHard
	p.WithSoft += v.WithSoft
	p.Unit += v.Unit
	p.Small += v.Small
	if v.Sampled == 0 {
		return
	}
	for _, pair := range []struct {
		to   *Range
		from Range
	}{{&p.Calls, v.Calls}, {&p.Solves, v.Solves}, {&p.Hard, v.Hard}, {&p.Soft, v.Soft}, {&p.Vars, v.Vars}} {
		pair.to.join(pair.from, empty)
	}
}
