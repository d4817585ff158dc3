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
	"github.com/ipafuzz/ipafuzz/gen/profile"
)

// Profiles with a meaning of their own.
const (
	DefaultProfile = profile.Mixed // of an empty Config.Profile
	FamilyProfile  = profile.Wide  // of an empty Config.Profile if Config.Family names a family of formulas
)

// ProfileInfo describes a profile to the user.
type ProfileInfo = profile.Info

// Profiles returns all profiles of formulas without quantifiers in their newest versions, mixed last.
func Profiles() []ProfileInfo { return ProfilesOf(apimodel.IPAMIR) }

// QuantifiedProfiles returns all profiles of formulas with quantifiers, mixed last.
func QuantifiedProfiles() []ProfileInfo { return ProfilesOf(apimodel.QBF) }

// ProfilesOf returns all profiles of a model in their newest versions, mixed last.
func ProfilesOf(m *apimodel.Model) []ProfileInfo { return profile.Infos(m) }

// Named returns a configuration with the profile of that name or, if there is none, the family.
func Named(name string) (Config, error) {
	for _, m := range []*apimodel.Model{apimodel.IPAMIR, apimodel.QBF, apimodel.WCNF, apimodel.CNF} {
		if _, err := profile.Chosen(name, m); err == nil {
			return Config{Profile: name}, nil
		}
		if _, err := familyNamed(name, m); err == nil {
			return Config{Family: name}, nil
		}
	}
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	for _, f := range family.All()[1:] { // tiny is a profile too
		names = append(names, f.Name)
	}
	return Config{}, &ConfigError{
		fmt.Errorf("unknown profile or family %q; want one of %s", name, strings.Join(names, ", "))}
}

// A choice has the profiles of a configuration, each with its families and schedules.
type choice struct {
	ready  []readyProfile
	shares uint32 // sum of the shares of ready
}

// A readyProfile is a profile that is prepared for a configuration.
type readyProfile struct {
	*profile.Profile
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
	chosen, err := profile.Chosen(c.ProfileName(), c.Model)
	if err != nil {
		return all, err
	}
	for _, p := range chosen {
		ready := readyProfile{Profile: p, title: p.String(), share: max(p.Share, 1), thresholds: p.Thresholds()}
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
	chosen, err := profile.Chosen(c.ProfileName(), c.Model)
	if err != nil || len(chosen) > 1 {
		return ""
	}
	without, _ := feature.Parse(c.Without)
	possible := feature.Possible(c.Model, d)
	for _, f := range chosen[0].About {
		switch {
		case without.Has(f):
			return fmt.Sprintf("the profile %s is about %s, which its traces must not have", chosen[0].Name, f)
		case !possible.Has(f):
			return fmt.Sprintf("the profile %s is about %s, which the target cannot do", chosen[0].Name, f)
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
	shares := p.Families
	switch {
	case c.Family == "":
	case c.hasFamily():
		shares = []profile.FamilyShare{{Name: c.Family, Share: 1}}
	case c.Schedule != "":
		return fmt.Errorf("the family tiny has no schedules: its calls are part of it")
	default:
		shares = nil
	}
	for _, share := range shares {
		f, err := familyNamed(share.Name, c.Model)
		if err != nil {
			return err
		}
		p.families = append(p.families, readyFamily{f, share.Share})
		p.familyTotal += share.Share
	}
	return nil
}

// hasFamily reports whether the configuration names a family that makes formulas, and not their calls too.
func (c *Config) hasFamily() bool {
	return c.Family != "" && (!family.IsTiny(c.Family) || c.Model != nil && (c.Model.Quantified() || c.Model.File))
}

func familyNamed(name string, m *apimodel.Model) (*family.Family, error) {
	quantified, noQuantified := family.QuantifiedNamed(name)
	switch {
	case m.Quantified():
		return quantified, noQuantified
	case m.File:
		return family.FileNamed(name)
	}
	f, err := family.Named(name)
	if err != nil && noQuantified == nil {
		return nil, profile.OfQuantified("family", name)
	}
	return f, err
}

// neededFeatures are features without which traces of quantified formulas cannot follow a schedule.
var neededFeatures = map[family.Schedule]feature.Feature{
	family.Extending: feature.LateBlock, family.Frames: feature.Frames, family.Groups: feature.Groups,
}

// chooseSchedules sets the schedules, without those that the target cannot follow.
func (p *readyProfile) chooseSchedules(c *Config, possible feature.Set) error {
	shares := p.Schedules
	if c.Schedule != "" {
		s, err := family.ScheduleNamed(c.Schedule, c.Model)
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
		for _, s := range family.SchedulesOf(c.Model) {
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
func noSchedules(name string) error {
	var others []string
	for _, p := range profile.Of(apimodel.IPAMIR) {
		if len(p.Families) > 0 {
			others = append(others, p.Name)
		}
	}
	which := "tiny"
	if name == profile.Mixed {
		which = "mostly tiny"
	}
	return fmt.Errorf(
		"traces of the profile %s are %s, and these have no schedules: name a family, or a profile with families (%s)",
		name, which, strings.Join(others, ", "))
}

// of returns the bounds for a profile: those that the caller gave, or else its own.
func (b Bounds) of(p *readyProfile, c *Config) Bounds {
	b.MaxVars = cmp.Or(b.MaxVars, p.Bounds.MaxVars, mostVars)
	b.MaxCalls = cmp.Or(b.MaxCalls, p.Bounds.MaxCalls, defaultMaxCalls)
	if c.Model.Quantified() {
		return b
	}
	if c.Model.File { // programs refuse other weights, and a sum of 2^64-1
		b.MaxWeight = min(cmp.Or(b.MaxWeight, math.MaxInt64), math.MaxInt64)
		b.MaxSum = min(cmp.Or(b.MaxSum, math.MaxUint64), math.MaxUint64-1)
	} else if len(p.families) == 0 {
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

// KnownFeatures returns the features of a model with their rates in the profile of that name. "" is the default
// profile. The rates of mixed are averages.
func KnownFeatures(m *apimodel.Model, name string) ([]FeatureInfo, error) {
	chosen, err := profile.Chosen(cmp.Or(name, DefaultProfile), m)
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
			share := float64(max(p.Share, 1))
			rate += share * float64(p.Rate(f)) / 1000
			total += share
		}
		infos = append(infos, FeatureInfo{f.String(), rate / total, f.Doc()})
	}
	return infos, nil
}
