package apimodel

import (
	"slices"
	"strings"
)

// IPASIR2 is IPASIR-2, the revision of IPASIR in which every function returns an error code.
// It takes clauses and assumptions as arrays, which mean the same, so the model extends
// IPASIR: its traces have the calls of IPASIR, and a layer in C makes them with the functions
// of IPASIR-2 (cexternal/exec/ipasir2_layer.h). Three more calls use what only IPASIR-2 has.
var IPASIR2 = mustNew(Model{
	ID: 6, Name: "ipasir2", Title: "IPASIR-2, the interface with error codes, options and clause import",
	Extends: IPASIR,
	Calls: append(inIPASIR2(),
		Call{Op: OpImport, Name: "import", Function: "ipafuzz_import",
			Args: []Arg{ArgLits}, Does: Poses, Optional: "import",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Gives a clause to the import callback, which adds it in the next solve. If that solve does not ask for it " +
				"and finds a solution, ipafuzz adds the clause afterwards and solves again. From here on it is a clause of " +
				"the formula.",
			Use: Use{Offers: "A callback gives clauses to a solve (ipasir2_set_import).",
				Feature: "importing", Shows: "a callback gives clauses to a solve", Rate: 500}},
		Call{Op: OpMisuse, Name: "misuse", Function: "ipafuzz_misuse",
			Args: []Arg{ArgMost}, Reply: ReplyCounts, Does: Asks, Optional: "misuse",
			Legal: readySAT,
			Doc: "Makes a wrong call, which must return an error code and have no effect. NUMBER chooses it: a value outside " +
				"SAT, failed outside UNSAT, the literal 0, a literal that was not assumed, an option beyond its bounds or " +
				"later than its max_state. It may also choose a call, wrong or right, that a callback makes during the next " +
				"solve. The first count is the code.",
			Use: Use{Offers: "Wrong calls are answered with an error code and do nothing (IPASIR-2).",
				Feature: "misusing", Shows: "wrong calls are made, which a code must answer", Rate: 300}},
		Call{Op: OpErrors, Name: "errors", Function: "ipafuzz_errors",
			Reply: ReplyCode, Does: Asks, Optional: "errors",
			Legal: readySAT,
			Doc: "Tells which earlier right call was the first to return an error code, and the code; 0 if none did. A " +
				"wrong call of a callback, a wrong callback and a wrong list of options count, too.",
			Use: Use{Offers: "Calls return error codes (IPASIR-2).",
				Feature: "asking-errors", Shows: "it is asked whether a call returned an error code", Rate: 700}},
	),
})

// inIPASIR2 returns the rows of IPASIR with the functions of IPASIR-2.
func inIPASIR2() []Call {
	calls := slices.Clone(IPASIR.Calls)
	for i := range calls {
		call := &calls[i]
		call.Member = call.member()
		switch call.Op {
		case OpHavoc:
			continue
		case OpVal:
			call.Function = "ipasir2_value"
		case OpOption:
			call.Function = "ipasir2_set_option"
		case OpLearn:
			call.Function = "ipasir2_set_export"
			call.Doc = "Installs callbacks for learned clauses of at most n literals and, if n is not 0, for fixed literals; " +
				"'off' removes them."
		case OpAssume:
			call.Function = ""
			call.Doc = "Assumes a literal for the next solve only: ipasir2_solve gets an array of them."
		default:
			call.Function = strings.Replace(call.Function, "ipasir_", "ipasir2_", 1)
		}
	}
	return calls
}

// Standard reports whether the model is an interface with C functions of its own. IPASIR-2 has
// its own functions, although it extends IPASIR.
func (m *Model) Standard() bool { return m.Extends == nil || m.Prefix() != m.Extends.Prefix() }

// Prefix returns the beginning of the names of the model's C functions.
func (m *Model) Prefix() string {
	prefix, _, _ := strings.Cut(m.Call(OpInit).Function, "_")
	return prefix
}
