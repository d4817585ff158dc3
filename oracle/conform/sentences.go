package conform

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Sentence is something that a header file demands or promises, in our words.
type Sentence struct {
	Number   int
	Function string // that it documents; "literals" for what holds of all literal arguments
	Text     string
	Edition  string // where not all editions of the header have it
}

// String returns the sentence as the head of a case has it.
func (s *Sentence) String() string { return fmt.Sprintf("%s: %s", s.Function, s.Text) }

// Sentences returns the sentences of the model's header, in the order of the header.
func Sentences(m *apimodel.Model) []Sentence {
	switch m {
	case apimodel.IPASIR:
		return ipasirSentences
	case apimodel.CaDiCaL:
		return cadicalSentences
	case apimodel.Enumerate:
		return enumerateSentences
	}
	return ipamirSentences
}

// SentenceNumber returns the sentence of that number, nil for none.
func SentenceNumber(m *apimodel.Model, number int) *Sentence {
	if list := Sentences(m); number >= 1 && number <= len(list) {
		return &list[number-1]
	}
	return nil
}

const newer = "newer editions"

func numbered(list []Sentence) []Sentence {
	for i := range list {
		list[i].Number = i + 1
	}
	return list
}

var ipasirSentences = numbered([]Sentence{
	{Function: "ipasir_signature", Text: "Tells the name and the version of the library."},
	{Function: "ipasir_init", Text: "Makes a new solver and returns its handle."},
	{Function: "ipasir_init", Text: "The first argument of every other function names the solver."},
	{Function: "ipasir_init", Text: "Requires no state; the new solver is in state INPUT."},
	{Function: "ipasir_release", Text: "Frees everything that the solver holds."},
	{Function: "ipasir_release", Text: "Ends the solver; only init makes another one."},
	{Function: "ipasir_release", Text: "May be called in the states INPUT, SAT and UNSAT."},
	{Function: "ipasir_add", Text: "Adds a literal to the open clause."},
	{Function: "ipasir_add", Text: "0 ends the clause."},
	{Function: "ipasir_add", Text: "A clause is permanent."},
	{Function: "ipasir_add", Text: "Removable clauses have a literal that an assumption activates."},
	{Function: "ipasir_add", Text: "May be called in the states INPUT, SAT and UNSAT."},
	{Function: "ipasir_add", Text: "Leads to state INPUT."},
	{Function: "literals", Text: "A literal is a number other than 0: the variable, negative when it is negated."},
	{Function: "literals", Text: "All numbers from -(2^31-1) to 2^31-1 but 0 are literals, in every function."},
	{Function: "ipasir_assume", Text: "The literal is assumed in the next solve."},
	{Function: "ipasir_assume", Text: "Solve clears all assumptions."},
	{Function: "ipasir_assume", Text: "May be called in the states INPUT, SAT and UNSAT."},
	{Function: "ipasir_assume", Text: "Leads to state INPUT."},
	{Function: "ipasir_solve", Text: "Solves the clauses under the assumptions."},
	{Function: "ipasir_solve", Text: "Answers 10 when they are satisfiable, which leads to state SAT."},
	{Function: "ipasir_solve", Text: "Answers 20 when they are unsatisfiable, which leads to state UNSAT."},
	{Function: "ipasir_solve", Text: "Answers 0 when the search was interrupted, which leads to state INPUT."},
	{Function: "ipasir_solve", Text: "May be called in every defined state: INPUT, SAT and UNSAT."},
	{Function: "ipasir_solve", Text: "While it runs the state is undefined, so callbacks call none of the functions."},
	{Function: "ipasir_val", Text: "Returns the literal when the solution makes it true and its negation when false."},
	{Function: "ipasir_val",
		Text: "Returns 0 only where the solution is one with either value (older editions: where the value does not " +
			"matter)."},
	{Function: "ipasir_val", Text: "Whatever agrees with the values other than 0 is a model of the clauses.",
		Edition: newer},
	{Function: "ipasir_val",
		Text: "May be called in state SAT: after an answer 10, until a clause or an assumption is added."},
	{Function: "ipasir_val", Text: "Leaves the state as it is."},
	{Function: "ipasir_failed", Text: "Returns 1 when the assumption was used to prove unsatisfiability, else 0."},
	{Function: "ipasir_failed", Text: "The failed assumptions alone are enough for the clauses to be unsatisfiable.",
		Edition: newer},
	{Function: "ipasir_failed", Text: "What it returns for a literal that was not assumed is not specified.",
		Edition: newer},
	{Function: "ipasir_failed",
		Text: "May be called in state UNSAT: after an answer 20, until a clause or an assumption is added."},
	{Function: "ipasir_failed", Text: "Leaves the state as it is."},
	{Function: "ipasir_set_terminate", Text: "Sets the callback with which the client ends the search."},
	{Function: "ipasir_set_terminate", Text: "The solver calls it periodically during the search and checks the result."},
	{Function: "ipasir_set_terminate", Text: "May be called in every state and leaves it as it is."},
	{Function: "ipasir_set_terminate", Text: "The callback returns a value other than 0 to stop the solver."},
	{Function: "ipasir_set_terminate", Text: "The callback receives the pointer that was set with it."},
	{Function: "ipasir_set_learn", Text: "Sets a callback for learned clauses up to a length."},
	{Function: "ipasir_set_learn", Text: "It is called for every learned clause with no more literals than that."},
	{Function: "ipasir_set_learn", Text: "May be called in every state and leaves it as it is."},
	{Function: "ipasir_set_learn", Text: "The callback receives the pointer that was set with it."},
	{Function: "ipasir_set_learn",
		Text: "The clause is an array that ends with 0 and is valid until the callback returns."},
	{Function: "ipasir_set_learn", Text: "A later call replaces the callback.", Edition: newer},
	{Function: "ipasir_set_learn", Text: "NULL removes the callback.", Edition: newer},
})

// Of what a model adds to a standard interface, these are all.
var cadicalSentences = numbered([]Sentence{
	{Function: "ccadical_constrain", Text: "Adds a literal to the open constraint; 0 ends it."},
	{Function: "ccadical_constrain", Text: "The constraint is a clause that holds in the next solve, and in that alone."},
	{Function: "ccadical_constrain", Text: "A second one before that solve replaces the first."},
	{Function: "ccadical_constrain", Text: "Leads to state INPUT."},
	{Function: "ccadical_freeze", Text: "The variable may occur in clauses and assumptions to come."},
	{Function: "ccadical_melt", Text: "Takes back one freeze of the variable."},
	{Function: "ccadical_phase", Text: "Sets the value that decisions try first; no status changes."},
	{Function: "ccadical_unphase", Text: "Undoes phase."},
	{Function: "ccadical_simplify", Text: "Answers 10 or 20 when it solves the formula on the way, otherwise 0."},
	{Function: "ccadical_simplify", Text: "The formula means the same afterwards."},
	{Function: "ccadical_simplify", Text: "Clears the assumptions and the constraint."},
	{Function: "ccadical_limit",
		Text: "The next solve may give up after so many conflicts or decisions, and answers 0 then."},
	{Function: "ccadical_limit", Text: "Holds for the next solve or simplify, and for that alone."},
	{Function: "ccadical_constraint_failed",
		Text: "Tells whether the constraint was used to prove that there is no solution."},
	{Function: "ccadical_fixed",
		Text: "Answers 1 when the clauses imply the literal, -1 when they imply its negation, otherwise 0."},
	{Function: "ccadical_fixed", Text: "Assumptions and the constraint fix nothing."},
	{Function: "ccadical_fixed", Text: "May be called in every state and leaves it as it is."},
})

var enumerateSentences = numbered([]Sentence{
	{Function: "ipafuzz_enumerate", Text: "Counts the assignments of the variables in clauses that fulfil all clauses."},
	{Function: "ipafuzz_enumerate", Text: "Counts in two ways, when the solver has two, and answers both numbers."},
	{Function: "ipafuzz_enumerate", Text: "Stops each count at the number that it is given."},
	{Function: "ipafuzz_enumerate", Text: "Assumptions play no part, and are cleared."},
	{Function: "ipafuzz_enumerate", Text: "Leads to state INPUT, and changes no answer to come."},
})

var ipamirSentences = numbered([]Sentence{
	{Function: "ipamir_signature", Text: "Tells the name and the version of the library."},
	{Function: "ipamir_init", Text: "Makes a new solver and returns its handle."},
	{Function: "ipamir_init", Text: "The first argument of every other function names the solver."},
	{Function: "ipamir_init", Text: "Requires no state; the new solver is in state INPUT."},
	{Function: "ipamir_release", Text: "Frees everything that the solver holds."},
	{Function: "ipamir_release", Text: "Ends the solver; only init makes another one."},
	{Function: "ipamir_release", Text: "May be called in the states INPUT, OPTIMAL, SAT, UNSAT and ERROR."},
	{Function: "ipamir_add_hard", Text: "Adds a literal to the open hard clause."},
	{Function: "ipamir_add_hard", Text: "0 ends the clause."},
	{Function: "ipamir_add_hard", Text: "A hard clause is permanent."},
	{Function: "ipamir_add_hard", Text: "Removable clauses have a literal that an assumption activates."},
	{Function: "ipamir_add_hard", Text: "May be called in the states INPUT, OPTIMAL, SAT and UNSAT."},
	{Function: "ipamir_add_hard", Text: "Leads to state INPUT."},
	{Function: "literals", Text: "A literal is a number other than 0: the variable, negative when it is negated."},
	{Function: "literals", Text: "All numbers from -(2^31-1) to 2^31-1 but 0 are literals, in every function."},
	{Function: "ipamir_add_soft_lit", Text: "Makes the literal soft: a solution in which it is true costs the weight."},
	{Function: "ipamir_add_soft_lit",
		Text: "Means the same as a soft unit clause with the negated literal and that weight."},
	{Function: "ipamir_add_soft_lit",
		Text: "A longer soft clause becomes a hard one with a new literal more, and that literal is soft."},
	{Function: "ipamir_add_soft_lit", Text: "Repeated for a soft literal, it replaces the weight."},
	{Function: "ipamir_add_soft_lit", Text: "May be called in the states INPUT, OPTIMAL, SAT and UNSAT."},
	{Function: "ipamir_add_soft_lit", Text: "Leads to state INPUT."},
	{Function: "ipamir_assume", Text: "The literal is assumed in the next solve."},
	{Function: "ipamir_assume", Text: "Solve clears all assumptions."},
	{Function: "ipamir_assume", Text: "To assume the negation of a soft literal makes its soft clause hard."},
	{Function: "ipamir_assume", Text: "May be called in the states INPUT, OPTIMAL, SAT and UNSAT."},
	{Function: "ipamir_assume", Text: "Leads to state INPUT."},
	{Function: "ipamir_solve", Text: "Solves the hard clauses and the soft literals under the assumptions."},
	{Function: "ipamir_solve", Text: "A solution fulfils the hard clauses and the assumptions."},
	{Function: "ipamir_solve",
		Text: "A solution is optimal when no other costs less: the sum of the weights of the soft literals that are true."},
	{Function: "ipamir_solve", Text: "Says that there is no solution (20), which leads to state UNSAT."},
	{Function: "ipamir_solve", Text: "Says that it was interrupted with a solution (10), which leads to state SAT."},
	{Function: "ipamir_solve", Text: "Answers 30 when it has an optimal solution, which leads to state OPTIMAL."},
	{Function: "ipamir_solve",
		Text: "Answers 40 when something was called that the solver does not support, which leads to state ERROR."},
	{Function: "ipamir_solve", Text: "Answers 0 when it was interrupted without a solution, which leads to state INPUT."},
	{Function: "ipamir_solve", Text: "Nothing but the callback of ipamir_set_terminate interrupts it.",
		Edition: "one edition"},
	{Function: "ipamir_solve", Text: "May be called in every defined state: INPUT, OPTIMAL, SAT and UNSAT."},
	{Function: "ipamir_solve", Text: "While it runs the state is undefined, so callbacks call none of the functions."},
	{Function: "ipamir_val_obj",
		Text: "Returns the cost of the solution: the sum of the weights of all soft literals that are true in it."},
	{Function: "ipamir_val_obj",
		Text: "May be called in the states OPTIMAL and SAT: until something is added, declared or assumed."},
	{Function: "ipamir_val_obj", Text: "Leaves the state as it is."},
	{Function: "ipamir_val_lit", Text: "Returns the literal when the solution makes it true and its negation when false."},
	{Function: "ipamir_val_lit", Text: "Returns 0 only where the value does not matter."},
	{Function: "ipamir_val_lit",
		Text: "May be called in the states OPTIMAL and SAT: until something is added, declared or assumed."},
	{Function: "ipamir_val_lit", Text: "Leaves the state as it is."},
	{Function: "ipamir_set_terminate", Text: "Sets the callback with which the client ends the search."},
	{Function: "ipamir_set_terminate", Text: "The solver calls it periodically during the search and checks the result."},
	{Function: "ipamir_set_terminate", Text: "May be called in every state and leaves it as it is."},
	{Function: "ipamir_set_terminate", Text: "The callback returns a value other than 0 to stop the solver."},
	{Function: "ipamir_set_terminate", Text: "The callback receives the pointer that was set with it."},
})
