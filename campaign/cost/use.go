package cost

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// Why traces are put off.
const (
	tooWide   = "their tables exceed the memory limit"
	oftenCut  = "they often take too long; less than 5 % of the time is for such traces"
	waitsFor  = "they are expensive, and wait until cheaper ones find nothing new"
	hadShare  = "they are expensive, and have had 10 % of the time"
	hadThird  = "they are expensive, and have had a third of the time"
	poorYield = "they find little for their time"
	extraFull = "they are large, and have had their part of the time"
)

// putOff counts a trace that waits, for the parts that are the reason.
func (c *Costs) putOff(k *Kind, why string) {
	c.all.postponed++
	blame := func(p *part) bool { return p.traces > 0 && p.mean() > c.costlyLog() }
	switch why {
	case tooWide:
		c.largest[classOf(k.Largest)].wait(why)
		return
	case poorYield:
		c.profiles[k.Profile].wait(why)
		return
	case oftenCut:
		blame = c.isCutOften
	}
	if why != oftenCut && c.isPresumed(k) {
		c.largest[classOf(k.Largest)].wait(why)
	}
	c.parts(k, func(p *part) {
		if blame(p) {
			p.wait(why)
		}
	})
}

func (p *part) wait(why string) { p.postponed, p.why = p.postponed+1, why }

// Confirmed records that a trace of the kind showed a finding first.
func (c *Costs) Confirmed(k Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.findings++
	c.parts(&k, func(p *part) { p.findings++ })
}

// Uses returns what all traces of the target cost, then what those of each kind did, without kinds that did not occur.
func (c *Costs) Uses(target string) []stats.KindUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []stats.KindUse
	add := func(by, kind string, p *part) {
		if p.traces == 0 && p.postponed == 0 {
			return
		}
		all = append(all, stats.KindUse{Target: target, By: by, Kind: kind, Traces: uint64(p.traces) - p.again,
			SetAside: uint64(p.traces - p.ended), Library: p.spent - p.followUps, FollowUps: p.followUps,
			News: uint64(p.news), Findings: p.findings, PutOff: p.postponed, Why: p.why})
	}
	add("", "", &c.all)
	for _, name := range slices.Sorted(maps.Keys(c.profiles)) {
		add("profile", name, c.profiles[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.families)) {
		add("family", name, c.families[name])
	}
	for f := range feature.Count() {
		add("feature", f.String(), &c.features[f])
	}
	for i := range c.calls {
		add("calls", classText(i, classes-1), &c.calls[i])
	}
	for i := range c.largest {
		add("largest variable", classText(i, classes-1), &c.largest[i])
	}
	for i := range c.heaviest {
		add("largest weight", classText(i, weightClasses-1), &c.heaviest[i])
	}
	for i := range c.assumed {
		text := fmt.Sprint(i)
		if i == assumedClasses-1 {
			text += " or more"
		}
		add("most assumptions", text, &c.assumed[i])
	}
	for i := range c.extras {
		if e := &c.extras[i]; e.postponed > 0 {
			all = append(all, stats.KindUse{Target: target, By: "larger traces", Kind: e.profile, PutOff: e.postponed,
				Why: extraFull})
		}
	}
	return all
}

// classText describes the numbers of a class, each of which spans a factor of 16. last is the last class.
func classText(class, last int) string {
	const legible = 3 // from here on, powers of two are easier to read than numbers
	switch {
	case class == last:
		return fmt.Sprintf("2^%d or more", 4*class-1)
	case class == 0:
		return "0 to 7"
	case class < legible:
		return fmt.Sprintf("%d to %d", 1<<(4*class-1), 1<<(4*class+3)-1)
	}
	return fmt.Sprintf("2^%d to 2^%d", 4*class-1, 4*class+3)
}
