package gen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A choice has the profiles of a configuration, each with its families and schedules.
type choice struct {
	ready  []readyProfile
	shares uint32 // sum of the shares of ready
}

// A readyProfile is a profile that is prepared for a configuration.
type readyProfile struct {
	*profile
	title         string // its name and version
	share         uint32
	bounds        Bounds
	thresholds    [feature.Most]uint32
	families      []readyFamily // none: tiny
	familyTotal   uint32
	schedules     []family.ScheduleShare
	scheduleTotal uint32
}

type readyFamily struct {
	family *family.Family
	share  uint32
}

// newChoice finds the profiles by name and sets their bounds.
func newChoice(c *Config, asked Bounds, possible feature.Set) (all choice, err error) {
	chosen, err := chosenProfiles(c.ProfileName(), c.Model.Quantified())
	if err != nil {
		return all, err
	}
	for _, p := range chosen {
		ready := readyProfile{profile: p, title: p.String(), share: max(p.share, 1), thresholds: p.thresholds()}
		if err := ready.chooseFamilies(c); err != nil {
			return all, err
		}
		if err := ready.chooseSchedules(c, possible); err != nil {
			return all, err
		}
		ready.bounds = asked.of(&ready, c)
		all.ready = append(all.ready, ready)
		all.shares += ready.share
	}
	return all, nil
}

// Beyond says what the chosen profile is about, if the described target cannot do it or the traces must leave it out;
// "" if neither is so. They would be traces, but not those that the user asked for.
func (c *Config) Beyond(d *apimodel.Description) string {
	chosen, err := chosenProfiles(c.ProfileName(), c.Model.Quantified())
	if err != nil || len(chosen) > 1 {
		return ""
	}
	without, _ := feature.Parse(c.Without)
	possible := feature.Possible(c.Model, d)
	for _, f := range chosen[0].about {
		switch {
		case without.Has(f):
			return fmt.Sprintf("the profile %s is about %s, which its traces must not have", chosen[0].name, f)
		case !possible.Has(f):
			return fmt.Sprintf("the profile %s is about %s, which the target cannot do", chosen[0].name, f)
		}
	}
	return ""
}

// features returns the features that traces may draw.
func (c *choice) features() (set feature.Set) {
	for i := range c.ready {
		for f := range feature.Count() {
			if c.ready[i].thresholds[f] > 0 {
				set |= 1 << f
			}
		}
	}
	return set
}

func (p *readyProfile) chooseFamilies(c *Config) error {
	shares := p.profile.families
	switch {
	case c.Family == "":
	case c.Model.Quantified() || !family.IsTiny(c.Family):
		shares = []familyShare{{c.Family, 1}}
	case c.Schedule != "":
		return fmt.Errorf("the family tiny has no schedules: its calls are part of it")
	default:
		shares = nil
	}
	for _, share := range shares {
		f, err := familyNamed(share.name, c.Model.Quantified())
		if err != nil {
			return err
		}
		p.families = append(p.families, readyFamily{f, share.share})
		p.familyTotal += share.share
	}
	return nil
}

func familyNamed(name string, quantified bool) (*family.Family, error) {
	other, noOther := family.QuantifiedNamed(name)
	if quantified {
		return other, noOther
	}
	f, err := family.Named(name)
	if err != nil && noOther == nil {
		return nil, ofQuantified("family", name)
	}
	return f, err
}

// neededFeatures are features without which traces of quantified formulas cannot follow a schedule.
var neededFeatures = map[family.Schedule]feature.Feature{
	family.Extending: feature.LateBlock, family.Frames: feature.Frames, family.Groups: feature.Groups,
}

// chooseSchedules sets the schedules, without those that the target cannot follow.
func (p *readyProfile) chooseSchedules(c *Config, possible feature.Set) error {
	shares := p.profile.schedules
	if c.Schedule != "" {
		s, err := family.ScheduleNamed(c.Schedule, c.Model.Quantified())
		if err != nil {
			return err
		}
		if len(p.families) == 0 {
			return noSchedules(c.ProfileName())
		}
		shares = []family.ScheduleShare{{Schedule: s, Share: 1}}
	}
	isImpossible := func(s family.ScheduleShare) bool {
		needs, any := neededFeatures[s.Schedule]
		return any && !possible.Has(needs)
	}
	p.schedules = slices.DeleteFunc(slices.Clone(shares), isImpossible)
	switch {
	case len(p.schedules) > 0:
	case c.Schedule != "":
		return fmt.Errorf("the schedule %s needs the feature %s, which is switched off or beyond the target",
			c.Schedule, neededFeatures[shares[0].Schedule])
	default:
		for _, s := range family.Schedules(c.Model.Quantified()) {
			if s != family.Falsification { // the traces of profiles without a list would change
				p.schedules = append(p.schedules, family.ScheduleShare{Schedule: s, Share: 1})
			}
		}
		p.schedules = slices.DeleteFunc(p.schedules, isImpossible)
	}
	for _, s := range p.schedules {
		p.scheduleTotal += s.Share
	}
	return nil
}

// noSchedules returns the error for a schedule of a profile with tiny traces, which have none.
func noSchedules(profile string) error {
	var others []string
	for i := range profiles {
		if len(profiles[i].families) > 0 {
			others = append(others, profiles[i].name)
		}
	}
	which := "tiny"
	if profile == mixedName {
		which = "mostly tiny"
	}
	return fmt.Errorf(
		"traces of the profile %s are %s, and these have no schedules: name a family, or a profile with families (%s)",
		profile, which, strings.Join(others, ", "))
}

// of returns the bounds for a profile: those that the caller gave, or else its own.
func (b Bounds) of(p *readyProfile, c *Config) Bounds {
	b.MaxVars = cmp.Or(b.MaxVars, p.profile.bounds.MaxVars, mostVars)
	b.MaxCalls = cmp.Or(b.MaxCalls, p.profile.bounds.MaxCalls, defaultMaxCalls)
	if c.Model.Quantified() {
		return b
	}
	if len(p.families) == 0 {
		b.MaxVars = min(b.MaxVars, mostVars)
	}
	b.MaxWeight = cmp.Or(b.MaxWeight, math.MaxUint64)
	b.MaxSum = cmp.Or(b.MaxSum, math.MaxUint64)
	if d := c.Description; d != nil && d.Policy("weight") == "below-2^63" { // with no target, all may be made
		b.MaxWeight = min(b.MaxWeight, math.MaxInt64)
	}
	if c.Description.Policy("weight-sum") == "below-2^63" {
		b.MaxSum = min(b.MaxSum, math.MaxInt64)
	}
	return b
}

func (c *choice) first() (*readyProfile, *family.Family) {
	p := &c.ready[0]
	if len(p.families) == 0 {
		return p, nil
	}
	return p, p.families[0].family
}

// pick draws the profile and the family of the trace of a seed. The family is nil for tiny.
func (c *choice) pick(seed uint64) (p *readyProfile, f *family.Family) {
	p, f = c.first()
	if len(c.ready) > 1 {
		r := draw.New(draw.Mix(seed + draw.Golden))
		n := r.Below(c.shares)
		for i := range c.ready {
			if p = &c.ready[i]; n < p.share {
				break
			}
			n -= p.share
		}
	}
	if len(p.families) == 0 {
		return p, nil
	}
	r := draw.New(draw.Mix(seed ^ draw.Golden))
	n := r.Below(p.familyTotal)
	for i := range p.families {
		if f = p.families[i].family; n < p.families[i].share {
			break
		}
		n -= p.families[i].share
	}
	return p, f
}

// FeatureInfo describes a feature to the user.
type FeatureInfo struct {
	Name string
	Rate float64 // the share of traces in which it may happen
	Doc  string
}

// KnownFeatures returns the features of a model with their rates in a profile. "" is the default
// profile. The rates of mixed are averages.
func KnownFeatures(m *apimodel.Model, profile string) ([]FeatureInfo, error) {
	chosen, err := chosenProfiles(cmp.Or(profile, DefaultProfile), m.Quantified())
	if err != nil {
		return nil, err
	}
	features := feature.Quantified
	if !m.Quantified() {
		features = feature.All().List()
		features = slices.DeleteFunc(features, func(f feature.Feature) bool { return !f.In(m) })
	}
	var infos []FeatureInfo
	for _, f := range features {
		rate, total := 0.0, 0.0
		for _, p := range chosen {
			share := float64(max(p.share, 1))
			rate += share * float64(p.rate(f)) / 1000
			total += share
		}
		infos = append(infos, FeatureInfo{f.String(), rate / total, f.Doc()})
	}
	return infos, nil
}
