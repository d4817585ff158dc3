package apimodel

import "slices"

// Enumerate is IPASIR with a call that counts solutions. The solver counts in two ways, so that
// one count checks the other.
var Enumerate = mustNew(Model{
	ID: 4, Name: "ipasir+enumerate", Title: "IPASIR with a call that counts solutions", Extends: IPASIR,
	Calls: append(slices.Clone(IPASIR.Calls),
		Call{Op: OpEnumerate, Name: "enumerate", Function: "ipafuzz_enumerate",
			Args: []Arg{ArgMost}, Reply: ReplyCounts, Does: Clears, Optional: "enumerate",
			Legal: readySAT, Steps: []Step{{Always, Input}},
			Doc: "Counts the assignments of the variables in clauses that fulfil all clauses, in two ways, and stops each " +
				"at NUMBER. Assumptions are ignored, and cleared as by solve. A solver with one way gives its count " +
				"twice.",
			Use: Use{Offers: "Solutions can be counted (ipafuzz_enumerate).",
				Feature: "enumerating", Shows: "solutions are counted", Rate: 600, Many: 50, // large formulas have many
				Variant: "enumerate", Needs: "a call of enumerate", Cases: "Counting solutions."}},
	),
})
