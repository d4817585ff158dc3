/* MaxSAT: one optimisation over a copy of the clauses.
 *
 * Every solve builds its SAT solver and its encodings afresh and throws them
 * away. That costs one pass over the clauses a solve, and buys that nothing
 * derived under an assumption, a bound or an old weight can outlive it.
 *
 * maxsat.c      the copy, the first solution, the choice of the engine
 * coreguided.c  from below: cores of the cost-free assignment, with totalizer.c
 * improving.c   from above: ever better models, with adder.c
 */
#ifndef REF_MAXSAT_H
#define REF_MAXSAT_H

#include "sat.h"

#pragma GCC visibility push(hidden)

/* Setting the literal true costs the weight, which is not 0. */
struct ref_term {
  ref_lit literal;
  uint64_t weight;
};

/* What is asked. */
struct ref_problem {
  int32_t variable_count;
  const struct ref_vector *hard;        /* clauses, a REF_NONE after each */
  const struct ref_vector *assumptions; /* literals */
  const uint64_t *weights;              /* of each literal; their sum is below 2^64 */
};

struct ref_maxsat {
  const struct ref_options *options;
  const struct ref_problem *problem;
  struct ref_sat sat;
  /* The cost of an assignment is constant + the weights of its true terms;
   * no two terms are of one variable. */
  struct ref_term *terms;
  size_t term_count;
  uint64_t constant;
  /* The best solution so far. */
  bool has_solution;
  int8_t *model;
  uint64_t cost;
};

/* REF_OPTIMUM, REF_SATISFIABLE (interrupted, has a solution), REF_INTERRUPTED
 * or REF_UNSATISFIABLE. The solution stays in maxsat until it is closed. */
int ref_maxsat_solve (struct ref_maxsat *maxsat, const struct ref_problem *problem,
                      const struct ref_options *options, struct ref_stop *stop);
void ref_maxsat_close (struct ref_maxsat *maxsat);

/* The engines: REF_OPTIMUM or REF_SATISFIABLE. Both start from a solution. */
int ref_maxsat_core_guided (struct ref_maxsat *maxsat);
int ref_maxsat_improve (struct ref_maxsat *maxsat);

/* Keeps the SAT solver's model when it is better than the best so far. */
void ref_maxsat_record (struct ref_maxsat *maxsat);

/* Ends the process when a healthy solver is about to say something false. */
void ref_maxsat_require (const struct ref_maxsat *maxsat, bool holds, const char *what);

#pragma GCC visibility pop

#endif
