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
	is := func(name, value string) bool {
		set, ok := policies[name]
		if !ok {
			set = apimodel.PolicyNamed(name).Default
		}
		return set == value
	}
	return rules{
		zeroWeightMayBeRefused: !is("soft-zero", "allowed"),
		zeroWeightKnown:        is("soft-zero", "allowed") || is("soft-zero", "rejected"),
		redeclareKnown:         is("redeclare", "per-literal"),
		zeroValueConsistent:    is("val-zero", "completion"),
		unseenIsZero:           is("unseen-val", "zero"),
		unseenIsConsistent:     is("unseen-val", "consistent") || is("unseen-val", "zero"),
		failedOnlyAssumptions:  is("failed-non-assumption", "zero"),
		offUninstalls:          is("terminate-null", "uninstall"),
		stopsPromptly:          is("terminate-stop", "prompt"),
		callsBack:              is("terminate-called", "every-solve"),
		mayGiveUp:              !is("give-up", "never"),
		messagesAreFaults:      is("error-message", "fault"),
		leastTrue:              is("solutions", "least"),
		otherValuesAreZero:     is("qbf-other-val", "zero"),
	}
}
