package stats

import (
	"math/bits"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// SampleStride is the stride of the generated traces whose properties are measured.
const SampleStride = 32

// A ProfileUse counts the traces of one profile, and measures every SampleStride-th.
type ProfileUse struct {
	Traces   uint64 `json:"traces"`
	Sampled  uint64 `json:"sampled"`
	WithHard uint64 `json:"with_hard"`
	WithSoft uint64 `json:"with_soft"`
	Unit     uint64 `json:"unit_weights"` // with something soft, nothing heavier than 1
	Small    uint64 `json:"small_sums"`   // with weights that add up to less than 2^32
	Calls    Range  `json:"calls"`
	Solves   Range  `json:"solves"`
	Hard     Range  `json:"hard"`
	Soft     Range  `json:"soft"`
	Vars     Range  `json:"vars"`
}

// Sample measures a trace.
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
		case apimodel.OpSoft, apimodel.OpSoftClause:
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

// JoinProfiles adds the counts in from to those in to, by profile.
func JoinProfiles(to, from map[string]*ProfileUse) {
	for name, v := range from {
		if v == nil {
			continue // a damaged file has null
		}
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

// A Range is the minimum, the maximum and the sum of a property.
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
