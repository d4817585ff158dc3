package apimodel

import "slices"

// The headers allow a client to add to the formula and to solve in these states: "INPUT or SAT
// or UNSAT" (IPAMIR: "or OPTIMAL"). Start is their INPUT, too. Clause is not among them: neither
// header says whether a client may make another call inside a clause, so only the rest of the
// clause is legal there.
var (
	readySAT    = Set(Start, Input, Sat, Unsat)
	readyMaxSAT = Set(Start, Input, Sat, Unsat, Optimal)
)

var clauseSteps = []Step{{ClauseClosed, Input}, {ClauseOpen, Clause}}

// lifeCalls returns the calls that every interface has: init, release, signature, option and
// havoc. Options and havoc are legal in the states ready, release in the states done.
func lifeCalls(prefix string, ready, done States) []Call {
	return []Call{
		{Op: OpInit, Name: "init", Function: prefix + "_init", Does: Renews,
			Legal: Set(None), Steps: []Step{{Always, Start}},
			Doc: "Makes a new solver. An instance's first call implies it; after a release it is required."},
		{Op: OpRelease, Name: "release", Function: prefix + "_release", Does: Renews,
			Legal: done, Steps: []Step{{Always, None}},
			Doc: "Ends the solver and frees its memory. The end of the trace releases all solvers left."},
		{Op: OpSignature, Name: "signature", Function: prefix + "_signature", Reply: ReplyText, Does: Asks,
			Legal: Set(None) | ready,
			Doc:   "Name and version of the library. Needs no solver.",
			Use:   Use{Feature: "signature"}},
		{Op: OpOption, Name: "option", Member: "set_option",
			Args: []Arg{ArgName, ArgValue}, Reply: ReplyCode, Does: Steers, Optional: "options",
			Legal: ready,
			Doc:   "Sets an option that the target describes, in the states that the description allows.",
			Use:   Use{Feature: "options"}},
		{Op: OpHavoc, Name: "havoc", Function: "ipafuzz_havoc",
			Args: []Arg{ArgBits}, Does: Steers, Optional: "havoc",
			Legal: ready,
			Doc:   "Asks the library to do something legal and rare. No answer may change.",
			Use:   Use{Feature: "havoc"}},
	}
}

func terminateCall(prefix string, ready States) Call {
	return Call{Op: OpTerminate, Name: "terminate", Function: prefix + "_set_terminate",
		Args: []Arg{ArgCount}, Does: Steers, Optional: "terminate",
		Legal: ready,
		Doc:   "Installs a callback that says stop from its n-th call in a solve on (0: never); 'off' removes it.",
		Use:   Use{Feature: "terminate"}}
}

// IPASIR is the incremental SAT interface.
var IPASIR = mustNew(Model{
	ID: 1, Name: "ipasir", Title: "IPASIR, the re-entrant incremental SAT solver interface",
	Calls: slices.Concat(lifeCalls("ipasir", readySAT, readySAT), []Call{
		{Op: OpClause, Name: "add", Function: "ipasir_add", Args: []Arg{ArgClause}, Does: Poses,
			Legal: readySAT | Set(Clause), Steps: clauseSteps,
			Doc: "Adds a clause literal by literal; 0 ends it. Without the 0 it stays open for the next add."},
		{Op: OpAssume, Name: "assume", Function: "ipasir_assume", Args: []Arg{ArgLit}, Does: Poses,
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Assumes a literal for the next solve only."},
		{Op: OpSolve, Name: "solve", Function: "ipasir_solve", Reply: ReplyStatus, Does: Clears,
			Legal: readySAT,
			Steps: []Step{{Answered0, Input}, {Answered10, Sat}, {Answered20, Unsat}},
			Doc:   "Solves under the assumptions and clears them. 10: satisfiable, 20: unsatisfiable, 0: interrupted."},
		{Op: OpVal, Name: "val", Function: "ipasir_val", Args: []Arg{ArgLit}, Reply: ReplyLit, Does: Asks,
			Legal: Set(Sat),
			Doc:   "The literal when the solution makes it true, its negation when false, 0 when not important."},
		{Op: OpModel, Name: "model", Member: "val", Reply: ReplyModel, Does: Asks,
			Legal: Set(Sat),
			Doc:   "val of every variable that the instance has named so far, one after the other."},
		{Op: OpFailed, Name: "failed", Function: "ipasir_failed",
			Args: []Arg{ArgLit}, Reply: ReplyFlag, Does: Asks,
			Legal: Set(Unsat),
			Doc: "1 when the assumption was used to prove unsatisfiability, else 0. For other literals see the policy " +
				"failed-non-assumption."},
		{Op: OpCore, Name: "core", Member: "failed", Reply: ReplyCore, Does: Asks,
			Legal: Set(Unsat),
			Doc:   "failed of every assumption of the last solve, one after the other."},
		terminateCall("ipasir", readySAT),
		{Op: OpLearn, Name: "learn", Function: "ipasir_set_learn",
			Args: []Arg{ArgLimit}, Does: Steers, Optional: "learn",
			Legal: readySAT,
			Doc:   "Installs a callback for learned clauses of at most n literals; 'off' removes it.",
			Use:   Use{Feature: "learn"}},
		{Op: OpProof, Name: "proof", Function: "ipafuzz_proof", Reply: ReplyText, Does: Asks,
			Optional: "proof", Legal: readySAT,
			Doc: "The proof that the solver has written so far, in the format that its option 'proof' names.",
			Use: Use{Feature: "proofs", Shows: "the solver writes a proof, which is asked for"}},
	}),
})
