/* MaxSAT: one optimization over a copy of the clauses.
 *
 * Every solve builds its SAT solver and encodings anew and frees them afterwards.
 * That costs one pass over the clauses per solve, but no clause derived under an
 * assumption, a bound or an old weight can survive it.
 *
 * maxsat.c      the copy, the first solution, the choice of the engine
 * coreguided.c  from below: cores of the cost-free assignment, with totalizer.c
 * improving.c   from above: better and better models, with adder.c
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

struct ref_problem {
  int32_t variable_count;
  const struct ref_vector *hard;        /* clauses; REF_NONE ends each */
  const struct ref_vector *assumptions; /* literals */
  const uint64_t *weights;              /* of each literal; their sum is below 2^64 */
};

struct ref_maxsat {
  const struct ref_options *options;
  const struct ref_problem *problem;
  struct ref_sat sat;
  /* The cost of an assignment is the constant plus the weights of its true
   * terms. Every term has another variable. */
  struct ref_term *terms;
  size_t term_count;
  uint64_t constant;
  /* The best solution so far. */
  bool has_solution;
  int8_t *model;
  uint64_t cost;
};

/* Finds an optimal solution of the problem. Returns
 *
 *   REF_OPTIMUM         model and cost are those of an optimal solution
 *   REF_SATISFIABLE     interrupted; model and cost are those of the best solution
 *   REF_INTERRUPTED     interrupted without a solution
 *   REF_UNSATISFIABLE   there is no solution
 *
 * The caller closes maxsat in any case.
 */
int ref_maxsat_solve (struct ref_maxsat *maxsat, const struct ref_problem *problem,
                      const struct ref_options *options, struct ref_stop *stop);
void ref_maxsat_close (struct ref_maxsat *maxsat);

/* The engines. Both require a recorded solution and return REF_OPTIMUM or, when
 * interrupted, REF_SATISFIABLE. Improving gives up if it takes long, and returns
 * REF_INTERRUPTED.
 *
 *   require (ROOT), ensure (ROOT)
 */
int ref_maxsat_core_guided (struct ref_maxsat *maxsat);
int ref_maxsat_improve (struct ref_maxsat *maxsat);

/* Records the SAT solver's model if it is better than the best so far. */
void ref_maxsat_record (struct ref_maxsat *maxsat);

/* Aborts the process if an invariant does not hold and no defect is planted. */
void ref_maxsat_require (const struct ref_maxsat *maxsat, bool holds, const char *what);

#pragma GCC visibility pop

#endif
