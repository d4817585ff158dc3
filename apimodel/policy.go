package apimodel

import (
	"fmt"
	"strings"
)

// A Policy settles one question that the standards leave open. A target sets
// it in its description; generators and oracles follow it.
type Policy struct {
	Name     string
	Values   []string
	Default  string
	Sentence string // what the standard says, or that it does not say
	Doc      string // what each value means here
}

var policies = []Policy{
	{
		Name: "soft-zero", Values: []string{"allowed", "rejected"}, Default: "allowed",
		Sentence: "ipamir.h gives the weight of ipamir_add_soft_lit the type uint64_t and does not say whether 0 is one.",
		Doc: "allowed: 0 is a weight like any other, and declaring a soft literal again with weight 0 takes its cost away. " +
			"rejected: no trace declares weight 0.",
	},
	{
		Name: "soft-unused", Values: []string{"allowed", "rejected"}, Default: "allowed",
		Sentence: "Neither ipasir.h nor ipamir.h asks that a variable occurs in a clause before it is declared soft or assumed.",
		Doc: "allowed: any literal may be declared soft or assumed at any time. " +
			"rejected: only literals whose variable occurs in a closed hard clause of the instance.",
	},
	{
		Name: "redeclare", Values: []string{"per-literal", "any"}, Default: "per-literal",
		Sentence: "ipamir.h: 'If lit has already been declared as a soft literal, this function changes the weight of lit to weight'; -lit is not mentioned.",
		Doc: "per-literal: the last weight declared of a literal counts; lit and -lit are two soft literals with a weight each. " +
			"any: what is redeclared is not judged.",
	},
	{
		Name: "weight-sum", Values: []string{"below-2^64", "below-2^63", "any"}, Default: "below-2^64",
		Sentence: "Weights and objective values are uint64_t. ipamir.h does not say what an objective value above that is.",
		Doc: "below-2^64, below-2^63: the current weights of all soft literals of an instance sum to less than that. " +
			"any: they may sum to anything, and an objective value that does not fit is not judged.",
	},
	{
		Name: "open-clause", Values: []string{"rejected", "allowed"}, Default: "rejected",
		Sentence: "Neither header says whether anything but the next literal may be given between the first literal of a clause and its 0.",
		Doc: "rejected: in state CLAUSE only the rest of the clause may come. " +
			"allowed: the target is known to take every call of state INPUT there; the clause counts from its 0 on.",
	},
	{
		Name: "val-zero", Values: []string{"completion", "any"}, Default: "completion",
		Sentence: "Both headers let val return 0 for 'not important' and do not say which completions are then solutions.",
		Doc: "completion: at least one choice of values for the variables answered 0 gives a solution of the hard clauses and the assumptions, " +
			"whose cost is the objective value reported. " +
			"any: the same, and val of a literal and of its negation need not agree where one of them is 0.",
	},
	{
		Name: "unseen-val", Values: []string{"any", "zero"}, Default: "any",
		Sentence: "Neither header says what val returns for a variable that no call has named before.",
		Doc: "any: the literal, its negation or 0, at every question anew. " +
			"zero: 0. Either way the question must not do harm.",
	},
	{
		Name: "failed-non-assumption", Values: []string{"any", "zero"}, Default: "any",
		Sentence: "Newer editions of ipasir.h: 'for literals lit which are not assumption literals, the behavior of ipasir_failed(lit) is not specified'; older ones say nothing.",
		Doc: "any: every answer is taken, as long as the question does no harm. " +
			"zero: 0, since the literal was not used as an assumption.",
	},
	{
		Name: "terminate-null", Values: []string{"uninstall", "any"}, Default: "uninstall",
		Sentence: "Neither header says whether the callback given to set_terminate or set_learn may be NULL.",
		Doc: "uninstall: NULL takes the callback away; the following solves run to their end and learn in silence. " +
			"any: calls of a callback that was taken away are not judged.",
	},
	{
		Name: "terminate-stop", Values: []string{"eventual", "prompt"}, Default: "eventual",
		Sentence: "Both headers: the callback 'returns a non-zero value if the solver should terminate'. Neither says how soon, nor whether it may still answer.",
		Doc: "eventual: the solver may go on for a while, ask again and answer. " +
			"prompt: once the callback has said stop it is not asked again in that solve, which returns that it was interrupted.",
	},
	{
		Name: "terminate-called", Values: []string{"any", "every-solve"}, Default: "any",
		Sentence: "Both headers: the solver 'will periodically call this function'. Neither says how often, nor whether an easy solve calls it at all.",
		Doc: "any: a solve may answer without having called the callback. " +
			"every-solve: a solve with a callback in place calls it at least once.",
	},
	{
		Name: "give-up", Values: []string{"never", "allowed"}, Default: "never",
		Sentence: "Both headers let solve return 0 (ipamir_solve: 0 or 10) 'if the search is interrupted', and name the callback as the only cause.",
		Doc: "never: a solve that no callback stopped answers. " +
			"allowed: it may also return that it was interrupted, for limits of its own.",
	},
	{
		Name: "error-message", Values: []string{"fault", "ignored"}, Default: "fault",
		Sentence: "Neither header says what a library may print.",
		Doc: "fault: an error message beside right answers is a fault of class 4.3; docs/faults.md says what is taken for one. " +
			"ignored: the library may print what it likes.",
	},
	{
		Name: "solutions", Values: []string{"any", "least"}, Default: "any",
		Sentence: "ipasir.h asks for a solution and does not say which.",
		Doc: "any: every solution is right. " +
			"least: as few variables are true as there can be under the assumptions, which solvers of minimal models promise.",
	},
	{
		Name: "interrupted-state", Values: []string{"input"}, Default: "input",
		Sentence: "Both headers: when solve is interrupted without a solution it returns 0 and the state is INPUT.",
		Doc:      "input: after answer 0 no val, obj or failed may be asked; clauses, assumptions and solve may follow. The assumptions are cleared.",
	},
	{
		Name: "error-state", Values: []string{"release-only"}, Default: "release-only",
		Sentence: "ipamir.h: 'The solver enters this state if a sequence of ipamir calls have been made that the solver does not support'; ipamir_solve then returns 40. Only ipamir_release names ERROR among its required states.",
		Doc:      "release-only: a solver in ERROR can be released; nothing else may be called.",
	},
}

// Policies returns all policies, in the order of the reference page.
func Policies() []Policy { return policies }

// PolicyNamed finds a policy, nil when there is none of that name.
func PolicyNamed(name string) *Policy {
	for i := range policies {
		if policies[i].Name == name {
			return &policies[i]
		}
	}
	return nil
}

// Accepts returns nil when value is a value of the policy, else an error that
// lists the values.
func (p *Policy) Accepts(value string) error {
	for _, v := range p.Values {
		if v == value {
			return nil
		}
	}
	return fmt.Errorf("policy %s can not be %s: it is %s", p.Name, quote(value), strings.Join(p.Values, " or "))
}

// CheckPolicy returns nil when there is a policy of that name and it takes the value.
func CheckPolicy(name, value string) error {
	if p := PolicyNamed(name); p != nil {
		return p.Accepts(value)
	}
	if CapabilityNamed(name) != nil {
		return fmt.Errorf("%s is a capability, not a policy: say 'lacks %s' when the target does not have it", name, name)
	}
	names := make([]string, len(policies))
	for i := range policies {
		names[i] = policies[i].Name
	}
	return fmt.Errorf("there is no policy %s; the policies are %s", quote(name), strings.Join(names, ", "))
}
