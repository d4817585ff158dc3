// Package feature lists the features of traces: rare properties that have broken solvers.
// The generators draw them, package measure finds them in traces, and a campaign learns
// which of them a fault needs.
package feature

import (
	"fmt"
	"math/bits"
	"slices"
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
	// change the traces of tiny/1. The features of calls that extensions add follow all these.
	HardenSoft
	Activation

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

	// Only traces of formula files have the features below.
	WideSoft
	EmptySoft
	SoftTautology
	RepeatedHard

	fixedEnd

	TinyEnd   = OneOrTwoVariables + 1
	SpreadEnd = Activation + 1 // the features after it are woven into finished traces

	Most = 64 // features at most
	None = Feature(Most)
)

// Quantified are the features that traces of quantified formulas draw, in the order of the draws. Another
// feature in the middle would change all traces.
var Quantified = []Feature{
	EmptyClause, Tautology, DuplicateLiterals, NoClauses, RepeatSolve, RepeatQuery, UnseenQuery, FailedOther, Terminate,
	TwoInstances, ThreeInstances, ReleaseReinit, EarlyRelease, Gaps, MaxVariable, Signature, Havoc, Options, SplitClause,
	ManyQueries, ManySolves, FreeVariables, EmptyBlock, NeighbourBlocks, InnermostUniversal, LateBlock, ExtendedBlock,
	Frames, Groups, UniversalAssumption,
}

// Files are the features that traces of formula files draw, in the order of the draws. Another feature in the middle
// would change all traces. A soft clause takes the place of a soft literal, and the order of the clauses does not
// matter.
var Files = []Feature{
	Redeclare, BothPolarities, UnusedSoft, BigWeights, MediumWeights, UnitWeights, EmptyClause, Tautology,
	DuplicateLiterals, OnlyHard, NoHard, NoClauses, Gaps, MaxVariable, Threshold, FewClauses, OneOrTwoVariables,
	HardenSoft, WideSoft, EmptySoft, SoftTautology, RepeatedHard,
}

// Numbers in the definitions of features.
const (
	LeastBig        = 1 << 31 // the least weight of big-weights
	LeastFar        = 1001    // the least variable of gaps
	UsualSolves     = 5       // the most solves without many-solves
	ManyQueriesFrom = 8       // the fewest single queries of many-queries
)

// A row is a feature: its name, the call that the model must have for it, the capability that the target must have, its
// usual rate in a thousand, and what a trace with it does.
type row struct {
	name       string
	call       apimodel.Op
	capability string
	rate       uint32
	doc        string
}

// fixed has the features that are not just about a call.
var fixed = [fixedEnd]row{
	Redeclare: {"redeclare", apimodel.OpSoft, "", 350,
		"a soft literal is declared again, or a soft clause comes again, mostly with another weight"},
	BothPolarities: {"both-polarities", apimodel.OpSoft, "", 300, "x and -x are both soft"},
	UnusedSoft: {"unused-soft", apimodel.OpSoft, "", 350,
		"a soft literal or clause whose variables are in no hard clause so far"},
	ZeroWeight: {"zero-weight", apimodel.OpSoft, "", 150, "a weight of 0, mostly to take a cost away"},
	BigWeights: {"big-weights", apimodel.OpSoft, "", 130,
		"weights from 2^31 on, about the powers where integers end"},
	MediumWeights: {"medium-weights", apimodel.OpSoft, "", 200, "weights up to a million"},
	UnitWeights:   {"unit-weights", apimodel.OpSoft, "", 180, "every soft literal is first declared with weight 1"},
	FreshAssumption: {"fresh-assumption", apimodel.OpAssume, "", 150,
		"an assumption of a variable that no call has named"},
	ContradictoryAssumptions: {"contradictory-assumptions", apimodel.OpAssume, "", 120,
		"x and -x are assumed together"},
	DuplicateAssumptions: {"duplicate-assumptions", apimodel.OpAssume, "", 120,
		"a literal is assumed twice for one solve"},
	AssumeSoft:        {"assume-soft", apimodel.OpSoft, "", 500, "a soft literal or its negation is assumed"},
	EmptyClause:       {"empty-clause", apimodel.OpClause, "", 20, "a clause without literals"},
	Tautology:         {"tautology", apimodel.OpClause, "", 100, "x and -x in one clause"},
	DuplicateLiterals: {"duplicate-literals", apimodel.OpClause, "", 100, "a literal twice in one clause"},
	OnlyHard:          {"only-hard", apimodel.OpSoft, "", 40, "a solve before any soft literal or clause"},
	NoHard:            {"no-hard", apimodel.OpSoft, "", 60, "a solve before any hard clause is added (IPAMIR, WCNF)"},
	NoClauses:         {"no-clauses", apimodel.OpCore, "", 20, "a solve before any clause is added (IPASIR, WCNF)"},
	RepeatSolve: {"repeat-solve", apimodel.OpSolve, "", 200,
		"a solve of the same formula under the same assumptions as the one before"},
	RepeatQuery: {"repeat-query", apimodel.OpVal, "", 150,
		"a query made twice of one solution, or val of both x and -x"},
	UnseenQuery: {"unseen-query", apimodel.OpVal, "", 60, "val or failed of a variable that no call has named"},
	FailedOther: {"failed-other", apimodel.OpFailed, "", 40, "failed of a literal that was not assumed"},
	Terminate: {"terminate", apimodel.OpTerminate, "terminate", 200,
		"terminate callbacks are set, replaced and taken away"},
	Learn:          {"learn", apimodel.OpLearn, "learn", 150, "learn callbacks are set, replaced and taken away"},
	TwoInstances:   {"two-instances", apimodel.OpInit, "instances", 60, "two solvers live side by side"},
	ThreeInstances: {"three-instances", apimodel.OpInit, "instances", 20, "three solvers live side by side"},
	ReleaseReinit: {"release-reinit", apimodel.OpInit, "", 60,
		"a solver is released and another made in its place"},
	EarlyRelease: {"early-release", apimodel.OpRelease, "", 50,
		"a solver is released by the trace, not by its end"},
	Gaps:              {"gaps", apimodel.OpClause, "", 50, "variables far apart, numbers of 1000 to a million"},
	MaxVariable:       {"max-variable", apimodel.OpClause, "", 2, "the variable INT32_MAX"},
	Signature:         {"signature", apimodel.OpSignature, "", 30, "the signature is asked for"},
	Havoc:             {"havoc", apimodel.OpHavoc, "havoc", 300, "ipafuzz_havoc is called"},
	Options:           {"options", apimodel.OpOption, "options", 500, "options are set"},
	SplitClause:       {"split-clause", apimodel.OpClause, "", 80, "a clause is given in two calls"},
	ManyQueries:       {"many-queries", apimodel.OpVal, "", 50, "8 to 20 single queries after a solve"},
	Threshold:         {"threshold", apimodel.OpClause, "", 120, "clauses of three literals, about 4.3 a variable"},
	FewClauses:        {"few-clauses", apimodel.OpClause, "", 200, "at most three clauses before a solve"},
	ManySolves:        {"many-solves", apimodel.OpSolve, "", 60, "6 to 10 solves"},
	OneOrTwoVariables: {"one-or-two-variables", apimodel.OpClause, "", 80, "formulas of one or two variables"},
	HardenSoft: {"harden-soft", apimodel.OpClause, "", 0,
		"hard clauses forbid or demand the cost of a soft literal or clause"},
	Activation: {"activation", apimodel.OpAssume, "", 0,
		"clauses under a fresh literal that is assumed and later retired"},
	FreeVariables: {"free-variables", apimodel.OpForall, "", 150,
		"a clause names a variable that is in no block"},
	EmptyBlock: {"empty-block", apimodel.OpForall, "", 80, "a block without variables"},
	NeighbourBlocks: {"neighbour-blocks", apimodel.OpForall, "", 120,
		"a block after one with the same quantifier"},
	InnermostUniversal: {"innermost-universal", apimodel.OpForall, "", 120,
		"a solve while the innermost block is universal"},
	LateBlock:           {"late-block", apimodel.OpForall, "", 150, "a block or its variables come after a clause"},
	ExtendedBlock:       {"extended-block", apimodel.OpExtend, "extend", 150, "a block gets more variables"},
	Frames:              {"frames", apimodel.OpPush, "push", 300, "clauses are removed by push and pop"},
	Groups:              {"groups", apimodel.OpOpen, "groups", 300, "clauses are in groups"},
	UniversalAssumption: {"universal-assumption", apimodel.OpForall, "", 500, "a universal variable is assumed"},
	WideSoft:            {"wide-soft", apimodel.OpSoftClause, "", 850, "a soft clause of two literals or more"},
	EmptySoft:           {"empty-soft", apimodel.OpSoftClause, "", 60, "a soft clause without literals"},
	SoftTautology:       {"soft-tautology", apimodel.OpSoftClause, "", 80, "x and -x in one soft clause"},
	RepeatedHard: {"repeated-hard", apimodel.OpSoftClause, "", 200,
		"a hard clause comes again, perhaps with its literals in another order"},
}

// aboutSofts are the features of files that SAT formulas do not have.
const aboutSofts Set = 1<<Redeclare | 1<<BothPolarities | 1<<UnusedSoft | 1<<BigWeights | 1<<MediumWeights |
	1<<UnitWeights | 1<<OnlyHard | 1<<NoHard | 1<<HardenSoft | 1<<WideSoft | 1<<EmptySoft | 1<<SoftTautology

// table has all features: fixed, and those of calls of the models.
var table, ofOp, many = withCalls()

// withCalls adds the features of calls. It also returns the feature of each call, and the rates of the profile
// longhand, in a thousand.
func withCalls() (all []row, ofOp [apimodel.NumOps]Feature, many map[Feature]uint32) {
	all, many = slices.Clone(fixed[:]), make(map[Feature]uint32)
	for op := range apimodel.NumOps {
		ofOp[op] = None
		call := op.Row()
		if call == nil || call.Feature == "" {
			continue
		}
		at := slices.IndexFunc(all, func(r row) bool { return r.name == call.Feature })
		if at < 0 {
			at = len(all)
			all = append(all, row{call.Feature, op, call.Optional, call.Rate, call.Shows})
		}
		ofOp[op] = Feature(at)
		if call.Many > 0 {
			many[Feature(at)] = call.Many
		}
	}
	return all, ofOp, many
}

// Count returns the number of features.
func Count() Feature { return Feature(len(table)) }

// All returns the set of all features.
func All() Set { return 1<<Count() - 1 }

// Of returns the feature of traces that make the call, or None.
func Of(op apimodel.Op) Feature { return ofOp[op] }

// Many returns the rates of the profile longhand, in a thousand.
func Many() map[Feature]uint32 { return many }

// String returns the name of the feature.
func (f Feature) String() string { return table[f].name }

// In reports whether traces of the model can have the feature: the model has the call that it is about.
func (f Feature) In(m *apimodel.Model) bool {
	if m.File {
		return slices.Contains(Files, f) && (m.Optimizes() || !aboutSofts.Has(f))
	}
	return m.Call(table[f].call) != nil
}

// UsualRate returns in how many of a thousand traces the feature may happen,
// unless a profile says otherwise.
func (f Feature) UsualRate() uint32 { return table[f].rate }

// Doc says in one line what a trace with the feature does.
func (f Feature) Doc() string { return table[f].doc }

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
var Visible = All() &^
	(1<<MediumWeights | 1<<UnitWeights | 1<<Threshold | 1<<FewClauses | 1<<OneOrTwoVariables |
		1<<HardenSoft | 1<<Activation)

// Possible returns the features that traces of the model can have on a target with
// this description.
func Possible(m *apimodel.Model, d *apimodel.Description) Set {
	var set Set
	for f := range Count() {
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
		set &^= 1 << Of(apimodel.OpProof)
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
		"tautology":             1<<Tautology | 1<<SoftTautology,
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
	for f := range Count() {
		if f.String() == name {
			return f, nil
		}
	}
	return 0, fmt.Errorf("unknown feature %q; the features are %s", name, strings.Join(All().Names(), ", "))
}
