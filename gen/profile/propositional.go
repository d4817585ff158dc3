package profile

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// everyFamily lists most families. The shares favour small formulas. The versions of families stay
// as they are, because newer ones would change the traces of the profiles that draw them.
var everyFamily = []FamilyShare{
	{"wcnfuzz-tiny/1", 20}, {"wcnfuzz-small/1", 8}, {"wcnfuzz-py/1", 4}, {"wcnfuzz/1", 4}, {"cnfuzz", 4},
	{"3sat", 4}, {"fuzzsat/1", 6}, {"sat4j", 6}, {"planted", 8}, {"pb-ish", 6}, {"amo", 6}, {"equivalences", 6},
	{"pigeons", 4}, {"communities", 4}, {"cores", 6}, {"structured", 4}, {"ranges", 2}, {"xor", 4},
}

// spreadRates are the usual rates of profiles that use families. They mostly keep
// what published formulas have by nature.
var spreadRates = Rates{
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

// propositional are all profiles but mixed, which draws those with a share. A solver needs about a
// millisecond for their traces, or less. Now and then, a correct solver takes longer than the time
// limit for a trace of wide, and mixed must not report that as a fault.
var propositional = []Profile{
	{Name: family.Tiny, Version: family.TinyVersion, Share: 500,
		Doc: "formulas of at most 16 variables, every feature at its usual rate"},
	{Name: "smoke", Version: 1, Share: 60,
		Doc:    "short plain traces: most features are rare",
		Rates:  scaled(250, nil),
		Bounds: Bounds{MaxVars: 8, MaxCalls: 40}},
	{Name: "weights", Version: 1, Share: 90,
		Doc: "weights of every size, changed often",
		Rates: Rates{feature.Redeclare: 800, feature.BothPolarities: 500, feature.ZeroWeight: 400,
			feature.BigWeights: 450, feature.MediumWeights: 300, feature.UnitWeights: 100,
			feature.UnusedSoft: 500, feature.NoHard: 120}},
	{Name: "assume", Version: 1, Share: 90,
		Doc: "assumptions of every kind, and what failed",
		Rates: Rates{feature.FreshAssumption: 400, feature.ContradictoryAssumptions: 300,
			feature.DuplicateAssumptions: 300, feature.AssumeSoft: 800, feature.RepeatSolve: 300,
			feature.FailedOther: 150, feature.ManyQueries: 150, feature.NoClauses: 60}},
	{Name: "reentrant", About: []feature.Feature{feature.TwoInstances}, Version: 1, Share: 60,
		Doc: "several solvers at once, released and made again",
		Rates: Rates{feature.TwoInstances: 600, feature.ThreeInstances: 300, feature.ReleaseReinit: 400,
			feature.EarlyRelease: 400, feature.Signature: 150}},
	{Name: "interrupt", About: []feature.Feature{feature.Terminate}, Version: 1, Share: 60,
		Doc: "solves that a callback stops, and what comes after",
		Rates: Rates{feature.Terminate: 1000, feature.Learn: 400, feature.RepeatSolve: 600,
			feature.Threshold: 600, feature.OneOrTwoVariables: 20},
		Bounds: Bounds{MaxCalls: 200}},
	{Name: "deep", Version: 1, Share: 50,
		Doc: "many solves of one instance",
		Rates: Rates{feature.ManySolves: 900, feature.RepeatSolve: 300, feature.Redeclare: 600,
			feature.FewClauses: 400},
		Bounds: Bounds{MaxCalls: 400}},
	{Name: "small", Version: 1, Share: 80,
		Doc:      "every family and schedule, cut down to 12 variables, so that exhaustive search judges every answer",
		Families: everyFamily, Rates: spreadRates,
		Bounds: Bounds{MaxVars: 12, MaxCalls: 150}},
	{Name: "wide", Version: 1,
		Doc:      "every family and schedule, up to 60 variables",
		Families: everyFamily, Rates: spreadRates,
		Bounds: Bounds{MaxVars: 60, MaxCalls: 500}},
	{Name: "app", Version: 1,
		Doc: "what applications do: levels of objectives, cores, activation literals, " +
			"sweeps of weights, hitting sets, enumeration",
		Families: everyFamily,
		Schedules: inTurn(family.Lexicographic, family.CoreExtraction, family.Activations, family.ReweighOnly,
			family.BiObjective, family.HittingSets, family.Enumeration),
		Rates:  with(spreadRates, Rates{feature.Redeclare: 900, feature.HardenSoft: 900, feature.Activation: 900}),
		Bounds: Bounds{MaxVars: 40, MaxCalls: 300}},
	{Name: "repeats", Version: 1,
		Doc: "short traces whose clauses repeat a literal, as careless programs write them",
		Rates: Rates{feature.Tautology: 200, feature.BothPolarities: 150, feature.ZeroWeight: 50,
			feature.UnusedSoft: 200, feature.Terminate: 50, feature.OneOrTwoVariables: 40},
		Repeats: true,
		Bounds:  Bounds{MaxVars: 8, MaxCalls: 40}},
	{Name: "proofs", About: []feature.Feature{proofs}, Version: 1,
		Doc:      "solvers that hand over proofs write them and are asked for them; no calls that proofs cannot express",
		Families: everyFamily,
		Rates: with(spreadRates, Rates{proofs: 1000, feature.Havoc: 0, constraints: 0,
			simplifying: 0, enumerating: 0, feature.Options: 100, feature.FreshAssumption: 100}),
		Bounds: Bounds{MaxVars: 24, MaxCalls: 200}},
	{Name: "small-proofs", About: []feature.Feature{proofs}, Version: 1,
		Doc: "short traces that ask for proofs: every 15th one of 'fuzz' if the target hands them over",
		Rates: Rates{proofs: 1000, feature.Havoc: 0, constraints: 0, simplifying: 0,
			enumerating: 0, feature.Options: 100, feature.FreshAssumption: 100},
		Bounds: Bounds{MaxVars: 12, MaxCalls: 80}},
	{Name: "longhand", Version: 1,
		Doc:      "500 to 7,500 calls as other API fuzzers write them: one literal each, hundreds of options, few solves",
		Families: []FamilyShare{{"parts", 1}},
		Schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 1},
			{Schedule: family.OneShot, Share: 1}, {Schedule: family.AssumeOnly, Share: 2}},
		Rates:    longhandRates,
		Longhand: true,
		Bounds:   Bounds{MaxVars: 1000, MaxCalls: 7500}},
	{Name: "long", Version: 1,
		Doc:      "clauses of 65 to 300 literals that propagation and assumptions decide",
		Families: evenly("long"),
		Schedules: []family.ScheduleShare{{Schedule: family.Falsification, Share: 4},
			{Schedule: family.AddAndSolve, Share: 1}, {Schedule: family.AssumeOnly, Share: 1},
			{Schedule: family.CoreExtraction, Share: 1}, {Schedule: family.Freely, Share: 1},
			{Schedule: family.OneShot, Share: 1}},
		Rates: with(spreadRates, Rates{feature.DuplicateLiterals: 400, feature.Learn: 400, feature.ManySolves: 40,
			enumerating: 50}), // most variables are in few clauses: there are many solutions
		Learned: 400,
		Bounds:  Bounds{MaxVars: 480, MaxCalls: 1500}},
	{Name: "search", Version: 1,
		Doc:      "formulas that take hundreds to thousands of conflicts, solved several times",
		Families: evenly("search"),
		Schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 3},
			{Schedule: family.Freely, Share: 2}, {Schedule: family.AssumeOnly, Share: 2},
			{Schedule: family.Activations, Share: 1}, {Schedule: family.CoreExtraction, Share: 1},
			{Schedule: family.OneShot, Share: 1}},
		Rates: with(spreadRates, Rates{feature.Terminate: 150, feature.Learn: 250, feature.FreshAssumption: 100,
			feature.ReleaseReinit: 20, feature.TwoInstances: 20, feature.ThreeInstances: 0, feature.Redeclare: 200,
			enumerating: 0}),
		Learned: 60,
		Bounds:  Bounds{MaxVars: 320, MaxCalls: 2000}},
	{Name: "bulk", Version: 1,
		Doc:      "1,000 to 130,000 clauses that propagation decides, in one or more solves",
		Families: []FamilyShare{{"bulk", 1}},
		Schedules: []family.ScheduleShare{{Schedule: family.AddAndSolve, Share: 3},
			{Schedule: family.OneShot, Share: 2}, {Schedule: family.Freely, Share: 2},
			{Schedule: family.CoreExtraction, Share: 1}},
		Rates: with(spreadRates, Rates{feature.ReleaseReinit: 20, feature.TwoInstances: 20, feature.ThreeInstances: 0,
			enumerating: 0, simplifying: 150, feature.Gaps: 1000, feature.MaxVariable: 0}),
		Dense:  true,
		Bounds: Bounds{MaxVars: 200_000, MaxCalls: 200_000}},
	{Name: "marathon", Version: 1,
		Doc: "16 to 500 solves of an instance with a small formula",
		Families: []FamilyShare{{"planted", 4}, {"parts", 2}, {"sat4j", 2}, {"amo", 2}, {"pb-ish", 2}, {"equivalences", 2},
			{"communities", 2}, {"cores", 3}, {"cnfuzz", 1}, {"wcnfuzz-tiny/2", 1}},
		Schedules: []family.ScheduleShare{{Schedule: family.AssumeOnly, Share: 4},
			{Schedule: family.AddAndSolve, Share: 3}, {Schedule: family.Freely, Share: 3},
			{Schedule: family.Activations, Share: 2}, {Schedule: family.Enumeration, Share: 1},
			{Schedule: family.CoreExtraction, Share: 1}, {Schedule: family.ReweighOnly, Share: 2},
			{Schedule: family.BiObjective, Share: 1}, {Schedule: family.HittingSets, Share: 1},
			{Schedule: family.Hardening, Share: 1}},
		Rates: with(spreadRates, Rates{feature.ManySolves: 1000, feature.TwoInstances: 30, feature.ThreeInstances: 0,
			enumerating: 50, feature.ManyQueries: 20}),
		Solves:  500,
		Formula: Bounds{MaxVars: 12, MaxCalls: 60},
		Bounds:  Bounds{MaxVars: 400, MaxCalls: 12_000}},
	{Name: "crowd", About: []feature.Feature{feature.TwoInstances}, Version: 1,
		Doc:    "4 to 300 solvers at once, each with a short trace",
		Rates:  Rates{feature.Gaps: 20, feature.MaxVariable: 0, enumerating: 50},
		Crowd:  300,
		Bounds: Bounds{MaxVars: 8, MaxCalls: 9000}},
	{Name: "tuned", About: []feature.Feature{feature.Options}, Version: 1,
		Doc: "a share of all options is set, mostly to low numbers, " +
			"so that small formulas reach rare steps of the search",
		Families: everyFamily,
		Rates:    with(spreadRates, Rates{feature.Options: 1000}),
		Tuned:    true,
		Bounds:   Bounds{MaxVars: 40, MaxCalls: 800}},
	{Name: "published", Version: 3,
		Doc: "one solve of the families of the papers at their published sizes",
		Families: evenly("wcnfuzz/2", "wcnfuzz-py/2", "wcnfuzz-small/2", "wcnfuzz-tiny/2", "cnfuzz", "3sat",
			"fuzzsat", "sat4j"),
		Schedules: inTurn(family.OneShot),
		Rates:     with(plainRates, Rates{feature.Tautology: 1000, feature.DuplicateLiterals: 1000}), // of wcnfuzz
		Plain:     true,
		Bounds:    Bounds{MaxVars: 100_000, MaxCalls: 100_000}},
}

// longhandRates favour the calls that only API fuzzers make. A clause with a call for each literal is a split clause,
// so it needs that feature.
var longhandRates = with(with(spreadRates, feature.Many()), Rates{
	feature.SplitClause: 1000,
	feature.Options:     950,
	feature.ManySolves:  10,
	feature.ManyQueries: 500,
})

// plainRates leave a published formula as it is: they allow only features that its clauses and
// weights may have.
var plainRates = scaled(0, Rates{feature.BothPolarities: 1000, feature.UnusedSoft: 1000, feature.BigWeights: 1000,
	feature.NoHard: 1000, feature.OnlyHard: 1000, feature.Gaps: 1000})
