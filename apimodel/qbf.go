package apimodel

import "slices"

// QBF is incremental solving of quantified Boolean formulas. No standard defines such an
// interface, so ipafuzz defines its own in qbf.h.
//
// These rules say what a solve asks about, and what its answers mean:
//
//   - The prefix is a list of blocks, outermost first. exists and forall append one,
//     which may be empty; extend adds variables to one. Neighbours with the same
//     quantifier, or with only empty blocks between them, are one block.
//   - A variable is in at most one block. A variable that a clause names before any block
//     does is free: until the release, it is existential and outside of all blocks, and no
//     block may name it.
//   - A clause belongs to the frame of the last push that no pop has ended, or to the
//     group that is open, or to neither. pop removes the clauses of its frame, delete
//     those of its group; a deactivated group does not count until it is activated.
//     Variables, the prefix and assumptions stay. The final 0 of a clause decides where
//     the clause belongs.
//   - The empty clause is false; a clause with a literal and its negation is true; a
//     literal twice is a literal once.
//   - The outermost block has the free variables and the existential blocks up to the
//     first universal variable. If there are none, it has the universal blocks up to
//     the first existential variable.
//   - An assumption is a literal of the outermost block. The next solve is about the
//     formula in which the variable has this value. So to assume a universal literal is not
//     to add a unit clause, which would make the formula false. Before that solve, no call
//     may move the variable out of the outermost block.
//   - solve answers 10 if the formula is true, 20 if it is false.
//   - After 10, the values of an existential outermost block make the rest true. After
//     20, the values of a universal one make the rest false. Values that are 0 can be
//     completed to such values. After the other answer, and for all other variables, the
//     value is 0 (policy qbf-other-val).
//   - failed tells, after 10 and after 20, on which assumptions the answer rests: with
//     only these the answer is the same.
//
// One solver may have frames or groups, not both, as in DepQBF. The answer of a solve decides
// only whether questions about it (val, model, failed, core) are legal.
var QBF = mustNew(Model{
	ID: 5, Name: "qbf", Title: "QBF, an incremental interface of solvers of quantified Boolean formulas",
	Calls: slices.Concat(lifeCalls("qbf", readySAT, readySAT), []Call{
		{Op: OpExists, Name: "exists", Function: "qbf_exists", Args: []Arg{ArgVars}, Does: Poses,
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Appends an existential block to the prefix as the innermost one, variable by variable; 0 ends it. It may " +
				"be empty. Its variables are in no other block and, so far, in no clause."},
		{Op: OpForall, Name: "forall", Function: "qbf_forall", Args: []Arg{ArgVars}, Does: Poses,
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "The same for a universal block."},
		{Op: OpExtend, Name: "extend", Function: "qbf_extend",
			Args: []Arg{ArgLevel, ArgVars}, Does: Poses, Optional: "extend",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Adds variables to a block of the prefix. Blocks are numbered from 1, the outermost, as they were appended; " +
				"empty ones count.",
			Use: Use{Offers: "Blocks of the prefix can get more variables (qbf_extend).", Feature: "extended-block"}},
		{Op: OpClause, Name: "clause", Function: "qbf_add", Args: []Arg{ArgClause}, Does: Poses,
			Legal: readySAT | Set(Clause), Steps: clauseSteps,
			Doc: "Adds a clause literal by literal; 0 ends it. Without the 0 it stays open for the next clause. A variable " +
				"that is in no block is free from then on."},
		{Op: OpPush, Name: "push", Function: "qbf_push", Does: Poses, Optional: "push",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Begins a frame: clauses belong to it until its pop or the next push. The solver must have no groups.",
			Use: Use{Offers: "Clauses can be removed by frames (qbf_push, qbf_pop).", Feature: "frames"}},
		{Op: OpPop, Name: "pop", Function: "qbf_pop", Does: Poses, Optional: "push",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Ends the last frame and removes its clauses. Variables, blocks and assumptions stay. There must be a frame.",
			Use: Use{Feature: "frames"}},
		{Op: OpOpen, Name: "open", Function: "qbf_open_group",
			Args: []Arg{ArgGroup}, Does: Poses, Optional: "groups",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Opens a group: clauses belong to it until it is closed. A new group is active and empty. No group may be " +
				"open, and this one must not be deactivated. The solver must never have had a frame.",
			Use: Use{Offers: "Clauses can be removed by groups (qbf_open_group and four more).", Feature: "groups"}},
		{Op: OpClose, Name: "close", Function: "qbf_close_group",
			Args: []Arg{ArgGroup}, Does: Poses, Optional: "groups",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Closes the group, which must be open.",
			Use: Use{Feature: "groups"}},
		{Op: OpActivate, Name: "activate", Function: "qbf_activate_group",
			Args: []Arg{ArgGroup}, Does: Poses, Optional: "groups",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Makes the clauses of the group count again. It must be deactivated.",
			Use: Use{Feature: "groups"}},
		{Op: OpDeactivate, Name: "deactivate", Function: "qbf_deactivate_group",
			Args: []Arg{ArgGroup}, Does: Poses, Optional: "groups",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Ignores the clauses of the group until it is activated. It must be active and closed.",
			Use: Use{Feature: "groups"}},
		{Op: OpDelete, Name: "delete", Function: "qbf_delete_group",
			Args: []Arg{ArgGroup}, Does: Poses, Optional: "groups",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Removes the group and its clauses. It must be active and closed. Its number may be opened as a new group.",
			Use: Use{Feature: "groups"}},
		{Op: OpAssume, Name: "assume", Function: "qbf_assume", Args: []Arg{ArgLit}, Does: Poses,
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Assigns a variable of the outermost block, whatever its quantifier, for the next solve only. A variable " +
				"may be assumed once for each solve."},
		{Op: OpSolve, Name: "solve", Function: "qbf_solve", Reply: ReplyStatus, Does: Clears,
			Legal: readySAT,
			Steps: []Step{{Answered0, Input}, {Answered10, Sat}, {Answered20, Unsat}},
			Doc:   "Solves under the assumptions and clears them. 10: the formula is true, 20: it is false, 0: interrupted."},
		{Op: OpVal, Name: "val", Function: "qbf_val", Args: []Arg{ArgLit}, Reply: ReplyLit, Does: Asks,
			Legal: Set(Sat, Unsat),
			Doc: "The literal when the solution makes it true, its negation when false, 0 when not important. Only variables " +
				"of the outermost block have values: after 10 if it is existential, after 20 if it is universal. 0 otherwise."},
		{Op: OpModel, Name: "model", Member: "val", Reply: ReplyModel, Does: Asks,
			Legal: Set(Sat, Unsat),
			Doc:   "val of every variable that the instance has named so far, one after the other."},
		{Op: OpFailed, Name: "failed", Function: "qbf_failed",
			Args: []Arg{ArgLit}, Reply: ReplyFlag, Does: Asks,
			Legal: Set(Sat, Unsat),
			Doc: "1 when the answer, 10 or 20, rests on the assumption, else 0. Under the assumptions with 1 alone the " +
				"answer is the same. For other literals see the policy failed-non-assumption."},
		{Op: OpCore, Name: "core", Member: "failed", Reply: ReplyCore, Does: Asks,
			Legal: Set(Sat, Unsat),
			Doc:   "failed of every assumption of the last solve, one after the other."},
		terminateCall("qbf", readySAT),
	}),
})
