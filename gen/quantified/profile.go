package quantified

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A schedule says how a formula spreads over the solves of a solver.
type schedule uint8

const (
	oneShot schedule = iota
	addAndSolve
	sweep
	grow
	frames
	groups
	numSchedules
)

// scheduleTable gives each schedule its name and the feature that it needs.
var scheduleTable = [numSchedules]struct {
	name, doc string
	needs     feature.Feature
}{
	oneShot:     {"one-shot", "the whole formula, one solve", feature.Count},
	addAndSolve: {"add-and-solve", "a part of the clauses before every solve", feature.Count},
	sweep: {"assume-only", "the whole formula, then solves that differ by their assumptions alone: one literal, its " +
		"negation, all signs of a few variables", feature.Count},
	grow: {"extended-prefix", "blocks and variables come in stages, each with the clauses that need no later ones",
		feature.LateBlock},
	frames: {"frames", "a walk in the tree of frames: push with a part of the clauses, pop, solve", feature.Frames},
	groups: {"groups", "clauses in groups that are opened again, deactivated, activated and deleted", feature.Groups},
}

// String returns the name of the schedule.
func (s schedule) String() string { return scheduleTable[s].name }

// ScheduleInfo describes a schedule to the user.
type ScheduleInfo struct{ Name, Doc string }

// Schedules returns all schedules.
func Schedules() []ScheduleInfo {
	infos := make([]ScheduleInfo, 0, numSchedules)
	for s := range numSchedules {
		infos = append(infos, ScheduleInfo{scheduleTable[s].name, scheduleTable[s].doc})
	}
	return infos
}

func scheduleNamed(name string) (schedule, error) {
	names := make([]string, 0, numSchedules)
	for s := range numSchedules {
		if scheduleTable[s].name == name {
			return s, nil
		}
		names = append(names, scheduleTable[s].name)
	}
	return 0, fmt.Errorf("unknown schedule %q of quantified formulas; the schedules are %s",
		name, strings.Join(names, ", "))
}

// A profile has families, schedules, rates of features, and bounds. Every change that alters its traces
// raises its version.
type profile struct {
	name      string
	version   int
	doc       string
	share     uint32 // of the traces of mixed, in a thousand
	families  []string
	schedules []schedule // none: all
	rates     map[feature.Feature]uint32
	plain     bool // no feature but those of the schedule and those with a rate
	maxVars   int
	maxCalls  int
}

const (
	// mixedName stands for all profiles: each trace has one of them.
	mixedName = "mixed"

	// FamilyProfile is the profile of an empty Config.Profile if Config.Family is not empty.
	FamilyProfile = "wide"
)

var smallFamilies = []string{"tiny", "blocksqbf-tiny", "qbfuzz-tiny", "prefixed-tiny"}

var profiles = []profile{
	{name: "tiny", version: 1, share: 450, families: []string{"tiny"}, maxVars: 12, maxCalls: 100,
		doc: "formulas of at most 12 variables, every schedule and feature at its usual rate"},
	{name: "smoke", version: 1, share: 100, families: []string{"tiny"}, maxVars: 8, maxCalls: 40,
		schedules: []schedule{oneShot, addAndSolve, sweep}, plain: true,
		doc: "short plain traces"},
	{name: "assume", version: 1, share: 100, families: []string{"tiny"}, maxVars: 12, maxCalls: 150,
		schedules: []schedule{sweep},
		rates:     map[feature.Feature]uint32{feature.UniversalAssumption: 900, feature.FailedOther: 100},
		doc:       "assumptions of the outermost block, existential and universal, and what an answer rests on"},
	{name: "frames", version: 1, share: 100, families: []string{"tiny"}, maxVars: 12, maxCalls: 200,
		schedules: []schedule{frames}, doc: "deep trees of push and pop"},
	{name: "groups", version: 1, share: 100, families: []string{"tiny"}, maxVars: 12, maxCalls: 200,
		schedules: []schedule{groups}, doc: "groups of clauses that come and go"},
	{name: "prefix", version: 1, share: 50, families: []string{"tiny"}, maxVars: 14, maxCalls: 150,
		schedules: []schedule{grow, addAndSolve},
		rates: map[feature.Feature]uint32{feature.FreeVariables: 400, feature.EmptyBlock: 400,
			feature.NeighbourBlocks: 400, feature.InnermostUniversal: 400, feature.ExtendedBlock: 700},
		doc: "prefixes that grow, with all that the standard leaves open"},
	{name: "small", version: 1, share: 100, families: smallFamilies, maxVars: 12, maxCalls: 200,
		doc: "the smallest sizes of all families, with every schedule"},
	{name: FamilyProfile, version: 1, maxVars: 60, maxCalls: 600,
		families: []string{"blocksqbf", "qbfuzz", "blocksqbf-small", "qbfuzz-small", "prefixed-small", "prefixed"},
		doc:      "every family and schedule, up to 60 variables"},
	{name: "app", version: 1, maxVars: 40, maxCalls: 500,
		families:  []string{"blocksqbf-small", "qbfuzz-small", "prefixed-small"},
		schedules: []schedule{sweep, frames, groups, grow},
		doc:       "what applications do: sweeps of assumptions, frames, groups, prefixes that grow, up to 40 variables"},
	{name: "longhand", version: 1, maxVars: 100, maxCalls: 2000,
		families:  []string{"blocksqbf-small", "qbfuzz-small", "prefixed", "prefixed-small"},
		schedules: []schedule{addAndSolve, frames, groups, sweep},
		rates:     map[feature.Feature]uint32{feature.SplitClause: 700, feature.ManySolves: 800, feature.Options: 900},
		doc:       "long traces of many solves, with clauses in parts"},
	{name: "published", version: 1, families: []string{"blocksqbf", "qbfuzz"}, maxVars: 100_000, maxCalls: 100_000,
		schedules: []schedule{oneShot}, plain: true,
		doc: "one solve of the families of the paper at their published sizes"},
}

// String returns the name with the version.
func (p *profile) String() string { return fmt.Sprintf("%s/%d", p.name, p.version) }

func (p *profile) rate(f feature.Feature) uint32 {
	if rate, set := p.rates[f]; set {
		return rate
	}
	if p.plain && f != feature.Options {
		return 0
	}
	return f.UsualRate()
}

// ProfileInfo describes a profile to the user.
type ProfileInfo struct {
	Name     string
	Version  int
	Doc      string
	Families []string
	Share    float64 // of the traces of mixed
}

// String returns the name with the version.
func (p ProfileInfo) String() string { return fmt.Sprintf("%s/%d", p.Name, p.Version) }

// Profiles returns all profiles, mixed last.
func Profiles() []ProfileInfo {
	var infos []ProfileInfo
	total := uint32(0)
	for i := range profiles {
		total += profiles[i].share
	}
	for i := range profiles {
		p := &profiles[i]
		infos = append(infos, ProfileInfo{p.name, p.version, p.doc, p.families, float64(p.share) / float64(total)})
	}
	return append(infos, ProfileInfo{Name: mixedName, Version: 1, Doc: "a profile for every trace, mostly cheap ones"})
}

// chosenProfiles returns the named profile, or those of mixed.
func chosenProfiles(name string) (chosen []*profile, err error) {
	names := make([]string, 0, len(profiles)+1)
	for i := range profiles {
		p := &profiles[i]
		switch {
		case name == mixedName || name == mixedName+"/1":
			if p.share > 0 {
				chosen = append(chosen, p)
			}
		case name == p.name || name == p.String():
			return []*profile{p}, nil
		}
		names = append(names, p.name)
	}
	if chosen == nil {
		return nil, fmt.Errorf("unknown profile %q of quantified formulas; the profiles are %s, %s",
			name, strings.Join(names, ", "), mixedName)
	}
	return chosen, nil
}

// Known reports whether a profile or a family has the name.
func Known(name string) (profile, family bool) {
	_, noProfile := chosenProfiles(name)
	_, noFamily := Named(name)
	return noProfile == nil, noFamily == nil
}

// Rates returns the features that traces draw, and their rates in a profile. For mixed, which "" stands
// for, these are averages.
func Rates(name string) ([]feature.Feature, []float64, error) {
	name = cmp.Or(name, mixedName)
	chosen, err := chosenProfiles(name)
	if err != nil {
		return nil, nil, err
	}
	rates := make([]float64, 0, len(drawn))
	for _, f := range drawn {
		rate, total := 0.0, 0.0
		for _, p := range chosen {
			share := float64(max(p.share, 1))
			rate += share * float64(p.rate(f)) / 1000
			total += share
		}
		rates = append(rates, rate/total)
	}
	return drawn[:], rates, nil
}
