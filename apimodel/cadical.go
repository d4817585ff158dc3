package apimodel

import "slices"

// CaDiCaL is IPASIR with further calls of CaDiCaL. Of these, only constrain changes which
// answers are right, and only those of the next solve. Limits may end a solve without an
// answer. All calls but the queries lead to INPUT: CaDiCaL 1.5.3 loses its solution when a
// client freezes an unknown variable, and no document says whether it may.
var CaDiCaL = mustNew(Model{
	ID: 3, Name: "ipasir+cadical", Title: "IPASIR with the calls that CaDiCaL adds to it", Extends: IPASIR,
	Calls: append(slices.Clone(IPASIR.Calls),
		Call{Op: OpConstrain, Name: "constrain", Function: "ccadical_constrain",
			Args: []Arg{ArgLits}, Does: Poses, Weight: 8, Optional: "constrain",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Gives a clause, literal by literal up to its 0, that must hold in the next solve only. A later one " +
				"before that solve replaces it."},
		Call{Op: OpFreeze, Name: "freeze", Function: "ccadical_freeze",
			Args: []Arg{ArgLit}, Does: Hints, Weight: 4, Optional: "freeze",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Keeps the variable from being eliminated, until melt was called as often."},
		Call{Op: OpMelt, Name: "melt", Function: "ccadical_melt",
			Args: []Arg{ArgLit}, Does: Hints, Weight: 4, Optional: "freeze",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Undoes one freeze of the variable, which must be frozen."},
		Call{Op: OpPhase, Name: "phase", Function: "ccadical_phase",
			Args: []Arg{ArgLit}, Does: Hints, Weight: 4, Optional: "phase",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Makes decisions on the variable try this literal first. No status may change."},
		Call{Op: OpUnphase, Name: "unphase", Function: "ccadical_unphase",
			Args: []Arg{ArgLit}, Does: Hints, Weight: 4, Optional: "phase",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Undoes phase."},
		Call{Op: OpSimplify, Name: "simplify", Function: "ccadical_simplify",
			Reply: ReplyCode, Does: Clears, Weight: 4, Optional: "simplify",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Simplifies the formula. 10: it is satisfiable, 20: it is not, under the assumptions and the constraint, " +
				"0: unknown. Clears assumptions and constraint, as solve does. No question may follow the answer."},
		Call{Op: OpLimitConflicts, Name: "limit-conflicts", Function: "ccadical_limit", Word: "conflicts",
			Args: []Arg{ArgLimit}, Does: Steers, Weight: 3, Optional: "limit",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Only the next solve or simplify may give up after so many conflicts; solve then answers 0. 'off' undoes it."},
		Call{Op: OpLimitDecisions, Name: "limit-decisions", Function: "ccadical_limit", Word: "decisions",
			Args: []Arg{ArgLimit}, Does: Steers, Weight: 3, Optional: "limit",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "The same after so many decisions."},
		Call{Op: OpConstraintFailed, Name: "constraint-failed", Function: "ccadical_constraint_failed",
			Reply: ReplyFlag, Does: Asks, Weight: 3, Optional: "constraint-failed",
			Legal: Set(Unsat),
			Doc: "1 when the constraint was used to prove unsatisfiability, else 0. After 0, clauses and failed assumptions " +
				"are unsatisfiable without it."},
		Call{Op: OpFixed, Name: "fixed", Function: "ccadical_fixed",
			Args: []Arg{ArgLit}, Reply: ReplyCode, Does: Asks, Weight: 3, Optional: "fixed",
			Legal: readySAT,
			Doc:   "1 when the clauses alone imply the literal, -1 when they imply its negation, 0 when neither is known yet."},
	),
})
