package gen

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// settings are the options of a description, prepared so that choosing values allocates nothing: a
// value is an index into a list of samples.
type settings struct {
	options    []settable
	exclusions [][]member
	current    [3][]uint8 // of each instance, the current sample of each option
	anytime    []int      // the options that may be set at any time
	checks     []setting  // settings with which the library checks itself
}

// A setting is a sample of an option.
type setting struct {
	option int
	sample uint8
}

type settable struct {
	name      string
	samples   []string
	usual     uint8   // the sample that is the default
	low, high uint8   // the samples at the ends of the range
	rising    []uint8 // the samples of a numeric option, in the order of their values
	exclusive []int   // the exclusions that name the option
}

// A member is a part of an exclusion. It holds while the option has one of the samples.
type member struct {
	option  int
	samples []bool // by sample
}

const mostSamples = 64

func newSettings(d *apimodel.Description) settings {
	var c settings
	if d == nil {
		return c
	}
	index := make(map[string]int)
	for i := range d.Options {
		o := &d.Options[i]
		if o.Fixed {
			continue
		}
		index[o.Name] = len(c.options)
		if o.When == apimodel.Anytime {
			c.anytime = append(c.anytime, len(c.options))
		}
		c.options = append(c.options, newSettable(o))
		if o.Checks != "" {
			at := len(c.options) - 1
			c.checks = append(c.checks, setting{at, c.options[at].find(o, o.Checks)})
		}
	}
	for _, exclusion := range d.Exclusions {
		c.addExclusion(d, exclusion, index)
	}
	for i := range c.current {
		c.current[i] = make([]uint8, len(c.options))
	}
	return c
}

func newSettable(o *apimodel.Option) settable {
	s := settable{name: o.Name, samples: slices.Clone(o.Samples())}
	s.samples = s.samples[:min(len(s.samples), mostSamples)]
	s.low, s.high = 0, uint8(len(s.samples)-1)
	if o.Kind == apimodel.Int || o.Kind == apimodel.Real {
		low, high := o.Ends()
		s.low, s.high = s.find(o, low), s.find(o, high)
	}
	s.usual = s.find(o, o.Default)
	if o.Kind == apimodel.Int || o.Kind == apimodel.Real {
		s.rising = rising(s.samples)
	}
	return s
}

// rising returns the indices of numbers in the order of their values.
func rising(samples []string) []uint8 {
	values := make([]float64, len(samples))
	order := make([]uint8, len(samples))
	for i, sample := range samples {
		values[i], _ = strconv.ParseFloat(sample, 64)
		order[i] = uint8(i)
	}
	slices.SortStableFunc(order, func(a, b uint8) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// find returns the sample with the value. If there is none, it adds one.
func (s *settable) find(o *apimodel.Option, value string) uint8 {
	at := slices.IndexFunc(s.samples, func(sample string) bool { return o.Same(sample, value) })
	if at < 0 {
		at = len(s.samples)
		s.samples = append(s.samples, value)
	}
	return uint8(at)
}

// addExclusion adds an exclusion, unless the value of a fixed option contradicts it. It omits settings
// that the value of a fixed option fulfils.
func (c *settings) addExclusion(d *apimodel.Description, exclusion apimodel.Exclusion, index map[string]int) {
	var members []member
	for _, s := range exclusion {
		o := d.Option(s.Name)
		at, free := index[s.Name]
		switch {
		case o == nil:
			return
		case !free && !o.Same(o.Default, s.Value):
			return
		case !free:
			continue
		}
		holds := make([]bool, len(c.options[at].samples))
		for i, sample := range c.options[at].samples {
			holds[i] = o.Same(sample, s.Value)
		}
		members = append(members, member{at, holds})
	}
	for _, m := range members {
		c.options[m.option].exclusive = append(c.options[m.option].exclusive, len(c.exclusions))
	}
	c.exclusions = append(c.exclusions, members)
}

// allows reports whether no exclusion holds after the option changes to the sample.
func (c *settings) allows(instance uint16, option int, sample uint8) bool {
	current := c.current[instance]
	for _, e := range c.options[option].exclusive {
		all := true
		for _, m := range c.exclusions[e] {
			at := current[m.option]
			if m.option == option {
				at = sample
			}
			all = all && m.samples[at]
		}
		if all {
			return false
		}
	}
	return true
}

// startOptions sets options of a new solver, which takes all of them. In half of the solvers, it sets those with which
// the library checks itself. If others is true, it also sets others.
func (s *instance) startOptions(g *emitter, others bool) {
	c := &g.settings
	for i := range c.options {
		c.current[s.number][i] = c.options[i].usual
	}
	switch {
	case !others:
	case g.current.Longhand:
		s.manyOptions(g)
	case g.current.Tuned:
		s.shareOfOptions(g)
	default:
		s.someOptions(g)
	}
	if len(c.checks) > 0 && g.rand.Flip() {
		for _, check := range c.checks {
			s.setOption(g, check.option, check.sample)
		}
	}
}

// someOptions sets a few options to any values, all options to any values, or all to the ends of their
// ranges.
func (s *instance) someOptions(g *emitter) {
	c := &g.settings
	r := &g.rand
	n := len(c.options)
	most := g.config.MaxCalls / 3 / g.plan.instances
	switch r.Below(8) {
	case 0: // all to anything
		for i := range min(n, most) {
			s.setOption(g, i, uint8(r.Below(uint32(len(c.options[i].samples)))))
		}
	case 1: // all to the ends
		for i := range min(n, most) {
			end := c.options[i].low
			if r.Flip() {
				end = c.options[i].high
			}
			s.setOption(g, i, end)
		}
	default:
		for range min(r.Between(1, 4), most) {
			i := int(r.Below(uint32(n)))
			s.setOption(g, i, uint8(r.Below(uint32(len(c.options[i].samples)))))
		}
	}
}

// shareOfOptions sets a random share of all options. Numbers are mostly near the least value: an interval or a limit of
// 1 lets the search of a small formula reach what usually happens after thousands of conflicts.
func (s *instance) shareOfOptions(g *emitter) {
	c := &g.settings
	r := &g.rand
	const (
		toEnds = iota
		toAnything
		nearLeast
	)
	style := [...]int{toEnds, toAnything, toAnything, nearLeast, nearLeast, nearLeast, nearLeast, nearLeast}[r.Below(8)]
	share := r.Below(1001)
	left := g.config.MaxCalls / 2 / g.plan.instances
	first := int(r.Below(uint32(len(c.options)))) // so that no option is preferred if not all fit
	for at := range c.options {
		if left == 0 {
			break
		}
		if !r.Chance(share) {
			continue
		}
		i := (first + at) % len(c.options)
		o := &c.options[i]
		sample := uint8(r.Below(uint32(len(o.samples))))
		switch {
		case style == toEnds:
			sample = [2]uint8{o.low, o.high}[r.Below(2)]
		case style == nearLeast && len(o.rising) > 0:
			sample = o.rising[min(bits.TrailingZeros64(r.Uint64()), len(o.rising)-1)]
		}
		s.setOption(g, i, sample)
		left--
	}
}

// laterOption sets one of the options that may be set at any time.
func (s *instance) laterOption(g *emitter) {
	if c := &g.settings; len(c.anytime) > 0 {
		i := c.anytime[g.rand.Below(uint32(len(c.anytime)))]
		s.setOption(g, i, uint8(g.rand.Below(uint32(len(c.options[i].samples)))))
	}
}

// setOption sets the option to a sample, unless an exclusion forbids it.
func (s *instance) setOption(g *emitter, option int, sample uint8) {
	c := &g.settings
	if !g.canSpare(1) || !c.allows(s.number, option, sample) {
		return
	}
	c.current[s.number][option] = sample
	o := &c.options[option]
	g.t.SetOption(s.number, o.name, o.samples[sample])
	g.use(feature.Options)
}
