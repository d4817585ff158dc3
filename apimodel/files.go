package apimodel

// A formula file is a model of one solve: the calls before it are the lines of the file. A program gets the file, and a
// library gets the calls of another model that ask the same (package translate).
var (
	readyFile = Set(Start, Input)
	toldFile  = Set(Sat, Optimal)
)

// WCNF is the formula file of MaxSAT: hard clauses, and soft clauses of any length.
var WCNF = mustNew(Model{
	ID: 7, Name: "wcnf", Title: "WCNF, the file of a MaxSAT formula", File: true, Asks: IPAMIR,
	Calls: []Call{
		{Op: OpClause, Name: "hard", Member: "add", Args: []Arg{ArgClause}, Does: Poses,
			Legal: readyFile, Steps: []Step{{Always, Input}},
			Doc: "A hard clause."},
		{Op: OpSoftClause, Name: "soft", Args: []Arg{ArgWeight, ArgLits}, Does: Poses,
			Legal: readyFile, Steps: []Step{{Always, Input}},
			Doc: "A soft clause: a solution that falsifies it pays the weight. The same clause again is another one, so " +
				"their weights add up. The empty clause always costs its weight, a tautology never."},
		{Op: OpSolve, Name: "solve", Member: "solve", Reply: ReplyStatus, Does: Clears,
			Legal: readyFile,
			Steps: []Step{{Answered0, None}, {Answered10, Sat}, {Answered20, Unsat}, {Answered30, Optimal},
				{Answered40, Error}},
			Doc: "Runs the program on the file. 30: optimal, 20: the hard clauses have no solution, 10: some solution, " +
				"0: no answer."},
		{Op: OpObj, Name: "obj", Member: "val_obj", Reply: ReplyWeight, Does: Asks, Legal: toldFile,
			Doc: "The cost that the program states: its last line o."},
		{Op: OpVal, Name: "val", Member: "val", Args: []Arg{ArgLit}, Reply: ReplyLit, Does: Asks, Legal: toldFile,
			Doc: "The literal when the solution makes it true, its negation when false, 0 when it has no value."},
		{Op: OpModel, Name: "model", Member: "val", Reply: ReplyModel, Does: Asks, Legal: toldFile,
			Doc: "The values of all variables of the file."},
	},
})

// CNF is the formula file of SAT.
var CNF = mustNew(Model{
	ID: 8, Name: "cnf", Title: "DIMACS CNF, the file of a SAT formula", File: true, Asks: IPASIR,
	Calls: []Call{
		{Op: OpClause, Name: "clause", Member: "add", Args: []Arg{ArgClause}, Does: Poses,
			Legal: readyFile, Steps: []Step{{Always, Input}},
			Doc: "A clause."},
		{Op: OpSolve, Name: "solve", Member: "solve", Reply: ReplyStatus, Does: Clears,
			Legal: readyFile,
			Steps: []Step{{Answered0, None}, {Answered10, Sat}, {Answered20, Unsat}},
			Doc:   "Runs the program on the file. 10: satisfiable, 20: unsatisfiable, 0: no answer."},
		{Op: OpVal, Name: "val", Member: "val", Args: []Arg{ArgLit}, Reply: ReplyLit, Does: Asks, Legal: Set(Sat),
			Doc: "The literal when the solution makes it true, its negation when false, 0 when it has no value."},
		{Op: OpModel, Name: "model", Member: "val", Reply: ReplyModel, Does: Asks, Legal: Set(Sat),
			Doc: "The values of all variables of the file."},
	},
})
