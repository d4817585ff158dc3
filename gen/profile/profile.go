// Package profile has the profiles of traces: families, schedules, rates of features, and bounds, under a name.
package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A Profile has families, schedules, rates of features, and bounds. Every change that alters its
// traces raises its version.
type Profile struct {
	Name      string
	Version   int
	Doc       string
	Share     uint32                 // of the traces of mixed, in proportion to the other shares; 0: none
	Families  []FamilyShare          // none: tiny
	Schedules []family.ScheduleShare // none: all, with equal shares
	Rates     Rates
	Bounds    Bounds
	Repeats   bool              // clauses may name a literal three times
	Plain     bool              // variables keep their numbers, nothing is assumed, and a file keeps its clauses
	Longhand  bool              // a call for every literal of a clause, and hundreds of options
	Tuned     bool              // a share of all options is set
	Learned   int               // the most literals of clauses that learn callbacks take; 0: 5
	Solves    int               // the most solves of an instance with many-solves; 0: 10
	Formula   Bounds            // of each formula, beside those of the trace
	Dense     bool              // most traces have no gaps, but more variables than others without
	Crowd     int               // the most instances at once; 0: three, and no crowd
	About     []feature.Feature // a target without one of these cannot show what the profile is for
}

// Bounds limit a trace or a formula. 0 stands for the usual bound.
type Bounds struct{ MaxVars, MaxCalls int }

// Rates are rates of features, in a thousand.
type Rates map[feature.Feature]uint32

// A FamilyShare is a family with its share of the traces of a profile.
type FamilyShare struct {
	Name  string
	Share uint32
}

// Names of profiles.
const (
	Mixed = "mixed" // draws the profiles of its model that have a share
	Wide  = "wide"  // has every family
)

// evenly gives families equal shares.
func evenly(names ...string) []FamilyShare {
	shares := make([]FamilyShare, len(names))
	for i, name := range names {
		shares[i] = FamilyShare{name, 1}
	}
	return shares
}

func inTurn(schedules ...family.Schedule) []family.ScheduleShare {
	shares := make([]family.ScheduleShare, len(schedules))
	for i, s := range schedules {
		shares[i] = family.ScheduleShare{Schedule: s, Share: 1}
	}
	return shares
}

func with(base, changes Rates) Rates {
	merged := make(Rates, len(base)+len(changes))
	maps.Copy(merged, base)
	maps.Copy(merged, changes)
	return merged
}

// scaled returns the usual rates of all features times perMille/1000, with changes in place of
// some.
func scaled(perMille uint32, changes Rates) Rates {
	all := make(Rates, feature.Count())
	for f := range feature.Count() {
		all[f] = f.UsualRate() * perMille / 1000
	}
	return with(all, changes)
}

// String returns the name with the version.
func (p *Profile) String() string { return fmt.Sprintf("%s/%d", p.Name, p.Version) }

// Rate returns the rate of a feature, in a thousand.
func (p *Profile) Rate(f feature.Feature) uint32 {
	if rate, set := p.Rates[f]; set {
		return rate
	}
	return f.UsualRate()
}

// Thresholds returns the rates of the features in 1/65536.
func (p *Profile) Thresholds() (t [feature.Most]uint32) {
	for f := range feature.Count() {
		t[f] = p.Rate(f) * 65536 / 1000
	}
	return t
}

// Of returns all profiles of a model but mixed, in their newest versions.
func Of(m *apimodel.Model) []Profile {
	switch {
	case m.Quantified():
		return quantified
	case m.File && m.Optimizes():
		return files
	case m.File:
		return satFiles
	}
	return propositional
}

// kindOf says of which traces the profiles of a model are.
func kindOf(m *apimodel.Model) string {
	switch {
	case m.Quantified():
		return " of quantified formulas"
	case m.File:
		return " of formula files"
	}
	return ""
}

// Info describes a profile to the user.
type Info struct {
	Name     string
	Version  int
	Doc      string
	Families []string
	Share    float64 // of the traces of mixed
}

// String returns the name with the version.
func (p Info) String() string { return fmt.Sprintf("%s/%d", p.Name, p.Version) }

// Infos describes all profiles of a model, mixed last.
func Infos(m *apimodel.Model) []Info {
	var infos []Info
	profiles, total := Of(m), uint32(0)
	for i := range profiles {
		total += profiles[i].Share
	}
	for i := range profiles {
		p := &profiles[i]
		info := Info{Name: p.Name, Version: p.Version, Doc: p.Doc, Share: float64(p.Share) / float64(total)}
		for _, f := range p.Families {
			info.Families = append(info.Families, f.Name)
		}
		if len(p.Families) == 0 {
			info.Families = []string{family.Tiny}
		}
		infos = append(infos, info)
	}
	return append(infos, Info{Name: Mixed, Version: 1, Doc: "a profile for every trace, mostly cheap ones"})
}

// Chosen returns the profiles that a generator for the model draws from: the named one, or those of mixed.
func Chosen(name string, m *apimodel.Model) (chosen []*Profile, err error) {
	profiles := Of(m)
	isMixed := name == Mixed || name == Mixed+"/1"
	plain, _, _ := strings.Cut(name, "/")
	var names []string
	for i := range profiles {
		switch p := &profiles[i]; {
		case p.Name == name || p.String() == name:
			return []*Profile{p}, nil
		case isMixed && p.Share > 0:
			chosen = append(chosen, p)
		}
		names = append(names, profiles[i].Name)
	}
	switch {
	case isMixed:
		return chosen, nil
	case slices.Contains(names, plain):
		return nil, fmt.Errorf("no profile %s: there are newer versions only; leave out the version", name)
	case kindOf(m) == "" && isQuantified(name):
		return nil, OfQuantified("profile", name)
	}
	return nil, fmt.Errorf("unknown profile %q%s; the profiles are %s, %s",
		name, kindOf(m), strings.Join(names, ", "), Mixed)
}

// isQuantified reports whether a profile or a family of quantified formulas has the name.
func isQuantified(name string) bool {
	_, noFamily := family.QuantifiedNamed(name)
	isProfile := func(p Profile) bool { return p.Name == name || p.String() == name }
	return noFamily == nil || slices.ContainsFunc(quantified, isProfile)
}

// OfQuantified refuses a name that only traces of quantified formulas have.
func OfQuantified(kind, name string) error {
	return fmt.Errorf("the %s %s makes quantified formulas: choose the model qbf", kind, name)
}
