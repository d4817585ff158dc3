package apimodel

import (
	"fmt"
	"slices"
	"strings"
)

// A Policy settles one question that the standards leave open. A target chooses one of the
// values in its description. Generators and the judge follow it.
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
		Doc: "allowed: 0 is a weight like any other; redeclaring a soft literal with weight 0 removes its cost. " +
			"rejected: no trace declares weight 0.",
	},
	{
		Name: "soft-unused", Values: []string{"allowed", "rejected"}, Default: "allowed",
		Sentence: "Neither header requires that a variable occurs in a clause before it is declared soft or assumed.",
		Doc: "allowed: any literal may be declared soft or assumed at any time. " +
			"rejected: only literals whose variable occurs in a closed hard clause of the instance.",
	},
	{
		Name: "redeclare", Values: []string{"per-literal", "any"}, Default: "per-literal",
		Sentence: "ipamir.h: 'If lit has already been declared as a soft literal, this function changes the weight of " +
			"lit to weight'; -lit is not mentioned.",
		Doc: "per-literal: a literal's last weight counts; lit and -lit are two soft literals. " +
			"any: costs of redeclared literals are not judged.",
	},
	{
		Name: "weight", Values: []string{"below-2^63", "below-2^64"}, Default: "below-2^63",
		Sentence: "ipamir.h gives a weight the type uint64_t. The MaxSAT Evaluation promises that no weight is above " +
			"2^63-1 and that all weights sum to less than 2^64.",
		Doc: "below-2^63: no trace that is made for the target has a larger weight. " +
			"below-2^64: weights up to 2^64-1. Traces that a user names may have any weight.",
	},
	{
		Name: "weight-sum", Values: []string{"below-2^64", "below-2^63", "any"}, Default: "below-2^64",
		Sentence: "Weights and objective values are uint64_t. ipamir.h does not say what happens above.",
		Doc: "below-2^64, below-2^63: the current weights of an instance sum to less. " +
			"any: no bound, and an objective value that does not fit is not judged.",
	},
	{
		Name: "val-zero", Values: []string{"completion", "any"}, Default: "completion",
		Sentence: "Both headers let val return 0 for 'not important' and do not say which completions are then solutions.",
		Doc: "completion: some values for the variables answered 0 complete a solution " +
			"whose cost is the objective value. " +
			"any: the same, but val of a literal and of its negation may differ where one is 0.",
	},
	{
		Name: "unseen-val", Values: []string{"any", "consistent", "zero"}, Default: "any",
		Sentence: "Neither header says what val returns for a variable that no call has named before.",
		Doc: "any: the literal, its negation or 0, and not always the same. " +
			"consistent: the same throughout one solution, and the opposite for the negation, as for any other variable. " +
			"zero: 0. In any case the question must do no harm.",
	},
	{
		Name: "qbf-other-val", Values: []string{"zero", "any"}, Default: "zero",
		Sentence: "qdpll.h does not say for which variables qdpll_get_value has an answer; QDIMACS 1.1 lets solvers print " +
			"values of the outermost block only, if it is existential and the formula true, or universal and it is false.",
		Doc: "zero: the value of any other variable is 0. " +
			"any: it is not judged.",
	},
	{
		Name: "free-variable", Values: []string{"allowed", "rejected"}, Default: "allowed",
		Sentence: "QDIMACS 1.1 allows variables that no block has, as existential ones of the outermost block. Some " +
			"solvers refuse them.",
		Doc: "allowed: a clause may name such a variable. " +
			"rejected: every variable of a clause is in a block, and other traces are not run.",
	},
	{
		Name: "tautology", Values: []string{"allowed", "rejected"}, Default: "allowed",
		Sentence: "QDIMACS 1.1 and the headers do not say whether a clause may have a literal and its negation. Some " +
			"solvers drop universal literals of such a clause and find it false.",
		Doc: "allowed: such a clause is true. " +
			"rejected: no clause has both, and other traces are not run.",
	},
	{
		Name: "failed-non-assumption", Values: []string{"rejected", "any", "zero"}, Default: "rejected",
		Sentence: "Newer editions of ipasir.h: 'for literals lit which are not assumption literals, the behavior of " +
			"ipasir_failed(lit) is not specified'; older ones say nothing. Some solvers abort.",
		Doc: "rejected: no trace for the target asks for such a literal. " +
			"any: every answer is accepted, if the question does no harm. " +
			"zero: 0, since the literal was not used as an assumption.",
	},
	{
		Name: "terminate-null", Values: []string{"uninstall", "any"}, Default: "uninstall",
		Sentence: "Neither header says whether the callback given to set_terminate or set_learn may be NULL.",
		Doc: "uninstall: NULL removes the callback; later solves call none. " +
			"any: calls of a removed callback are not judged.",
	},
	{
		Name: "terminate-stop", Values: []string{"eventual", "prompt"}, Default: "eventual",
		Sentence: "Both headers: the callback 'returns a non-zero value if the solver should terminate'. Neither says " +
			"how soon, nor whether it may still answer.",
		Doc: "eventual: the solver may continue for a while, ask again and answer. " +
			"prompt: once the callback has said stop, the solve does not call it again and answers that it was interrupted.",
	},
	{
		Name: "terminate-called", Values: []string{"any", "every-solve"}, Default: "any",
		Sentence: "Both headers: the solver 'will periodically call this function'. Neither says how often, nor whether" +
			" an easy solve calls it at all.",
		Doc: "any: a solve may answer without having called the callback. " +
			"every-solve: a solve with a callback calls it at least once.",
	},
	{
		Name: "give-up", Values: []string{"never", "allowed"}, Default: "never",
		Sentence: "Both headers let solve return 0 (ipamir_solve: 0 or 10) 'if the search is interrupted', and name the" +
			" callback as the only cause.",
		Doc: "never: a solve that no callback stopped answers. " +
			"allowed: it may also answer that it was interrupted, because of its own limits.",
	},
	{
		Name: "error-message", Values: []string{"fault", "ignored"}, Default: "fault",
		Sentence: "Neither header says what a library may print.",
		Doc: "fault: an error message beside right answers is a fault of class 4.3; docs/judging.md defines error " +
			"messages. ignored: the library may print what it likes.",
	},
	{
		Name: "solutions", Values: []string{"any", "least"}, Default: "any",
		Sentence: "ipasir.h asks for a solution and does not say which.",
		Doc: "any: every solution is right. " +
			"least: no solution under the assumptions has fewer true variables, as solvers of minimal models promise.",
	},
	{
		Name: "interrupted-state", Values: []string{"input"}, Default: "input",
		Sentence: "Both headers: when solve is interrupted without a solution it returns 0 and the state is INPUT.",
		Doc: "input: after answer 0 clauses, assumptions and solve may follow, " +
			"but not val, obj and failed. The assumptions are cleared.",
	},
	{
		Name: "error-state", Values: []string{"release-only"}, Default: "release-only",
		Sentence: "ipamir.h: 'The solver enters this state if a sequence of ipamir calls have been made that the solver" +
			" does not support'; ipamir_solve then returns 40. Only ipamir_release names ERROR among its required" +
			" states.",
		Doc: "release-only: only release may be called in ERROR.",
	},
}

// Policies returns all policies, in the order of the reference page.
func Policies() []Policy { return policies }

// PolicyNamed returns the policy of that name, or nil.
func PolicyNamed(name string) *Policy {
	for i := range policies {
		if policies[i].Name == name {
			return &policies[i]
		}
	}
	return nil
}

// Accepts returns an error that lists the policy's values, or nil if value is one of them.
func (p *Policy) Accepts(value string) error {
	if slices.Contains(p.Values, value) {
		return nil
	}
	return fmt.Errorf("policy %s can not be %s: it is %s", p.Name, quote(value), strings.Join(p.Values, " or "))
}

// CheckPolicy returns an error unless there is a policy of that name and it has the value.
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
	return fmt.Errorf("unknown policy %s; the policies are %s", quote(name), strings.Join(names, ", "))
}
