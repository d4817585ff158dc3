package profile

import (
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// files are all profiles of formula files but mixed. Every trace has one solve, so there are none about many.
var files = []Profile{
	{Name: family.Tiny, Version: 1, Share: 500, Families: evenly(family.Tiny), Rates: tinyFileRates,
		Bounds: Bounds{MaxVars: 12, MaxCalls: 60},
		Doc:    "formulas of at most 12 variables, clauses of every shape"},
	{Name: "smoke", Version: 1, Share: 80, Families: evenly(family.Tiny),
		Rates:  scaled(150, Rates{feature.WideSoft: 500, feature.BothPolarities: 400}),
		Bounds: Bounds{MaxVars: 8, MaxCalls: 30},
		Doc:    "short plain files: most features are rare"},
	{Name: "weights", Version: 1, Share: 140, Families: []FamilyShare{{family.Tiny, 6}, {"cores", 1}, {"pb-ish", 1},
		{"wcnfuzz-tiny", 1}},
		Rates: with(tinyFileRates, Rates{feature.BigWeights: 650, feature.MediumWeights: 300, feature.UnitWeights: 60,
			feature.Redeclare: 300, feature.OnlyHard: 0, feature.NoClauses: 0, feature.FewClauses: 300}),
		Bounds: Bounds{MaxVars: 12, MaxCalls: 60},
		Doc:    "weights of every size, and sums at the ends of integers"},
	{Name: "small", Version: 1, Share: 280, Families: everyFile, Rates: fileRates,
		Bounds: Bounds{MaxVars: 12, MaxCalls: 150},
		Doc:    "every family, cut down to 12 variables, so that exhaustive search judges every answer"},
	{Name: Wide, Version: 1, Families: everyFile, Rates: fileRates,
		Bounds: Bounds{MaxVars: 60, MaxCalls: 500},
		Doc:    "every family, up to 60 variables"},
	{Name: "search", Version: 1, Families: evenly("search"), Rates: fileRates,
		Bounds: Bounds{MaxVars: 320, MaxCalls: 2000},
		Doc:    "formulas that take hundreds to thousands of conflicts"},
	{Name: "bulk", Version: 1, Families: evenly("bulk"), Rates: with(fileRates, Rates{feature.Gaps: 1000}),
		Bounds: Bounds{MaxVars: 200_000, MaxCalls: 200_000}, Dense: true,
		Doc: "1,000 to 130,000 clauses that propagation decides"},
	{Name: "published", Version: 1,
		Families: evenly("wcnfuzz", "wcnfuzz-py", "wcnfuzz-small", "wcnfuzz-tiny", "cnfuzz", "3sat", "fuzzsat", "sat4j"),
		Rates:    asTheyAre, Plain: true,
		Bounds: Bounds{MaxVars: 100_000, MaxCalls: 100_000},
		Doc:    "the families of the papers at their published sizes, as they make them"},
}

// everyFile lists most families. The shares favour small formulas.
var everyFile = []FamilyShare{
	{family.Tiny, 10}, {"wcnfuzz-tiny", 20}, {"wcnfuzz-small", 8}, {"wcnfuzz-py", 4}, {"wcnfuzz", 4}, {"cnfuzz", 4},
	{"3sat", 4}, {"fuzzsat", 6}, {"sat4j", 4}, {"planted", 8}, {"pb-ish", 6}, {"amo", 6}, {"equivalences", 6},
	{"pigeons", 4}, {"communities", 4}, {"cores", 6}, {"structured", 4}, {"ranges", 2}, {"xor", 4},
}

// tinyFileRates are the rates of files of the family tiny, which random clauses give most features.
var tinyFileRates = Rates{
	feature.Redeclare:      300,
	feature.BothPolarities: 600,
	feature.UnusedSoft:     600,
	feature.FewClauses:     120,
	feature.HardenSoft:     400,
}

// fileRates are the usual rates of files of other families. They mostly keep what published formulas have by nature.
var fileRates = Rates{
	feature.Redeclare:         500,
	feature.BothPolarities:    700,
	feature.UnusedSoft:        800,
	feature.BigWeights:        400,
	feature.MediumWeights:     100,
	feature.UnitWeights:       100,
	feature.OnlyHard:          30,
	feature.NoHard:            200,
	feature.NoClauses:         5,
	feature.Gaps:              80,
	feature.Threshold:         0,
	feature.FewClauses:        0,
	feature.OneOrTwoVariables: 0,
	feature.HardenSoft:        700,
	feature.WideSoft:          900,
	feature.RepeatedHard:      500,
}

// asTheyAre allows what a family may make by nature.
var asTheyAre = func() Rates {
	rates := scaled(0, nil)
	for _, f := range feature.Files {
		if f == feature.HardenSoft || feature.Visible.Has(f) {
			rates[f] = 1000
		}
	}
	return rates
}()

// satFiles are all profiles of files without soft clauses but mixed.
var satFiles = func() []Profile {
	var all []Profile
	for _, p := range files {
		switch p.Name {
		case "weights":
			continue
		case "small", Wide:
			p.Families = everySATFile
		case "published":
			p.Families = evenly("cnfuzz", "3sat", "fuzzsat", "sat4j")
		}
		all = append(all, p)
	}
	return all
}()

// everySATFile lists the families that are not about costs.
var everySATFile = []FamilyShare{
	{family.Tiny, 10}, {"cnfuzz", 8}, {"3sat", 8}, {"fuzzsat", 10}, {"sat4j", 4}, {"pb-ish", 6}, {"amo", 6},
	{"equivalences", 6}, {"pigeons", 4}, {"communities", 6}, {"structured", 4}, {"ranges", 2}, {"xor", 6},
}
