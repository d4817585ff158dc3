package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// A policy says how a target reads what its standard leaves open. The first
// value is the default. A value that is not listed switches the checks off that
// depend on it: what is not understood cannot be judged.
type policy struct {
	name   string
	values []string
	doc    string
}

var policyTable = []policy{
	{"soft-zero", []string{"allowed", "rejected"}, "A soft literal of weight 0: taken (the literal is no longer soft), or the solver may refuse from then on."},
	{"redeclare", []string{"per-literal", "any"}, "A soft literal declared again: its weight is replaced, or unspecified."},
	{"val-zero", []string{"completion", "any"}, "val answers 0: for both polarities, and some completion fits clauses, assumptions and objective; or for one polarity only as well."},
	{"failed-non-assumption", []string{"any", "zero"}, "failed of a literal that was not assumed: unspecified, or 0."},
	{"terminate-null", []string{"uninstall", "any"}, "set_terminate with NULL takes the callback away, or is unspecified."},
	{"give-up", []string{"never", "allowed"}, "A solve that nobody stopped answers 'interrupted': a fault, or allowed (limits set by options, incomplete engines)."},
}

// CheckPolicies reports a value that the oracle does not know for a policy that
// it knows. Other policies are none of its business.
func CheckPolicies(policies map[string]string) error {
	for _, p := range policyTable {
		if value, set := policies[p.name]; set && !slices.Contains(p.values, value) {
			return fmt.Errorf("policy %s = %q: the oracle knows %s", p.name, value, strings.Join(p.values, ", "))
		}
	}
	return nil
}

// rules are the policies as the checks ask for them.
type rules struct {
	zeroWeightMayBeRefused bool
	zeroWeightKnown        bool
	redeclareKnown         bool
	zeroValueConsistent    bool
	failedOnlyAssumptions  bool
	offUninstalls          bool
	mayGiveUp              bool
}

func rulesOf(policies map[string]string) rules {
	is := func(name, value string) bool {
		set, ok := policies[name]
		if !ok {
			for _, p := range policyTable {
				if p.name == name {
					set = p.values[0]
				}
			}
		}
		return set == value
	}
	return rules{
		zeroWeightMayBeRefused: !is("soft-zero", "allowed"),
		zeroWeightKnown:        is("soft-zero", "allowed") || is("soft-zero", "rejected"),
		redeclareKnown:         is("redeclare", "per-literal"),
		zeroValueConsistent:    is("val-zero", "completion"),
		failedOnlyAssumptions:  is("failed-non-assumption", "zero"),
		offUninstalls:          is("terminate-null", "uninstall"),
		mayGiveUp:              !is("give-up", "never"),
	}
}
