#include "maxsat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "defects.h"
#include "misbehave.h"

void ref_maxsat_require (const struct ref_maxsat *maxsat, bool holds, const char *what) {
  if (holds || maxsat->options->defect) return;
  fprintf (stderr, "ipafuzz reference library: broken invariant: %s\n", what);
  abort ();
}

/* Returns the cost as the interface defines it, computed from the weights and not from
 * any encoding. */
static uint64_t cost_of (const struct ref_problem *problem, const int8_t *model) {
  uint64_t cost = 0;
  for (int32_t i = 0; i < problem->variable_count; i++)
    cost += problem->weights[ref_literal (i, model[i] < 0)];
  return cost;
}

void ref_maxsat_record (struct ref_maxsat *maxsat) {
  const struct ref_problem *problem = maxsat->problem;
  uint64_t cost = cost_of (problem, maxsat->sat.model);
  if (maxsat->has_solution && cost >= maxsat->cost) return;
  bool keep_old = maxsat->has_solution && HAS (maxsat->options, STALE_MODEL); /* DEFECT */
  maxsat->has_solution = true;
  maxsat->cost = cost;
  if (problem->variable_count && !keep_old)
    memcpy (maxsat->model, maxsat->sat.model, (size_t) problem->variable_count);
}

/* Copies the hard clauses as they are and the assumptions as units. */
static void copy_clauses (struct ref_maxsat *maxsat) {
  const struct ref_problem *problem = maxsat->problem;
  ref_sat_reserve (&maxsat->sat, problem->variable_count);
  const ref_lit *clause = problem->hard->data;
  for (size_t i = 0; i < problem->hard->size; i++)
    if (problem->hard->data[i] == REF_NONE) {
      ref_sat_add (&maxsat->sat, clause, (size_t) (problem->hard->data + i - clause));
      clause = problem->hard->data + i + 1;
    }
  for (size_t i = 0; i < problem->assumptions->size; i++)
    ref_sat_add (&maxsat->sat, problem->assumptions->data + i, 1);
}

/* One of x and -x is true: if both are soft, the smaller weight is a constant and
 * only the difference depends on the assignment. */
static void collect_terms (struct ref_maxsat *maxsat) {
  const struct ref_problem *problem = maxsat->problem;
  size_t count = 0;
  for (int32_t i = 0; i < problem->variable_count; i++)
    count += problem->weights[2 * i] != problem->weights[2 * i + 1];
  maxsat->terms = count ? ref_resize (NULL, count, sizeof *maxsat->terms) : NULL;
  for (int32_t i = 0; i < problem->variable_count; i++) {
    uint64_t positive = problem->weights[2 * i], negative = problem->weights[2 * i + 1];
    uint64_t common = positive < negative ? positive : negative;
    if (HAS (maxsat->options, COMPLEMENTARY_LOOP) && common)
      ref_loop_forever (); /* DEFECT: loops until no pair is left, but removes none */
    maxsat->constant += common;
    if (positive > common)
      maxsat->terms[maxsat->term_count++] = (struct ref_term){2 * i, positive - common};
    if (negative > common)
      maxsat->terms[maxsat->term_count++] = (struct ref_term){2 * i + 1, negative - common};
  }
}

int ref_maxsat_solve (struct ref_maxsat *maxsat, const struct ref_problem *problem,
                      const struct ref_options *options, struct ref_stop *stop) {
  memset (maxsat, 0, sizeof *maxsat);
  maxsat->options = options;
  maxsat->problem = problem;
  ref_sat_open (&maxsat->sat, options, stop);
  copy_clauses (maxsat);
  int status = ref_sat_solve (&maxsat->sat);
  if (status != REF_SATISFIABLE) return status;
  if (problem->variable_count)
    maxsat->model = ref_resize (NULL, (size_t) problem->variable_count, sizeof *maxsat->model);
  ref_maxsat_record (maxsat);
  collect_terms (maxsat);

  status = options->improving ? ref_maxsat_improve (maxsat) : ref_maxsat_core_guided (maxsat);
  if (status == REF_INTERRUPTED) { /* it gave up */
    ref_sat_close (&maxsat->sat);
    ref_sat_open (&maxsat->sat, options, stop);
    copy_clauses (maxsat);
    status = ref_maxsat_core_guided (maxsat);
  }
  if (HAS (options, INTERRUPTED_IS_OPTIMAL) && status == REF_SATISFIABLE)
    status = REF_OPTIMUM; /* DEFECT */
  if (HAS (options, COMPLEMENTARY_TWICE))
    maxsat->cost += maxsat->constant; /* DEFECT: the cost includes it already */
  return status;
}

void ref_maxsat_close (struct ref_maxsat *maxsat) {
  ref_sat_close (&maxsat->sat);
  free (maxsat->terms);
  free (maxsat->model);
}
