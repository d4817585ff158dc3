package apimodel

import "slices"

// IPAMIR is the incremental MaxSAT interface.
//
// The header's prose allows ipamir_val_obj and ipamir_val_lit after "20 or 30". Its required
// states, its description of ipamir_solve and every library show that it means 10 or 30. This
// table has 10 and 30.
var IPAMIR = mustNew(Model{
	ID: 2, Name: "ipamir", Title: "IPAMIR, the re-entrant incremental MaxSAT solver interface",
	Calls: slices.Concat(lifeCalls("ipamir", readyMaxSAT, readyMaxSAT|Set(Error)), []Call{
		{Op: OpClause, Name: "hard", Function: "ipamir_add_hard", Member: "add",
			Args: []Arg{ArgClause}, Does: Poses,
			Legal: readyMaxSAT | Set(Clause), Steps: clauseSteps,
			Doc: "Adds a hard clause literal by literal; 0 ends it. Without the 0 it stays open for the next hard."},
		{Op: OpSoft, Name: "soft", Function: "ipamir_add_soft_lit", Member: "add_soft",
			Args: []Arg{ArgLit, ArgWeight}, Does: Poses,
			Legal: readyMaxSAT, Steps: []Step{{Always, Input}},
			Doc: "Declares what making the literal true costs. Declared again, the new weight replaces the old one."},
		{Op: OpAssume, Name: "assume", Function: "ipamir_assume", Args: []Arg{ArgLit}, Does: Poses,
			Legal: readyMaxSAT, Steps: []Step{{Always, Input}},
			Doc: "Assumes a literal for the next solve only."},
		{Op: OpSolve, Name: "solve", Function: "ipamir_solve", Reply: ReplyStatus, Does: Clears,
			Legal: readyMaxSAT,
			Steps: []Step{{Answered0, Input}, {Answered10, Sat}, {Answered20, Unsat}, {Answered30, Optimal},
				{Answered40, Error}},
			Doc: "Minimises the cost under the hard clauses and the assumptions, and clears the assumptions. 30: optimal, " +
				"20: no solution, 10: interrupted with a solution, 0: interrupted without one, 40: some call is not " +
				"supported."},
		{Op: OpObj, Name: "obj", Function: "ipamir_val_obj", Reply: ReplyWeight, Does: Asks,
			Legal: Set(Sat, Optimal),
			Doc:   "The cost of the current solution: the sum of the weights of the soft literals that it sets true."},
		{Op: OpVal, Name: "val", Function: "ipamir_val_lit", Member: "val",
			Args: []Arg{ArgLit}, Reply: ReplyLit, Does: Asks,
			Legal: Set(Sat, Optimal),
			Doc:   "The literal when the current solution makes it true, its negation when false, 0 when not important."},
		{Op: OpModel, Name: "model", Member: "val", Reply: ReplyModel, Does: Asks,
			Legal: Set(Sat, Optimal),
			Doc:   "val of every variable that the instance has named so far, one after the other."},
		terminateCall("ipamir", readyMaxSAT),
		{Op: OpProof, Name: "proof", Function: "ipafuzz_proof", Reply: ReplyText, Does: Asks,
			Optional: "proof", Legal: readyMaxSAT,
			Doc: "The proof of the last solve's answer, in the format that the solver's option 'proof' names."},
	}),
})
