/* What DepQBF demands of its callers. It ends the process when a caller breaks a rule, and
   qbf.h lacks these rules. Our adapter includes this file, and the programs that
   'ipafuzz export --to qdpll' writes contain it:

   - --incremental-use needs --dep-man=simple; without --incremental-use there are no frames and
     no groups. Dynamic QBCE answers wrongly under assumptions: it is off unless asked for.
   - From version 6 on, --incremental-use needs --no-trivial-falsity and --no-trivial-truth, and
     values need --no-dynamic-nenofex.
   - After a solve, everything but queries needs qdpll_reset first. It forgets assumptions, so
     they come after it.
   - qdpll_get_value and qdpll_assume take declared variables only. The library drops
     tautologies, so free variables that occur nowhere else are undeclared: they have no value,
     and no answer rests on them.
   - qdpll_get_relevant_assumptions is not called without assumptions. */
#ifndef IPAFUZZ_DEPQBF_H
#define IPAFUZZ_DEPQBF_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef DEPQBF_6
#include <qdpll.h>
#else
#include <qdpll/qdpll.h>
#endif

static inline void depqbf_configure (QDPLL *solver, const char *flag) {
  char text[100];
  const char *problem;
  strncpy (text, flag, sizeof text - 1);
  text[sizeof text - 1] = 0;
  problem = qdpll_configure (solver, text);
  if (problem) {
    fprintf (stderr, "depqbf: %s: %s\n", flag, problem);
    abort ();
  }
}

/* Makes a solver. manager is the flag that selects the dependency manager; 0: the simple one. */
static inline QDPLL *depqbf_create (int incremental, int blocked_clauses, const char *manager) {
  QDPLL *solver = qdpll_create ();
  if (incremental) depqbf_configure (solver, "--incremental-use");
#ifdef DEPQBF_6
  depqbf_configure (solver, "--no-dynamic-nenofex");
  if (incremental) depqbf_configure (solver, "--no-trivial-falsity");
  if (incremental) depqbf_configure (solver, "--no-trivial-truth");
#endif
  depqbf_configure (solver, manager ? manager : "--dep-man=simple");
  if (!blocked_clauses) depqbf_configure (solver, "--no-qbce-dynamic");
  return solver;
}

/* Must be called before a change of the formula, and before assumptions. */
static inline void depqbf_change (QDPLL *solver, int *solved) {
  if (*solved) qdpll_reset (solver);
  *solved = 0;
}

/* Returns whether the solver takes the assumption. */
static inline int depqbf_assume (QDPLL *solver, LitID literal) {
  const int declared = qdpll_is_var_declared (solver, (VarID) abs (literal));
  if (declared) qdpll_assume (solver, literal);
  return declared;
}

static inline QDPLLAssignment depqbf_value (QDPLL *solver, LitID literal) {
  const VarID variable = (VarID) abs (literal);
  if (!qdpll_is_var_declared (solver, variable)) return QDPLL_ASSIGNMENT_UNDEF;
  return qdpll_get_value (solver, variable);
}

/* Returns the assumptions that the answer rests on, up to a 0, to be freed; or 0. */
static inline LitID *depqbf_relevant (QDPLL *solver, int assumed) {
  return assumed ? qdpll_get_relevant_assumptions (solver) : 0;
}

#ifdef __cplusplus
}
#endif
#endif
