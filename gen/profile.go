package gen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// A profile has families, schedules, rates of features, and bounds. Every change that alters its
// traces raises its version.
type profile struct {
	name      string
	version   int
	doc       string
	share     uint32                 // of the traces of mixed, in proportion to the other shares; 0: none
	families  []familyShare          // none: tiny
	schedules []family.ScheduleShare // none: all, with equal shares
	rates     rates
	bounds    Bounds
	repeats   bool              // clauses may name a literal three times
	plain     bool              // variables keep their numbers, and nothing is assumed
	longhand  bool              // a call for every literal of a clause, and hundreds of options
	tuned     bool              // a share of all options is set
	learned   int               // the most literals of clauses that learn callbacks take; 0: 5
	solves    int               // the most solves of an instance with many-solves; 0: mostSolves
	formula   Bounds            // of each formula, beside those of the trace
	dense     bool              // most traces have no gaps, but more variables than others without
	crowd     int               // the most instances at once; 0: three, and no crowd
	about     []feature.Feature // a target without one of these cannot show what the profile is for
}

// rates are rates of features, in a thousand.
type rates map[feature.Feature]uint32

type familyShare struct {
	name  string
	share uint32
}

// evenly gives families equal shares.
func evenly(names ...string) []familyShare {
	shares := make([]familyShare, len(names))
	for i, name := range names {
		shares[i] = familyShare{name, 1}
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

// DefaultProfile is the profile of an empty Config.Profile.
const DefaultProfile = mixedName

// FamilyProfile is the profile of an empty Config.Profile if Config.Family names a family other
// than tiny.
const FamilyProfile = "wide"

const mixedName = "mixed"

// everyFamily lists most families. The shares favour small formulas. The versions of families stay
// as they are, because newer ones would change the traces of the profiles that draw them.
var everyFamily = []familyShare{
	{"wcnfuzz-tiny/1", 20}, {"wcnfuzz-small/1", 8}, {"wcnfuzz-py/1", 4}, {"wcnfuzz/1", 4}, {"cnfuzz", 4},
	{"3sat", 4}, {"fuzzsat/1", 6}, {"sat4j", 6}, {"planted", 8}, {"pb-ish", 6}, {"amo", 6}, {"equivalences", 6},
	{"pigeons", 4}, {"communities", 4}, {"cores", 6}, {"structured", 4}, {"ranges", 2}, {"xor", 4},
}

// spreadRates are the usual rates of profiles that use families. They mostly keep
// what published formulas have by nature.
var spreadRates = rates{
	feature.Redeclare:       500,
	feature.BothPolarities:  600,
	feature.UnusedSoft:      600,
	feature.BigWeights:      400,
	feature.ZeroWeight:      300,
	feature.AssumeSoft:      600,
	feature.OnlyHard:        100,
	feature.NoHard:          200,
	feature.FreshAssumption: 150,
	feature.Gaps:            80,
	feature.ManySolves:      80,
	feature.HardenSoft:      600,
	feature.Activation:      600,
}

// Features that profiles give a rate.
var (
	proofs      = feature.Of(apimodel.OpProof)
	constraints = feature.Of(apimodel.OpConstrain)
	simplifying = feature.Of(apimodel.OpSimplify)
	enumerating = feature.Of(apimodel.OpEnumerate)
)

func with(base, changes rates) rates {
	merged := make(rates, len(base)+len(changes))
	maps.Copy(merged, base)
	maps.Copy(merged, changes)
	return merged
}

// profiles are all profiles but mixed, which draws those with a share. A solver needs about a
// millisecond for their traces, or less. Now and then, a correct solver takes longer than the time
// limit for a trace of wide, and mixed must not report that as a fault.
var profiles = []profile{
	{name: family.Tiny, version: family.TinyVersion, share: 500,
		doc: "formulas of at most 16 variables, every feature at its usual rate"},
	{name: "smoke", version: 1, share: 60,
		doc:    "short plain traces: most features are rare",
		rates:  scaled(250, nil),
		bounds: Bounds{MaxVars: 8, MaxCalls: 40}},
	{name: "weights", version: 1, share: 90,
		doc: "weights of every size, changed often",
		rates: rates{feature.Redeclare: 800, feature.BothPolarities: 500, feature.ZeroWeight: 400,
			feature.BigWeights: 450, feature.MediumWeights: 300, feature.UnitWeights: 100,
			feature.UnusedSoft: 500, feature.NoHard: 120}},
	{name: "assume", version: 1, share: 90,
		doc: "assumptions of every kind, and what failed",
		rates: rates{feature.FreshAssumption: 400, feature.ContradictoryAssumptions: 300,
			feature.DuplicateAssumptions: 300, feature.AssumeSoft: 800, feature.RepeatSolve: 300,
			feature.FailedOther: 150, feature.ManyQueries: 150, feature.NoClauses: 60}},
	{name: "reentrant", about: []feature.Feature{feature.TwoInstances}, version: 1, share: 60,
		doc: "several solvers at once, released and made again",
		rates: rates{feature.TwoInstances: 600, feature.ThreeInstances: 300, feature.ReleaseReinit: 400,
			feature.EarlyRelease: 400, feature.Signature: 150}},
	{name: "interrupt", about: []feature.Feature{feature.Terminate}, version: 1, share: 60,
		doc: "solves that a callback stops, and what comes after",
		rates: rates{feature.Terminate: 1000, feature.Learn: 400, feature.RepeatSolve: 600,
			feature.Threshold: 600, feature.OneOrTwoVariables: 20},
		bounds: Bounds{MaxCalls: 200}},
	{name: "deep", version: 1, share: 50,
		doc: "many solves of one instance",
		rates: rates{feature.ManySolves: 900, feature.RepeatSolve: 300, feature.Redeclare: 600,
			feature.FewClauses: 400},
		bounds: Bounds{MaxCalls: 400}},
	{name: "small", version: 1, share: 80,
		doc:      "every family and schedule, cut down to 12 variables, so that exhaustive search judges every answer",
		families: everyFamily, rates: spreadRates,
		bounds: Bounds{MaxVars: 12, MaxCalls: 150}},
	{name: "wide", version: 1,
		doc:      "every family and schedule, up to 60 variables",
		families: everyFamily, rates: spreadRates,
		bounds: Bounds{MaxVars: 60, MaxCalls: 500}},
	{name: "app", version: 1,
		doc: "what applications do: levels of objectives, cores, activation literals, " +
			"sweeps of weights, hitting sets, enumeration",
		families: everyFamily,
		schedules: inTurn(family.Lexicographic, family.CoreExtraction, family.Activations, family.ReweighOnly,
			family.BiObjective, family.HittingSets, family.Enumeration),
		rates:  with(spreadRates, rates{feature.Redeclare: 900, feature.HardenSoft: 900, feature.Activation: 900}),
		bounds: Bounds{MaxVars: 40, MaxCalls: 300}},
	{name: "repeats", version: 1,
		doc: "short traces whose clauses repeat a literal, as careless programs write them",
		rates: rates{feature.Tautology: 200, feature.BothPolarities: 150, feature.ZeroWeight: 50,
			feature.UnusedSoft: 200, feature.Terminate: 50, feature.OneOrTwoVariables: 40},
		repeats: true,
		bounds:  Bounds{MaxVars: 8, MaxCalls: 40}},
	{name: "proofs", about: []feature.Feature{proofs}, version: 1,
		doc:      "solvers that hand over proofs write them and are asked for them; no calls that proofs cannot express",
		families: everyFamily,
		rates: with(spreadRates, rates{proofs: 1000, feature.Havoc: 0, constraints: 0,
			simplifying: 0, enumerating: 0, feature.Options: 100, feature.FreshAssumption: 100}),
		bounds: Bounds{MaxVars: 24, MaxCalls: 200}},
	{name: "small-proofs", about: []feature.Feature{proofs}, version: 1,
		doc: "short traces that ask for proofs: every 15th one of 'fuzz' if the target hands them over",
		rates: rates{proofs: 1000, feature.Havoc: 0, constraints: 0, simplifying: 0,
			enumerating: 0, feature.Options: 100, feature.FreshAssumption: 100},
		bounds: Bounds{MaxVars: 12, MaxCalls: 80}},
	{name: "longhand", version: 1,
		doc:      "500 to 7,500 calls as other API fuzzers write them: one literal each, hundreds of options, few solves",
		families: []familyShare{{"parts", 1}},
		schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 1},
			{Schedule: family.OneShot, Share: 1}, {Schedule: family.AssumeOnly, Share: 2}},
		rates:    longhandRates,
		longhand: true,
		bounds:   Bounds{MaxVars: 1000, MaxCalls: 7500}},
	{name: "long", version: 1,
		doc:      "clauses of 65 to 300 literals that propagation and assumptions decide",
		families: evenly("long"),
		schedules: []family.ScheduleShare{{Schedule: family.Falsification, Share: 4},
			{Schedule: family.AddAndSolve, Share: 1}, {Schedule: family.AssumeOnly, Share: 1},
			{Schedule: family.CoreExtraction, Share: 1}, {Schedule: family.Freely, Share: 1},
			{Schedule: family.OneShot, Share: 1}},
		rates: with(spreadRates, rates{feature.DuplicateLiterals: 400, feature.Learn: 400, feature.ManySolves: 40,
			enumerating: 50}), // most variables are in few clauses: there are many solutions
		learned: 400,
		bounds:  Bounds{MaxVars: 480, MaxCalls: 1500}},
	{name: "search", version: 1,
		doc:      "formulas that take hundreds to thousands of conflicts, solved several times",
		families: evenly("search"),
		schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 3},
			{Schedule: family.Freely, Share: 2}, {Schedule: family.AssumeOnly, Share: 2},
			{Schedule: family.Activations, Share: 1}, {Schedule: family.CoreExtraction, Share: 1},
			{Schedule: family.OneShot, Share: 1}},
		rates: with(spreadRates, rates{feature.Terminate: 150, feature.Learn: 250, feature.FreshAssumption: 100,
			feature.ReleaseReinit: 20, feature.TwoInstances: 20, feature.ThreeInstances: 0, feature.Redeclare: 200,
			enumerating: 0}),
		learned: 60,
		bounds:  Bounds{MaxVars: 320, MaxCalls: 2000}},
	{name: "bulk", version: 1,
		doc:      "1,000 to 130,000 clauses that propagation decides, in one or more solves",
		families: []familyShare{{"bulk", 1}},
		schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 3},
			{Schedule: family.OneShot, Share: 2}, {Schedule: family.Freely, Share: 2},
			{Schedule: family.CoreExtraction, Share: 1}},
		rates: with(spreadRates, rates{feature.ReleaseReinit: 20, feature.TwoInstances: 20, feature.ThreeInstances: 0,
			enumerating: 0, simplifying: 150, feature.Gaps: 1000, feature.MaxVariable: 0}),
		dense:  true,
		bounds: Bounds{MaxVars: 200_000, MaxCalls: 200_000}},
	{name: "marathon", version: 1,
		doc: "16 to 500 solves of an instance with a small formula",
		families: []familyShare{{"planted", 4}, {"parts", 2}, {"sat4j", 2}, {"amo", 2}, {"pb-ish", 2}, {"equivalences", 2},
			{"communities", 2}, {"cores", 3}, {"cnfuzz", 1}, {"wcnfuzz-tiny/2", 1}},
		schedules: []family.ScheduleShare{{Schedule: family.AssumeOnly, Share: 4},
			{Schedule: family.AddAndSolve, Share: 3}, {Schedule: family.Freely, Share: 3},
			{Schedule: family.Activations, Share: 2}, {Schedule: family.Enumeration, Share: 1},
			{Schedule: family.CoreExtraction, Share: 1}, {Schedule: family.ReweighOnly, Share: 2},
			{Schedule: family.BiObjective, Share: 1}, {Schedule: family.HittingSets, Share: 1},
			{Schedule: family.Hardening, Share: 1}},
		rates: with(spreadRates, rates{feature.ManySolves: 1000, feature.TwoInstances: 30, feature.ThreeInstances: 0,
			enumerating: 50, feature.ManyQueries: 20}),
		solves:  500,
		formula: Bounds{MaxVars: 12, MaxCalls: 60},
		bounds:  Bounds{MaxVars: 400, MaxCalls: 12_000}},
	{name: "crowd", about: []feature.Feature{feature.TwoInstances}, version: 1,
		doc:    "4 to 300 solvers at once, each with a short trace",
		rates:  rates{feature.Gaps: 20, feature.MaxVariable: 0, enumerating: 50},
		crowd:  300,
		bounds: Bounds{MaxVars: 8, MaxCalls: 9000}},
	{name: "tuned", about: []feature.Feature{feature.Options}, version: 1,
		doc: "a share of all options is set, mostly to low numbers, " +
			"so that small formulas reach rare steps of the search",
		families: everyFamily,
		rates:    with(spreadRates, rates{feature.Options: 1000}),
		tuned:    true,
		bounds:   Bounds{MaxVars: 40, MaxCalls: 800}},
	{name: "published", version: 3,
		doc: "one solve of the families of the papers at their published sizes",
		families: evenly("wcnfuzz/2", "wcnfuzz-py/2", "wcnfuzz-small/2", "wcnfuzz-tiny/2", "cnfuzz", "3sat",
			"fuzzsat", "sat4j"),
		schedules: inTurn(family.OneShot),
		rates:     with(plainRates, rates{feature.Tautology: 1000, feature.DuplicateLiterals: 1000}), // of wcnfuzz
		plain:     true,
		bounds:    Bounds{MaxVars: 100_000, MaxCalls: 100_000}},
}

// quantifiedProfiles are all profiles of quantified formulas but mixed.
var quantifiedProfiles = []profile{
	{name: family.Tiny, version: 1, share: 450, families: evenly("tiny"), bounds: Bounds{MaxVars: 12, MaxCalls: 100},
		doc: "formulas of at most 12 variables, every schedule and feature at its usual rate"},
	{name: "smoke", version: 1, share: 100, families: evenly("tiny"), bounds: Bounds{MaxVars: 8, MaxCalls: 40},
		schedules: inTurn(family.OneShot, family.AddAndSolve, family.AssumeOnly),
		rates:     onlyOptions, plain: true,
		doc: "short plain traces"},
	{name: "assume", version: 1, share: 100, families: evenly("tiny"), bounds: Bounds{MaxVars: 12, MaxCalls: 150},
		schedules: inTurn(family.AssumeOnly),
		rates:     rates{feature.UniversalAssumption: 900, feature.FailedOther: 100},
		doc:       "assumptions of the outermost block, existential and universal, and what an answer rests on"},
	{name: "frames", version: 1, share: 100, families: evenly("tiny"), bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		about:     []feature.Feature{feature.Frames},
		schedules: inTurn(family.Frames), doc: "deep trees of push and pop"},
	{name: "groups", version: 1, share: 100, families: evenly("tiny"), bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		about:     []feature.Feature{feature.Groups},
		schedules: inTurn(family.Groups), doc: "groups of clauses that come and go"},
	{name: "prefix", version: 1, share: 50, families: evenly("tiny"), bounds: Bounds{MaxVars: 14, MaxCalls: 150},
		schedules: inTurn(family.Extending, family.AddAndSolve),
		rates: rates{feature.FreeVariables: 400, feature.EmptyBlock: 400, feature.NeighbourBlocks: 400,
			feature.InnermostUniversal: 400, feature.ExtendedBlock: 700},
		doc: "prefixes that grow, with all that the standard leaves open"},
	{name: "small", version: 1, share: 100, bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		families: evenly("tiny", "blocksqbf-tiny", "qbfuzz-tiny", "prefixed-tiny"),
		doc:      "the smallest sizes of all families, with every schedule"},
	{name: FamilyProfile, version: 1, bounds: Bounds{MaxVars: 60, MaxCalls: 600},
		families: evenly("blocksqbf", "qbfuzz", "blocksqbf-small", "qbfuzz-small", "prefixed-small", "prefixed"),
		doc:      "every family and schedule, up to 60 variables"},
	{name: "app", version: 1, bounds: Bounds{MaxVars: 40, MaxCalls: 500},
		families:  evenly("blocksqbf-small", "qbfuzz-small", "prefixed-small"),
		schedules: inTurn(family.AssumeOnly, family.Frames, family.Groups, family.Extending),
		doc:       "what applications do: sweeps of assumptions, frames, groups, prefixes that grow, up to 40 variables"},
	{name: "longhand", version: 1, bounds: Bounds{MaxVars: 100, MaxCalls: 2000},
		families:  evenly("blocksqbf-small", "qbfuzz-small", "prefixed", "prefixed-small"),
		schedules: inTurn(family.AddAndSolve, family.Frames, family.Groups, family.AssumeOnly),
		rates:     rates{feature.SplitClause: 700, feature.ManySolves: 800, feature.Options: 900},
		doc:       "long traces of many solves, with clauses in parts"},
	{name: "published", version: 1, families: evenly("blocksqbf", "qbfuzz"),
		schedules: inTurn(family.OneShot), bounds: Bounds{MaxVars: 100_000, MaxCalls: 100_000},
		rates: onlyOptions, plain: true,
		doc: "one solve of the families of the paper at their published sizes"},
}

// onlyOptions are the rates of traces that may have no feature but that of options.
var onlyOptions = scaled(0, rates{feature.Options: feature.Options.UsualRate()})

// longhandRates favour the calls that only API fuzzers make. A clause with a call for each literal is a split clause,
// so it needs that feature.
var longhandRates = with(with(spreadRates, feature.Many()), rates{
	feature.SplitClause: 1000,
	feature.Options:     950,
	feature.ManySolves:  10,
	feature.ManyQueries: 500,
})

// plainRates leave a published formula as it is: they allow only features that its clauses and
// weights may have.
var plainRates = scaled(0, rates{feature.BothPolarities: 1000, feature.UnusedSoft: 1000, feature.BigWeights: 1000,
	feature.NoHard: 1000, feature.OnlyHard: 1000, feature.Gaps: 1000})

// scaled returns the usual rates of all features times perMille/1000, with changes in place of
// some.
func scaled(perMille uint32, changes rates) rates {
	all := make(rates, feature.Count())
	for f := range feature.Count() {
		all[f] = f.UsualRate() * perMille / 1000
	}
	return with(all, changes)
}

// String returns the name with the version.
func (p *profile) String() string { return fmt.Sprintf("%s/%d", p.name, p.version) }

func (p *profile) rate(f feature.Feature) uint32 {
	if rate, set := p.rates[f]; set {
		return rate
	}
	return f.UsualRate()
}

// thresholds returns the rates of the features in 1/65536.
func (p *profile) thresholds() (t [feature.Most]uint32) {
	for f := range feature.Count() {
		t[f] = p.rate(f) * 65536 / 1000
	}
	return t
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

// Profiles returns all profiles of formulas without quantifiers in their newest versions, mixed last.
func Profiles() []ProfileInfo { return infos(profiles) }

// QuantifiedProfiles returns all profiles of formulas with quantifiers, mixed last.
func QuantifiedProfiles() []ProfileInfo { return infos(quantifiedProfiles) }

func infos(profiles []profile) []ProfileInfo {
	var infos []ProfileInfo
	total := uint32(0)
	for i := range profiles {
		total += profiles[i].share
	}
	for i := range profiles {
		p := &profiles[i]
		info := ProfileInfo{Name: p.name, Version: p.version, Doc: p.doc, Share: float64(p.share) / float64(total)}
		for _, f := range p.families {
			info.Families = append(info.Families, f.name)
		}
		if len(p.families) == 0 {
			info.Families = []string{family.Tiny}
		}
		infos = append(infos, info)
	}
	return append(infos, ProfileInfo{Name: mixedName, Version: 1, Doc: "a profile for every trace, mostly cheap ones"})
}

// chosenProfiles returns the profiles that a generator draws from: the named one,
// or those of mixed.
func chosenProfiles(name string, quantified bool) (chosen []*profile, err error) {
	profiles, other, kind := profiles, quantifiedProfiles, ""
	if quantified {
		profiles, other, kind = quantifiedProfiles, nil, " of quantified formulas"
	}
	isMixed := name == mixedName || name == mixedName+"/1"
	plain, _, _ := strings.Cut(name, "/")
	var names []string
	for i := range profiles {
		switch p := &profiles[i]; {
		case p.name == name || p.String() == name:
			return []*profile{p}, nil
		case isMixed && p.share > 0:
			chosen = append(chosen, p)
		}
		names = append(names, profiles[i].name)
	}
	switch {
	case isMixed:
		return chosen, nil
	case slices.Contains(names, plain):
		return nil, fmt.Errorf("no profile %s: there are newer versions only; leave out the version", name)
	}
	_, noFamily := family.QuantifiedNamed(name)
	isOther := slices.ContainsFunc(other, func(p profile) bool { return p.name == name || p.String() == name })
	if isOther || !quantified && noFamily == nil {
		return nil, ofQuantified("profile", name)
	}
	return nil, fmt.Errorf("unknown profile %q%s; the profiles are %s, %s",
		name, kind, strings.Join(names, ", "), mixedName)
}

// ofQuantified refuses a name that only traces of quantified formulas have.
func ofQuantified(kind, name string) error {
	return fmt.Errorf("the %s %s makes quantified formulas: choose the model qbf", kind, name)
}

// Named returns a configuration with the profile of that name or, if there is none, the family.
func Named(name string) (Config, error) {
	for _, quantified := range []bool{false, true} {
		if _, err := chosenProfiles(name, quantified); err == nil {
			return Config{Profile: name}, nil
		}
		if _, err := familyNamed(name, quantified); err == nil {
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
