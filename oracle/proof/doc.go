// Package proof checks proofs of unsatisfiability: DRAT, LRAT and FRAT for one formula, IDRUP and
// LIDRUP for a solver that is asked several times; each in text and in binary. It shares no code with
// a solver.
//
// The whole interface is
//
//	format := proof.Detect(start)                      // by content
//	result, err := proof.Check(formula, file, options) // DRAT, LRAT, FRAT
//	result, err := proof.CheckScript(events, file, options) // IDRUP, LIDRUP
//
// A formula is a list of clauses, each of which ends with a 0. Events are what client and
// solver said to each other; without events, CheckScript takes them from the proof itself.
// An error that is a *Rejection says that the proof is wrong, and why: its Kind, its line
// (in binary: its byte), and the clause. Any other error is a failure to read.
//
// Checkers read proofs through a buffer of fixed size, and keep the clauses in memory that
// are not deleted. A backward check of DRAT reads the proof a second time, from the end,
// and copies a proof that is not an io.Seeker into a temporary file first. Options.Forward
// checks every lemma as it comes instead, which takes longer.
//
// The standard of DRAT leaves open what it means to delete a clause that is the reason of a
// unit. Most checkers ignore such a deletion, and most solvers rely on that; the
// specification obeys it. Check accepts a proof that is valid if these deletions are
// ignored, and Result says whether it is also valid if they are obeyed.
package proof
