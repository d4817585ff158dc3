// Package feature lists the features of traces: rare properties that have broken solvers.
// The generators draw them, package measure finds them in traces, and a campaign learns
// which of them a fault needs.
package feature

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Feature is something that a trace may do and that has broken solvers. Each trace draws
// its features, each with its rate. A feature that a trace has not drawn does not happen in
// it, not even by accident. Traces with few features show faults that would hide behind
// others (swarm testing: Groce et al., 2012), and a feature that always fails on a target
// can be switched off by its name.
type Feature uint8

// The features, in the order in which tiny/1 draws them.
const (
	Redeclare Feature = iota
	BothPolarities
	UnusedSoft
	ZeroWeight
	BigWeights
	MediumWeights
	UnitWeights
	FreshAssumption
	ContradictoryAssumptions
	DuplicateAssumptions
	AssumeSoft
	EmptyClause
	Tautology
	DuplicateLiterals
	OnlyHard
	NoHard
	NoClauses
	RepeatSolve
	RepeatQuery
	UnseenQuery
	FailedOther
	Terminate
	Learn
	TwoInstances
	ThreeInstances
	ReleaseReinit
	EarlyRelease
	Gaps
	MaxVariable
	Signature
	Havoc
	Options
	SplitClause
	ManyQueries
	Threshold
	FewClauses
	ManySolves
	OneOrTwoVariables

	// Only traces of the other families have the features below: drawing one more would
	// change the traces of tiny/1.
	HardenSoft
	Activation
	Constraints
	Freezing
	Phases
	Simplifying
	Enumerating
	Limiting

	// Drawing one more feature would change every woven trace. So the features below are
	// drawn only if the profile has a rate for them.
	Deciding

	// Only traces of quantified formulas have the features below.
	FreeVariables
	EmptyBlock
	NeighbourBlocks
	InnermostUniversal
	LateBlock
	ExtendedBlock
	Frames
	Groups
	UniversalAssumption

	// Only the profiles for proofs draw this one.
	Proofs

	// Only traces of IPASIR-2 have the features below.
	Importing
	Misusing
	AskingErrors
	Count

	TinyEnd   = OneOrTwoVariables + 1
	SpreadEnd = Activation + 1 // the features after it are woven into finished traces
	WeaveEnd  = Limiting + 1
)

// Quantified are the features that traces of quantified formulas draw, in the order of the draws. Another
// feature in the middle would change all traces.
var Quantified = []Feature{
	EmptyClause, Tautology, DuplicateLiterals, NoClauses, RepeatSolve, RepeatQuery, UnseenQuery, FailedOther, Terminate,
	TwoInstances, ThreeInstances, ReleaseReinit, EarlyRelease, Gaps, MaxVariable, Signature, Havoc, Options, SplitClause,
	ManyQueries, ManySolves, FreeVariables, EmptyBlock, NeighbourBlocks, InnermostUniversal, LateBlock, ExtendedBlock,
	Frames, Groups, UniversalAssumption,
}

// Numbers in the definitions of features.
const (
	LeastBig        = 1 << 31 // the least weight of big-weights
	LeastFar        = 1001    // the least variable of gaps
	UsualSolves     = 5       // the most solves without many-solves
	ManyQueriesFrom = 8       // the fewest single queries of many-queries
)

// table gives each feature its name, the call that the model must have for it,
// the capability that the target must have, and its usual rate in a thousand.
var table = [Count]struct {
	name       string
	call       apimodel.Op
	capability string
	rate       uint32
}{
	Redeclare:                {"redeclare", apimodel.OpSoft, "", 350},
	BothPolarities:           {"both-polarities", apimodel.OpSoft, "", 300},
	UnusedSoft:               {"unused-soft", apimodel.OpSoft, "", 350},
	ZeroWeight:               {"zero-weight", apimodel.OpSoft, "", 150},
	BigWeights:               {"big-weights", apimodel.OpSoft, "", 130},
	MediumWeights:            {"medium-weights", apimodel.OpSoft, "", 200},
	UnitWeights:              {"unit-weights", apimodel.OpSoft, "", 180},
	FreshAssumption:          {"fresh-assumption", apimodel.OpAssume, "", 150},
	ContradictoryAssumptions: {"contradictory-assumptions", apimodel.OpAssume, "", 120},
	DuplicateAssumptions:     {"duplicate-assumptions", apimodel.OpAssume, "", 120},
	AssumeSoft:               {"assume-soft", apimodel.OpSoft, "", 500},
	EmptyClause:              {"empty-clause", apimodel.OpClause, "", 20},
	Tautology:                {"tautology", apimodel.OpClause, "", 100},
	DuplicateLiterals:        {"duplicate-literals", apimodel.OpClause, "", 100},
	OnlyHard:                 {"only-hard", apimodel.OpSoft, "", 40},
	NoHard:                   {"no-hard", apimodel.OpSoft, "", 60},
	NoClauses:                {"no-clauses", apimodel.OpCore, "", 20},
	RepeatSolve:              {"repeat-solve", apimodel.OpSolve, "", 200},
	RepeatQuery:              {"repeat-query", apimodel.OpVal, "", 150},
	UnseenQuery:              {"unseen-query", apimodel.OpVal, "", 60},
	FailedOther:              {"failed-other", apimodel.OpFailed, "", 40},
	Terminate:                {"terminate", apimodel.OpTerminate, "terminate", 200},
	Learn:                    {"learn", apimodel.OpLearn, "learn", 150},
	TwoInstances:             {"two-instances", apimodel.OpInit, "instances", 60},
	ThreeInstances:           {"three-instances", apimodel.OpInit, "instances", 20},
	ReleaseReinit:            {"release-reinit", apimodel.OpInit, "", 60},
	EarlyRelease:             {"early-release", apimodel.OpRelease, "", 50},
	Gaps:                     {"gaps", apimodel.OpClause, "", 50},
	MaxVariable:              {"max-variable", apimodel.OpClause, "", 2},
	Signature:                {"signature", apimodel.OpSignature, "", 30},
	Havoc:                    {"havoc", apimodel.OpHavoc, "havoc", 300},
	Options:                  {"options", apimodel.OpOption, "options", 500},
	SplitClause:              {"split-clause", apimodel.OpClause, "", 80},
	ManyQueries:              {"many-queries", apimodel.OpVal, "", 50},
	Threshold:                {"threshold", apimodel.OpClause, "", 120},
	FewClauses:               {"few-clauses", apimodel.OpClause, "", 200},
	ManySolves:               {"many-solves", apimodel.OpSolve, "", 60},
	OneOrTwoVariables:        {"one-or-two-variables", apimodel.OpClause, "", 80},
	HardenSoft:               {"harden-soft", apimodel.OpClause, "", 0},
	Activation:               {"activation", apimodel.OpAssume, "", 0},
	Constraints:              {"constraints", apimodel.OpConstrain, "constrain", 500},
	Freezing:                 {"freezing", apimodel.OpFreeze, "freeze", 250},
	Phases:                   {"phases", apimodel.OpPhase, "phase", 250},
	Simplifying:              {"simplifying", apimodel.OpSimplify, "simplify", 200},
	Enumerating:              {"enumerating", apimodel.OpEnumerate, "enumerate", 600},
	Limiting:                 {"limiting", apimodel.OpLimitConflicts, "limit", 250},
	Deciding:                 {"deciding", apimodel.OpFixed, "fixed", 0},
	FreeVariables:            {"free-variables", apimodel.OpForall, "", 150},
	EmptyBlock:               {"empty-block", apimodel.OpForall, "", 80},
	NeighbourBlocks:          {"neighbour-blocks", apimodel.OpForall, "", 120},
	InnermostUniversal:       {"innermost-universal", apimodel.OpForall, "", 120},
	LateBlock:                {"late-block", apimodel.OpForall, "", 150},
	ExtendedBlock:            {"extended-block", apimodel.OpExtend, "extend", 150},
	Frames:                   {"frames", apimodel.OpPush, "push", 300},
	Groups:                   {"groups", apimodel.OpOpen, "groups", 300},
	UniversalAssumption:      {"universal-assumption", apimodel.OpForall, "", 500},
	Proofs:                   {"proofs", apimodel.OpProof, "proof", 0},
	Importing:                {"importing", apimodel.OpImport, "import", 500},
	Misusing:                 {"misusing", apimodel.OpMisuse, "misuse", 300},
	AskingErrors:             {"asking-errors", apimodel.OpErrors, "errors", 700},
}

// docs says in one line what a trace with the feature does.
var docs = [Count]string{
	Redeclare:                "a soft literal is declared again, mostly with another weight",
	BothPolarities:           "x and -x are both soft",
	UnusedSoft:               "a soft literal whose variable is in no hard clause so far",
	ZeroWeight:               "a weight of 0, mostly to take a cost away",
	BigWeights:               "weights from 2^31 on, about the powers where integers end",
	MediumWeights:            "weights up to a million",
	UnitWeights:              "every soft literal is first declared with weight 1",
	FreshAssumption:          "an assumption of a variable that no call has named",
	ContradictoryAssumptions: "x and -x are assumed together",
	DuplicateAssumptions:     "a literal is assumed twice for one solve",
	AssumeSoft:               "a soft literal or its negation is assumed",
	EmptyClause:              "a clause without literals",
	Tautology:                "x and -x in one clause",
	DuplicateLiterals:        "a literal twice in one clause",
	OnlyHard:                 "a solve before any soft literal is declared",
	NoHard:                   "a solve before any hard clause is added (IPAMIR)",
	NoClauses:                "a solve before any clause is added (IPASIR)",
	RepeatSolve:              "a solve of the same formula under the same assumptions as the one before",
	RepeatQuery:              "a query made twice of one solution, or val of both x and -x",
	UnseenQuery:              "val or failed of a variable that no call has named",
	FailedOther:              "failed of a literal that was not assumed",
	Terminate:                "terminate callbacks are set, replaced and taken away",
	Learn:                    "learn callbacks are set, replaced and taken away",
	TwoInstances:             "two solvers live side by side",
	ThreeInstances:           "three solvers live side by side",
	ReleaseReinit:            "a solver is released and another made in its place",
	EarlyRelease:             "a solver is released by the trace, not by its end",
	Gaps:                     "variables far apart, numbers of 1000 to a million",
	MaxVariable:              "the variable INT32_MAX",
	Signature:                "the signature is asked for",
	Havoc:                    "ipafuzz_havoc is called",
	Options:                  "options are set",
	SplitClause:              "a clause is given in two calls",
	ManyQueries:              "8 to 20 single queries after a solve",
	Threshold:                "clauses of three literals, about 4.3 a variable",
	FewClauses:               "at most three clauses before a solve",
	ManySolves:               "6 to 10 solves",
	OneOrTwoVariables:        "formulas of one or two variables",
	HardenSoft:               "a unit clause forbids or demands the cost of a soft literal",
	Activation:               "clauses under a fresh literal that is assumed and later retired",
	Constraints:              "a clause is given for the next solve only",
	Freezing:                 "variables are frozen and melted",
	Phases:                   "phases are set and taken back",
	Simplifying:              "the formula is simplified between solves",
	Enumerating:              "solutions are counted",
	Limiting:                 "a solve may give up after some conflicts or decisions",
	Deciding:                 "it is asked whether the clauses decide a literal",
	FreeVariables:            "a clause names a variable that is in no block",
	EmptyBlock:               "a block without variables",
	NeighbourBlocks:          "a block after one with the same quantifier",
	InnermostUniversal:       "a solve while the innermost block is universal",
	LateBlock:                "a block or its variables come after a clause",
	ExtendedBlock:            "a block gets more variables",
	Frames:                   "clauses are removed by push and pop",
	Groups:                   "clauses are in groups",
	UniversalAssumption:      "a universal variable is assumed",
	Proofs:                   "the solver writes a proof, which is asked for",
	Importing:                "a callback gives clauses to a solve",
	Misusing:                 "wrong calls are made, which a code must answer",
	AskingErrors:             "it is asked whether a call returned an error code",
}

// String returns the name of the feature.
func (f Feature) String() string { return table[f].name }

// In reports whether the model has the call that the feature is about.
func (f Feature) In(m *apimodel.Model) bool { return m.Call(table[f].call) != nil }

// UsualRate returns in how many of a thousand traces the feature may happen,
// unless a profile says otherwise.
func (f Feature) UsualRate() uint32 { return table[f].rate }

// Doc says in one line what a trace with the feature does.
func (f Feature) Doc() string { return docs[f] }

// Set is a set of features.
type Set uint64

// Has reports whether the feature is in the set.
func (set Set) Has(f Feature) bool { return set&(1<<f) != 0 }

// List lists the features in the set, in table order.
func (set Set) List() []Feature {
	list := make([]Feature, 0, bits.OnesCount64(uint64(set)))
	for ; set != 0; set &= set - 1 {
		list = append(list, Feature(bits.TrailingZeros64(uint64(set))))
	}
	return list
}

// Names lists the names of the features in the set, in table order.
func (set Set) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(set)))
	for _, f := range set.List() {
		names = append(names, f.String())
	}
	return names
}

// Visible are the features that one can see in a trace. The others only influence how it is
// drawn: a trace whose weights happen to be small looks as if it had drawn small weights.
const Visible = Set(1<<Count-1) &^
	(1<<MediumWeights | 1<<UnitWeights | 1<<Threshold | 1<<FewClauses | 1<<OneOrTwoVariables |
		1<<HardenSoft | 1<<Activation)

// Possible returns the features that traces of the model can have on a target with
// this description.
func Possible(m *apimodel.Model, d *apimodel.Description) Set {
	var set Set
	for f := range Count {
		if f.In(m) && d.Has(table[f].capability) {
			set |= 1 << f
		}
	}
	if d == nil || len(d.Options) == 0 {
		set &^= 1 << Options
	}
	if m.Quantified() { // a variable of the outermost block is assumed once
		set &^= 1<<FreshAssumption | 1<<ContradictoryAssumptions | 1<<DuplicateAssumptions
	}
	if len(d.ProofFormats(m)) == 0 {
		set &^= 1 << Proofs
	}
	return set &^ Rejected(d)
}

// Rejected returns the features that the policies of a target exclude. Traces for no target in particular, with a
// nil description, may have all of them.
func Rejected(d *apimodel.Description) (set Set) {
	if d == nil {
		return 0
	}
	for policy, features := range map[string]Set{
		"soft-zero":             1 << ZeroWeight,
		"soft-unused":           1<<UnusedSoft | 1<<FreshAssumption,
		"free-variable":         1 << FreeVariables,
		"tautology":             1 << Tautology,
		"failed-non-assumption": 1 << FailedOther,
	} {
		if d.Policy(policy) == "rejected" {
			set |= features
		}
	}
	return set
}

// Parse returns the set of the named features.
func Parse(names []string) (Set, error) {
	var set Set
	for _, name := range names {
		f, err := named(name)
		if err != nil {
			return 0, err
		}
		set |= 1 << f
	}
	return set, nil
}

func named(name string) (Feature, error) {
	for f := range Count {
		if f.String() == name {
			return f, nil
		}
	}
	all := ^Set(0) & (1<<Count - 1)
	return 0, fmt.Errorf("unknown feature %q; the features are %s", name, strings.Join(all.Names(), ", "))
}
