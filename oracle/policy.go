package oracle

import "github.com/ipafuzz/ipafuzz/apimodel"

// judgedPolicies are the policies that change a verdict. docs/judging.md lists them.
var judgedPolicies = []string{"soft-zero", "redeclare", "val-zero", "unseen-val", "failed-non-assumption",
	"terminate-null", "terminate-stop", "terminate-called", "give-up", "error-message", "solutions",
	"qbf-other-val"}

// rules are the policies in the form that checks need. A value that a check does not know turns the check off.
type rules struct {
	zeroWeightMayBeRefused bool
	zeroWeightKnown        bool
	redeclareKnown         bool
	zeroValueConsistent    bool
	unseenIsZero           bool
	unseenIsConsistent     bool // also true if unseenIsZero is
	failedOnlyAssumptions  bool
	offUninstalls          bool
	stopsPromptly          bool
	callsBack              bool
	mayGiveUp              bool
	messagesAreFaults      bool
	leastTrue              bool
	otherValuesAreZero     bool
}

func rulesOf(policies map[string]string) rules {
	has := func(name, value string) bool {
		set, ok := policies[name]
		if !ok {
			set = apimodel.PolicyNamed(name).Default
		}
		return set == value
	}
	return rules{
		zeroWeightMayBeRefused: !has("soft-zero", "allowed"),
		zeroWeightKnown:        has("soft-zero", "allowed") || has("soft-zero", "rejected"),
		redeclareKnown:         has("redeclare", "per-literal"),
		zeroValueConsistent:    has("val-zero", "completion"),
		unseenIsZero:           has("unseen-val", "zero"),
		unseenIsConsistent:     has("unseen-val", "consistent") || has("unseen-val", "zero"),
		failedOnlyAssumptions:  has("failed-non-assumption", "zero"),
		offUninstalls:          has("terminate-null", "uninstall"),
		stopsPromptly:          has("terminate-stop", "prompt"),
		callsBack:              has("terminate-called", "every-solve"),
		mayGiveUp:              !has("give-up", "never"),
		messagesAreFaults:      has("error-message", "fault"),
		leastTrue:              has("solutions", "least"),
		otherValuesAreZero:     has("qbf-other-val", "zero"),
	}
}
