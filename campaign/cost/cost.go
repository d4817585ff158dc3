// Package cost learns what the traces of a target cost and what they find, by profile, family, feature,
// number of calls and largest variable. With that, a campaign runs cheap kinds of traces first, gives
// expensive ones a bounded share of the time, and tells early that a trace takes far longer than usual.
package cost

import (
	"math"
	"math/bits"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/gen/feature"
)

const (
	// expensive is the multiple of the usual time from which on a trace is expensive, and expensiveLog its binary
	// logarithm.
	expensive    = 1 << expensiveLog
	expensiveLog = 4
	// presumed is the least largest variable of traces that count as expensive before any has run: many
	// libraries have tables of that size.
	presumed     = 1 << 24
	presumedTime = 200 * time.Millisecond
	// fading is the search time after which earlier costs count half.
	fading = 30 * time.Second

	// Quiet is how long the search must have found nothing new before it runs expensive traces.
	Quiet = 5 * time.Second
	// Share bounds the share of the time for expensive traces; provenShare bounds it for kinds that have
	// found something.
	Share, provenShare = 0.1, 1.0 / 3
)

// A Sample is a trace that ran, and the time that it took in the library.
type Sample struct {
	Kind
	Took time.Duration
	// Longest is the longest part of Took for which a time limit holds: a program that reads a file has the
	// whole limit for each of its runs. 0: all of Took.
	Longest  time.Duration
	Grew     uint64        // growth of the process's peak memory, in KiB
	Cut      bool          // it was set aside
	Answered time.Duration // by its solves that ended
	Solves   int           // their number
	First    bool          // it was the first trace of its process
}

// Memory costs more time than the trace takes: the system fills pages with zeros and takes them back, and a
// process that has grown too large is replaced.
const (
	pricePerKB = 250 * time.Millisecond / (1 << 20)
	// littleKB is memory that any trace may need.
	littleKB = 64 << 10
)

func (s *Sample) cost() time.Duration {
	took := max(s.Took, 1)
	if s.Grew > littleKB {
		took += time.Duration(s.Grew) * pricePerKB
	}
	return took
}

// Costs are the costs of the traces of one target. They are safe for concurrent use.
type Costs struct {
	mu       sync.Mutex
	all      part
	features [feature.Most]part
	calls    [classes]part
	largest  [classes]part
	heaviest [weightClasses]part
	assumed  [assumedClasses]part
	profiles map[string]*part
	families map[string]*part
	dear     time.Duration // spent on expensive traces, fading
	total    time.Duration // spent on all traces, fading
	cut      time.Duration // spent on traces that were set aside, fading
	extras   []extra
	tried    time.Duration // by the slowest call that ran alone, while little was known
	patience int           // how often the limit was doubled, because traces that were set aside ended
	waited   int           // traces in a row that Postpone made wait because their kinds are set aside often
	widest   float64       // variable above which tables exceed the memory limit; 0: unknown
	shares   float64       // sum of the binary logarithms of the shares that Longest had of Took, in traces that ended
	shared   float64       // number of these traces
	firsts   part          // the first traces of processes
	begun    part          // traces that were set aside, as far as their solves ended
	solves   solves
	grown    uint64 // the most memory that a trace needed, in KiB, if it was not set aside
}

// An extra is what is known about an extra profile.
type extra struct {
	profile string
	spent   time.Duration // on its traces, fading
	grew    bool          // one of its traces showed something new

	postponed uint64
}

// classes is the number of classes of calls and of largest variables. Each class spans a
// factor of 16.
const classes = 8

func classOf[N int | uint32](n N) int { return bits.Len32(uint32(n)) / 4 % classes }

// weightClasses is the number of classes of weights, which also span a factor of 16.
const weightClasses = 17

func classOfWeight(w uint64) int { return bits.Len64(w) / 4 }

// assumedClasses is the number of classes of assumptions: one for each number, and the last for all larger
// ones.
const assumedClasses = 16

// A part sums up traces that have something in common.
type part struct {
	traces float64
	logs   float64 // sum of the binary logarithms of their times in nanoseconds
	news   int     // traces that showed something new

	// ended and endedLogs are traces and logs without the traces that were set aside.
	ended, endedLogs float64

	spent time.Duration // time in the library and on follow-ups
	owed  float64       // traces that may run although their profile finds little

	// Only Uses tells these.
	followUps time.Duration // the part of spent on follow-ups
	again     uint64        // traces that were counted again because they ended after all
	findings  uint64
	postponed uint64 // traces that did not run
	why       string // the last of them
}

// mean returns the geometric mean of the times, as a logarithm. Unlike the arithmetic mean, it hardly rises for
// a few traces that are expensive for another reason.
func (p *part) mean() float64 {
	if p.traces == 0 {
		return unknown
	}
	return p.logs / p.traces
}

// endedMean is like mean for the traces that ended. The time after which a trace was set aside says nothing about
// the usual one.
func (p *part) endedMean() float64 {
	if p.ended == 0 {
		return unknown
	}
	return p.endedLogs / p.ended
}

// unknown is the logarithm of an unknown time. It is less than any other.
var unknown = math.Inf(-1)

// timeOf returns the time of a logarithm; 0 if it is unknown.
func timeOf(log float64) time.Duration { return time.Duration(math.Exp2(log)) }

// doubt is the number of traces of the usual time that are added to a part for its mean, so that one slow
// trace does not make the whole part expensive.
const doubt = 4

// usual returns the geometric mean of the times of the traces that ended, as a logarithm. Those that were set aside
// do not count: if they end when they run alone, Ended adds them.
func (c *Costs) usual(p *part) float64 {
	if c.known() == 0 {
		return unknown
	}
	return (p.endedLogs + doubt*c.usualOfAll()) / (p.ended + doubt)
}

// known returns the number of traces that say what is usual: those that ended. While these are few, because nearly
// all traces hang, those count, too, in which a solve ended before they were set aside.
func (c *Costs) known() float64 {
	if c.all.ended >= firstTraces {
		return c.all.ended
	}
	return c.all.ended + c.begun.ended
}

// usualOfAll returns the geometric mean of the times of these traces, as a logarithm.
func (c *Costs) usualOfAll() float64 {
	if c.all.ended >= firstTraces || c.begun.ended == 0 {
		return c.all.endedMean()
	}
	return (c.all.endedLogs + c.begun.endedLogs) / (c.all.ended + c.begun.ended)
}

// New returns costs without samples.
func New() *Costs { return &Costs{profiles: make(map[string]*part), families: make(map[string]*part)} }

// parts calls do for each part to which the kind belongs.
func (c *Costs) parts(k *Kind, do func(*part)) {
	for set := uint64(k.Features); set != 0; set &= set - 1 {
		do(&c.features[bits.TrailingZeros64(set)])
	}
	do(&c.calls[classOf(k.Calls)])
	do(&c.largest[classOf(k.Largest)])
	do(&c.heaviest[classOfWeight(k.Heaviest)])
	do(&c.assumed[min(k.Assumed, assumedClasses-1)])
	if k.Profile != "" {
		do(named(c.profiles, k.Profile))
	}
	if k.Family != "" {
		do(named(c.families, k.Family))
	}
}

func named(parts map[string]*part, name string) *part {
	p := parts[name]
	if p == nil {
		p = new(part)
		parts[name] = p
	}
	return p
}

// Ran adds samples.
func (c *Costs) Ran(samples []Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range samples {
		s := &samples[i]
		took := s.cost()
		dear := !s.hasOwnBound() && c.isCostly(&s.Kind)
		log := math.Log2(float64(took))
		if !s.Cut {
			c.grown = max(c.grown, s.Grew)
			c.shared++
			if s.Longest > 0 && s.Longest < s.Took {
				c.shares += math.Log2(float64(s.Longest) / float64(s.Took))
			}
		}
		c.parts(&s.Kind, func(p *part) { p.ran(took, log, s.Cut) })
		c.all.ran(took, log, s.Cut)
		if s.First {
			c.firsts.ran(took, log, s.Cut)
		}
		if s.Cut && s.Answered > 0 {
			c.begun.ran(s.Answered, math.Log2(float64(s.Answered)), false)
		}
		c.solves.add(s.Solves, s.Answered)
		left := math.Exp2(-float64(took) / float64(fading))
		c.total = time.Duration(float64(c.total)*left) + took
		if c.dear = time.Duration(float64(c.dear) * left); dear {
			c.dear += took
		}
		if c.cut = time.Duration(float64(c.cut) * left); s.Cut {
			c.cut += took
		}
		for i := range c.extras {
			e := &c.extras[i]
			e.spent = time.Duration(float64(e.spent) * left)
		}
		if s.Extra != (Extra{}) {
			c.extraOf(s.Extra).spent += took
		}
	}
}

func (p *part) ran(took time.Duration, log float64, cut bool) {
	p.traces, p.logs, p.spent = p.traces+1, p.logs+log, p.spent+took
	if !cut {
		p.ended, p.endedLogs = p.ended+1, p.endedLogs+log
	}
}

// Found records that a trace of the kind showed something new.
func (c *Costs) Found(k Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.news++
	if k.Extra != (Extra{}) {
		c.extraOf(k.Extra).grew = true
	}
	c.parts(&k, func(p *part) { p.news++ })
}

// PostponeExtra reports whether to generate no trace of an extra profile now, because its traces have used up their
// part of the time. Each profile has a part of its own, so that one with long traces does not take that of the others.
func (c *Costs) PostponeExtra(x Extra) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, share := c.extraOf(x), Share
	if e.grew {
		share = provenShare
	}
	if float64(e.spent) <= share*x.Part*float64(c.total) {
		return false
	}
	e.postponed++
	return true
}

// SpentOnExtra adds the time for generating or judging a trace of an extra profile. Other traces take so
// little that it does not count.
func (c *Costs) SpentOnExtra(x Extra, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extraOf(x).spent += took
	c.total += took
}

func (c *Costs) extraOf(x Extra) *extra {
	for i := range c.extras { // a handful
		if c.extras[i].profile == x.Profile {
			return &c.extras[i]
		}
	}
	c.extras = append(c.extras, extra{profile: x.Profile})
	return &c.extras[len(c.extras)-1]
}

// FollowedUp adds the time for following up on a trace of the kind.
func (c *Costs) FollowedUp(k Kind, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	followedUp := func(p *part) { p.spent, p.followUps = p.spent+took, p.followUps+took }
	followedUp(&c.all)
	if k != (Kind{}) { // it is unknown
		c.parts(&k, followedUp)
	}
}

// UsualOfAll returns the usual time of the most expensive of the given kinds; 0 if it is unknown.
func (c *Costs) UsualOfAll(kinds []Kind) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	most, least := unknown, time.Duration(0)
	for i := range kinds {
		c.parts(&kinds[i], func(p *part) { most = max(most, c.usual(p)) })
		if c.isPresumed(&kinds[i]) {
			least = presumedTime
		}
	}
	return max(timeOf(most), least)
}

// Usual returns the usual time of all traces.
func (c *Costs) Usual() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return timeOf(c.usualOfAll())
}

// price returns the usual time of traces of this kind, whether they end or are set aside, as a logarithm.
func (c *Costs) price(k *Kind) float64 {
	most := unknown
	c.parts(k, func(p *part) { most = max(most, p.mean()) })
	return most
}

// isPresumed reports whether a trace counts as expensive before any of its kind has run.
func (c *Costs) isPresumed(k *Kind) bool {
	return k.Largest >= presumed && c.largest[classOf(k.Largest)].traces == 0
}

// costlyLog is the logarithm of the price from which on a kind is expensive: it must also exceed that of all traces
// clearly, or a target in which many traces are set aside would have no others.
func (c *Costs) costlyLog() float64 { return max(c.all.endedMean()+expensiveLog, c.all.mean()+1) }

func (c *Costs) isCostly(k *Kind) bool {
	return c.isPresumed(k) || c.all.traces >= expensive && c.price(k) > c.costlyLog()
}
