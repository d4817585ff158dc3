// Package proof checks proofs: DRAT, LRAT and FRAT that a formula is unsatisfiable, IDRUP and LIDRUP
// of several solves, each in text and in binary, and VeriPB of a cost, in text. It shares no code with a
// solver.
//
// The interface is
//
//	format, err := proof.Detect(start)                      // by content
//	result, err := proof.Check(formula, file, options)      // DRAT, LRAT, FRAT
//	result, err := proof.CheckScript(events, file, options) // IDRUP, LIDRUP
//	result, err := proof.CheckCost(problem, file, options)  // VeriPB
//
// A formula is a list of clauses, each of which ends with a 0. Events are what client and solver said to
// each other. Without events, CheckScript takes them from the proof itself. An error that is a *Rejection
// says that the proof is wrong, where, and why. ErrUnsupported is the error for a proof for VeriPB that
// CheckCost cannot check; CheckFile asks the program veripb about those. Any other error says nothing about
// the proof.
//
// Checkers read proofs through a buffer of fixed size, and keep the clauses in memory that are not deleted.
// A backward check of DRAT reads the proof a second time, from the end. It first copies a proof that is not
// an io.Seeker into a temporary file. With Options.Forward, Check checks every lemma as it comes instead,
// which takes longer.
//
// The standard of DRAT leaves open what it means to delete a clause that is the reason of a unit. Most
// checkers ignore such a deletion, and most solvers rely on that. The specification obeys it. Check accepts
// a proof that is valid if the checker ignores these deletions, and Result says whether it is also valid
// for one that obeys them.
package proof
