package gen

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
type feature uint8

const (
	redeclare feature = iota
	bothPolarities
	unusedSoft
	zeroWeight
	bigWeights
	mediumWeights
	unitWeights
	freshAssumption
	contradictoryAssumptions
	duplicateAssumptions
	assumeSoft
	emptyClause
	tautology
	duplicateLiterals
	onlyHard
	noHard
	noClauses
	repeatSolve
	repeatQuery
	unseenQuery
	failedOther
	terminate
	learn
	twoInstances
	threeInstances
	releaseReinit
	earlyRelease
	gaps
	maxVariable
	signature
	havoc
	options
	splitClause
	manyQueries
	threshold
	fewClauses
	manySolves
	oneOrTwoVariables

	// Only traces of the other families have the features from here on: tiny/1
	// draws those above, and one more would change its traces.
	hardenSoft
	activation
	constraints
	freezing
	phases
	simplifying
	enumerating
	limiting
	numFeatures

	tinyFeatures   = oneOrTwoVariables + 1
	spreadFeatures = activation + 1 // what follows is woven in, see weave.go
)

// Numbers in the definitions of features.
const (
	leastBig    = 1 << 31 // of big-weights
	leastFar    = 1001    // variable, of gaps
	usualSolves = 5       // without many-solves
	manyAsked   = 8       // single queries, of many-queries
)

// table gives each feature its name, the calls that the model must have
// for it, the capability that the target must have, and its rate in a thousand.
var table = [numFeatures]struct {
	name       string
	call       apimodel.Op
	capability string
	rate       uint32
	doc        string
}{
	redeclare:                {"redeclare", apimodel.OpSoft, "", 350, "a soft literal is declared again, mostly with another weight"},
	bothPolarities:           {"both-polarities", apimodel.OpSoft, "", 300, "x and -x are both soft"},
	unusedSoft:               {"unused-soft", apimodel.OpSoft, "", 350, "a soft literal whose variable is in no hard clause so far"},
	zeroWeight:               {"zero-weight", apimodel.OpSoft, "", 150, "a weight of 0, mostly to take a cost away"},
	bigWeights:               {"big-weights", apimodel.OpSoft, "", 130, "weights from 2^31 on, about the powers where integers end"},
	mediumWeights:            {"medium-weights", apimodel.OpSoft, "", 200, "weights up to a million"},
	unitWeights:              {"unit-weights", apimodel.OpSoft, "", 180, "every soft literal is first declared with weight 1"},
	freshAssumption:          {"fresh-assumption", apimodel.OpAssume, "", 150, "an assumption of a variable that no call has named"},
	contradictoryAssumptions: {"contradictory-assumptions", apimodel.OpAssume, "", 120, "x and -x are assumed together"},
	duplicateAssumptions:     {"duplicate-assumptions", apimodel.OpAssume, "", 120, "a literal is assumed twice for one solve"},
	assumeSoft:               {"assume-soft", apimodel.OpSoft, "", 500, "a soft literal or its negation is assumed"},
	emptyClause:              {"empty-clause", apimodel.OpClause, "", 20, "a clause without literals"},
	tautology:                {"tautology", apimodel.OpClause, "", 100, "x and -x in one clause"},
	duplicateLiterals:        {"duplicate-literals", apimodel.OpClause, "", 100, "a literal twice in one clause"},
	onlyHard:                 {"only-hard", apimodel.OpSoft, "", 40, "a solve before any soft literal is declared"},
	noHard:                   {"no-hard", apimodel.OpSoft, "", 60, "a solve before any hard clause is added (IPAMIR)"},
	noClauses:                {"no-clauses", apimodel.OpCore, "", 20, "a solve before any clause is added (IPASIR)"},
	repeatSolve:              {"repeat-solve", apimodel.OpSolve, "", 200, "a solve of the same formula under the same assumptions as the one before"},
	repeatQuery:              {"repeat-query", apimodel.OpVal, "", 150, "a query made twice of one solution, or val of both x and -x"},
	unseenQuery:              {"unseen-query", apimodel.OpVal, "", 60, "val or failed of a variable that no call has named"},
	failedOther:              {"failed-other", apimodel.OpFailed, "", 40, "failed of a literal that was not assumed"},
	terminate:                {"terminate", apimodel.OpTerminate, "terminate", 200, "terminate callbacks are set, replaced and taken away"},
	learn:                    {"learn", apimodel.OpLearn, "learn", 150, "learn callbacks are set, replaced and taken away"},
	twoInstances:             {"two-instances", apimodel.OpInit, "instances", 60, "two solvers live side by side"},
	threeInstances:           {"three-instances", apimodel.OpInit, "instances", 20, "three solvers live side by side"},
	releaseReinit:            {"release-reinit", apimodel.OpInit, "", 60, "a solver is released and another made in its place"},
	earlyRelease:             {"early-release", apimodel.OpRelease, "", 50, "a solver is released by the trace, not by its end"},
	gaps:                     {"gaps", apimodel.OpClause, "", 50, "variables far apart, numbers of 1000 to a million"},
	maxVariable:              {"max-variable", apimodel.OpClause, "", 2, "the variable INT32_MAX"},
	signature:                {"signature", apimodel.OpSignature, "", 30, "the signature is asked for"},
	havoc:                    {"havoc", apimodel.OpHavoc, "havoc", 300, "ipafuzz_havoc is called"},
	options:                  {"options", apimodel.OpOption, "options", 500, "options are set"},
	splitClause:              {"split-clause", apimodel.OpClause, "", 80, "a clause is given in two calls"},
	manyQueries:              {"many-queries", apimodel.OpVal, "", 50, "8 to 20 single queries after a solve"},
	threshold:                {"threshold", apimodel.OpClause, "", 120, "clauses of three literals, about 4.3 a variable"},
	fewClauses:               {"few-clauses", apimodel.OpClause, "", 200, "at most three clauses before a solve"},
	manySolves:               {"many-solves", apimodel.OpSolve, "", 60, "6 to 10 solves"},
	oneOrTwoVariables:        {"one-or-two-variables", apimodel.OpClause, "", 80, "formulas of one or two variables"},
	hardenSoft:               {"harden-soft", apimodel.OpClause, "", 0, "a unit clause forbids or demands the cost of a soft literal"},
	activation:               {"activation", apimodel.OpAssume, "", 0, "clauses under a fresh literal that is assumed and later retired"},
	constraints:              {"constraints", apimodel.OpConstrain, "constrain", 500, "a clause is given for the next solve only"},
	freezing:                 {"freezing", apimodel.OpFreeze, "freeze", 250, "variables are frozen and melted"},
	phases:                   {"phases", apimodel.OpPhase, "phase", 250, "phases are set and taken back"},
	simplifying:              {"simplifying", apimodel.OpSimplify, "simplify", 200, "the formula is simplified between solves"},
	enumerating:              {"enumerating", apimodel.OpEnumerate, "enumerate", 600, "solutions are counted"},
	limiting:                 {"limiting", apimodel.OpLimitConflicts, "limit", 250, "a solve may give up after some conflicts or decisions"},
}

func (f feature) String() string { return table[f].name }

// in reports whether the model has the calls that the feature is about.
func (f feature) in(m *apimodel.Model) bool { return m.Call(table[f].call) != nil }

// usualRate returns in how many of a thousand traces the feature may happen,
// unless a profile says otherwise.
func (f feature) usualRate() uint32 { return table[f].rate }

// doc says in one line what a trace with the feature does.
func (f feature) doc() string { return table[f].doc }

// featureSet is a set of features.
type featureSet uint64

func (set featureSet) has(f feature) bool { return set&(1<<f) != 0 }

// names lists the features in the set, in table order.
func (set featureSet) names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(set)))
	for f := range numFeatures {
		if set.has(f) {
			names = append(names, f.String())
		}
	}
	return names
}

// inspected are the features that can be seen in a trace. The others are ways of
// drawing it: a trace may look as if it was drawn so by chance, such as one whose
// weights happen to be small.
const inspected = featureSet(1<<numFeatures-1) &^
	(1<<mediumWeights | 1<<unitWeights | 1<<threshold | 1<<fewClauses | 1<<oneOrTwoVariables |
		1<<hardenSoft | 1<<activation)

// possible returns the features that traces of the model can have on a target
// of that description.
func possible(m *apimodel.Model, d *apimodel.Description) featureSet {
	var set featureSet
	for f := range numFeatures {
		if f.in(m) && d.Has(table[f].capability) {
			set |= 1 << f
		}
	}
	if d == nil || len(d.Options) == 0 {
		set &^= 1 << options
	}
	if d.Policy("soft-zero") == "rejected" {
		set &^= 1 << zeroWeight
	}
	if d.Policy("soft-unused") == "rejected" {
		set &^= 1<<unusedSoft | 1<<freshAssumption
	}
	return set
}

// parseFeatures turns names into a set.
func parseFeatures(names []string) (featureSet, error) {
	var set featureSet
	for _, name := range names {
		f, err := featureNamed(name)
		if err != nil {
			return 0, err
		}
		set |= 1 << f
	}
	return set, nil
}

func featureNamed(name string) (feature, error) {
	for f := range numFeatures {
		if f.String() == name {
			return f, nil
		}
	}
	all := ^featureSet(0) & (1<<numFeatures - 1)
	return 0, fmt.Errorf("there is no feature %q; the features are %s", name, strings.Join(all.names(), ", "))
}
