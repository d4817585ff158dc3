package profile

import (
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// quantified are all profiles of quantified formulas but mixed.
var quantified = []Profile{
	{Name: family.Tiny, Version: 1, Share: 450, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 12, MaxCalls: 100},
		Doc: "formulas of at most 12 variables, every schedule and feature at its usual rate"},
	{Name: "smoke", Version: 1, Share: 100, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 8, MaxCalls: 40},
		Schedules: inTurn(family.OneShot, family.AddAndSolve, family.AssumeOnly),
		Rates:     onlyOptions, Plain: true,
		Doc: "short plain traces"},
	{Name: "assume", Version: 1, Share: 100, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 12, MaxCalls: 150},
		Schedules: inTurn(family.AssumeOnly),
		Rates:     Rates{feature.UniversalAssumption: 900, feature.FailedOther: 100},
		Doc:       "assumptions of the outermost block, existential and universal, and what an answer rests on"},
	{Name: "frames", Version: 1, Share: 100, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		About:     []feature.Feature{feature.Frames},
		Schedules: inTurn(family.Frames), Doc: "deep trees of push and pop"},
	{Name: "groups", Version: 1, Share: 100, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		About:     []feature.Feature{feature.Groups},
		Schedules: inTurn(family.Groups), Doc: "groups of clauses that come and go"},
	{Name: "prefix", Version: 1, Share: 50, Families: evenly("tiny"), Bounds: Bounds{MaxVars: 14, MaxCalls: 150},
		Schedules: inTurn(family.Extending, family.AddAndSolve),
		Rates: Rates{feature.FreeVariables: 400, feature.EmptyBlock: 400, feature.NeighbourBlocks: 400,
			feature.InnermostUniversal: 400, feature.ExtendedBlock: 700},
		Doc: "prefixes that grow, with all that the standard leaves open"},
	{Name: "small", Version: 1, Share: 100, Bounds: Bounds{MaxVars: 12, MaxCalls: 200},
		Families: evenly("tiny", "blocksqbf-tiny", "qbfuzz-tiny", "prefixed-tiny"),
		Doc:      "the smallest sizes of all families, with every schedule"},
	{Name: Wide, Version: 1, Bounds: Bounds{MaxVars: 60, MaxCalls: 600},
		Families: evenly("blocksqbf", "qbfuzz", "blocksqbf-small", "qbfuzz-small", "prefixed-small", "prefixed"),
		Doc:      "every family and schedule, up to 60 variables"},
	{Name: "app", Version: 1, Bounds: Bounds{MaxVars: 40, MaxCalls: 500},
		Families:  evenly("blocksqbf-small", "qbfuzz-small", "prefixed-small"),
		Schedules: inTurn(family.AssumeOnly, family.Frames, family.Groups, family.Extending),
		Doc:       "what applications do: sweeps of assumptions, frames, groups, prefixes that grow, up to 40 variables"},
	{Name: "longhand", Version: 1, Bounds: Bounds{MaxVars: 100, MaxCalls: 2000},
		Families:  evenly("blocksqbf-small", "qbfuzz-small", "prefixed", "prefixed-small"),
		Schedules: inTurn(family.AddAndSolve, family.Frames, family.Groups, family.AssumeOnly),
		Rates:     Rates{feature.SplitClause: 700, feature.ManySolves: 800, feature.Options: 900},
		Doc:       "long traces of many solves, with clauses in parts"},
	{Name: "published", Version: 1, Families: evenly("blocksqbf", "qbfuzz"),
		Schedules: inTurn(family.OneShot), Bounds: Bounds{MaxVars: 100_000, MaxCalls: 100_000},
		Rates: onlyOptions, Plain: true,
		Doc: "one solve of the families of the paper at their published sizes"},
}

// onlyOptions are the rates of traces that may have no feature but that of options.
var onlyOptions = scaled(0, Rates{feature.Options: feature.Options.UsualRate()})
