package feature

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A feature is something that a trace may do and that has broken solvers. For
// every trace each feature is drawn with its rate: what is not drawn does not
// happen in that trace, not even by accident. Traces with few features show
// faults that would hide behind others (swarm testing: Groce et al., 2012), and
// a feature that always fails on a target can be switched off by its name.
type Feature uint8

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

	// Only traces of the other families have the features from here on: tiny/1
	// draws those above, and one more would change its traces.
	HardenSoft
	Activation
	Constraints
	Freezing
	Phases
	Simplifying
	Enumerating
	Limiting
	Count

	TinyEnd   = OneOrTwoVariables + 1
	SpreadEnd = Activation + 1 // what follows is woven in, see weave.go
)

// Numbers in the definitions of features.
const (
	LeastBig         = 1 << 31 // of big-weights
	LeastFar         = 1001    // variable, of gaps
	UsualSolves      = 5       // without many-solves
	ManyQueriesLeast = 8       // single queries, of many-queries
)

// table gives each feature its name, the calls that the model must have
// for it, the capability that the target must have, and its rate in a thousand.
var table = [Count]struct {
	name       string
	call       apimodel.Op
	capability string
	rate       uint32
	doc        string
}{
	Redeclare:                {"redeclare", apimodel.OpSoft, "", 350, "a soft literal is declared again, mostly with another weight"},
	BothPolarities:           {"both-polarities", apimodel.OpSoft, "", 300, "x and -x are both soft"},
	UnusedSoft:               {"unused-soft", apimodel.OpSoft, "", 350, "a soft literal whose variable is in no hard clause so far"},
	ZeroWeight:               {"zero-weight", apimodel.OpSoft, "", 150, "a weight of 0, mostly to take a cost away"},
	BigWeights:               {"big-weights", apimodel.OpSoft, "", 130, "weights from 2^31 on, about the powers where integers end"},
	MediumWeights:            {"medium-weights", apimodel.OpSoft, "", 200, "weights up to a million"},
	UnitWeights:              {"unit-weights", apimodel.OpSoft, "", 180, "every soft literal is first declared with weight 1"},
	FreshAssumption:          {"fresh-assumption", apimodel.OpAssume, "", 150, "an assumption of a variable that no call has named"},
	ContradictoryAssumptions: {"contradictory-assumptions", apimodel.OpAssume, "", 120, "x and -x are assumed together"},
	DuplicateAssumptions:     {"duplicate-assumptions", apimodel.OpAssume, "", 120, "a literal is assumed twice for one solve"},
	AssumeSoft:               {"assume-soft", apimodel.OpSoft, "", 500, "a soft literal or its negation is assumed"},
	EmptyClause:              {"empty-clause", apimodel.OpClause, "", 20, "a clause without literals"},
	Tautology:                {"tautology", apimodel.OpClause, "", 100, "x and -x in one clause"},
	DuplicateLiterals:        {"duplicate-literals", apimodel.OpClause, "", 100, "a literal twice in one clause"},
	OnlyHard:                 {"only-hard", apimodel.OpSoft, "", 40, "a solve before any soft literal is declared"},
	NoHard:                   {"no-hard", apimodel.OpSoft, "", 60, "a solve before any hard clause is added (IPAMIR)"},
	NoClauses:                {"no-clauses", apimodel.OpCore, "", 20, "a solve before any clause is added (IPASIR)"},
	RepeatSolve:              {"repeat-solve", apimodel.OpSolve, "", 200, "a solve of the same formula under the same assumptions as the one before"},
	RepeatQuery:              {"repeat-query", apimodel.OpVal, "", 150, "a query made twice of one solution, or val of both x and -x"},
	UnseenQuery:              {"unseen-query", apimodel.OpVal, "", 60, "val or failed of a variable that no call has named"},
	FailedOther:              {"failed-other", apimodel.OpFailed, "", 40, "failed of a literal that was not assumed"},
	Terminate:                {"terminate", apimodel.OpTerminate, "terminate", 200, "terminate callbacks are set, replaced and taken away"},
	Learn:                    {"learn", apimodel.OpLearn, "learn", 150, "learn callbacks are set, replaced and taken away"},
	TwoInstances:             {"two-instances", apimodel.OpInit, "instances", 60, "two solvers live side by side"},
	ThreeInstances:           {"three-instances", apimodel.OpInit, "instances", 20, "three solvers live side by side"},
	ReleaseReinit:            {"release-reinit", apimodel.OpInit, "", 60, "a solver is released and another made in its place"},
	EarlyRelease:             {"early-release", apimodel.OpRelease, "", 50, "a solver is released by the trace, not by its end"},
	Gaps:                     {"gaps", apimodel.OpClause, "", 50, "variables far apart, numbers of 1000 to a million"},
	MaxVariable:              {"max-variable", apimodel.OpClause, "", 2, "the variable INT32_MAX"},
	Signature:                {"signature", apimodel.OpSignature, "", 30, "the signature is asked for"},
	Havoc:                    {"havoc", apimodel.OpHavoc, "havoc", 300, "ipafuzz_havoc is called"},
	Options:                  {"options", apimodel.OpOption, "options", 500, "options are set"},
	SplitClause:              {"split-clause", apimodel.OpClause, "", 80, "a clause is given in two calls"},
	ManyQueries:              {"many-queries", apimodel.OpVal, "", 50, "8 to 20 single queries after a solve"},
	Threshold:                {"threshold", apimodel.OpClause, "", 120, "clauses of three literals, about 4.3 a variable"},
	FewClauses:               {"few-clauses", apimodel.OpClause, "", 200, "at most three clauses before a solve"},
	ManySolves:               {"many-solves", apimodel.OpSolve, "", 60, "6 to 10 solves"},
	OneOrTwoVariables:        {"one-or-two-variables", apimodel.OpClause, "", 80, "formulas of one or two variables"},
	HardenSoft:               {"harden-soft", apimodel.OpClause, "", 0, "a unit clause forbids or demands the cost of a soft literal"},
	Activation:               {"activation", apimodel.OpAssume, "", 0, "clauses under a fresh literal that is assumed and later retired"},
	Constraints:              {"constraints", apimodel.OpConstrain, "constrain", 500, "a clause is given for the next solve only"},
	Freezing:                 {"freezing", apimodel.OpFreeze, "freeze", 250, "variables are frozen and melted"},
	Phases:                   {"phases", apimodel.OpPhase, "phase", 250, "phases are set and taken back"},
	Simplifying:              {"simplifying", apimodel.OpSimplify, "simplify", 200, "the formula is simplified between solves"},
	Enumerating:              {"enumerating", apimodel.OpEnumerate, "enumerate", 600, "solutions are counted"},
	Limiting:                 {"limiting", apimodel.OpLimitConflicts, "limit", 250, "a solve may give up after some conflicts or decisions"},
}

func (f Feature) String() string { return table[f].name }

// in reports whether the model has the calls that the feature is about.
func (f Feature) In(m *apimodel.Model) bool { return m.Call(table[f].call) != nil }

// usualRate returns in how many of a thousand traces the feature may happen,
// unless a profile says otherwise.
func (f Feature) UsualRate() uint32 { return table[f].rate }

// doc says in one line what a trace with the feature does.
func (f Feature) Doc() string { return table[f].doc }

// featureSet is a set of features.
type Set uint64

func (set Set) Has(f Feature) bool { return set&(1<<f) != 0 }

// names lists the features in the set, in table order.
func (set Set) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(set)))
	for f := range Count {
		if set.Has(f) {
			names = append(names, f.String())
		}
	}
	return names
}

// inspected are the features that can be seen in a trace. The others are ways of
// drawing it: a trace may look as if it was drawn so by chance, such as one whose
// weights happen to be small.
const Visible = Set(1<<Count-1) &^
	(1<<MediumWeights | 1<<UnitWeights | 1<<Threshold | 1<<FewClauses | 1<<OneOrTwoVariables |
		1<<HardenSoft | 1<<Activation)

// possible returns the features that traces of the model can have on a target
// of that description.
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
	if d.Policy("soft-zero") == "rejected" {
		set &^= 1 << ZeroWeight
	}
	if d.Policy("soft-unused") == "rejected" {
		set &^= 1<<UnusedSoft | 1<<FreshAssumption
	}
	return set
}

// parseFeatures turns names into a set.
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
	return 0, fmt.Errorf("there is no feature %q; the features are %s", name, strings.Join(all.Names(), ", "))
}
