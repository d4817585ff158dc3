/* IPAMIR: incremental MaxSAT. It stores the formula, and every solve begins anew with
 * it; maxsat.h says why. */
#include <stdlib.h>
#include <string.h>

#include "certificate.h"
#include "defects.h"
#include "handle.h"
#include "maxsat.h"
#include "misbehave.h"
#include "ref.h"

struct ipamir {
  struct ref_handle handle; /* first: see handle.h */
  struct ref_vector hard;   /* clauses; REF_NONE ends each */
  uint64_t *weights;        /* of each literal, 0: not soft */
  int32_t weight_count, weight_capacity;
  uint64_t objective; /* of the last solution */

  /* With the option 'proof', what a proof of the last answer needs. */
  struct ref_proof proof;
  struct ref_vector assumed;
  int8_t *older; /* the solution before the last one, for a planted defect */

  /* For planted defects only. */
  bool objective_was_asked;
  uint64_t asked_objective;
};

static void *init (void) {
  struct ipamir *solver = ref_allocate_zeroed (sizeof *solver);
  ref_handle_open (&solver->handle, IPAFUZZ_IPAMIR);
  return solver;
}

static void release (void *pointer) {
  struct ipamir *solver = pointer;
  ref_handle_close (&solver->handle);
  ref_vector_free (&solver->hard);
  ref_proof_close (&solver->proof);
  ref_vector_free (&solver->assumed);
  free (solver->older);
  free (solver->weights);
  free (solver);
}

static void add_hard (void *pointer, int32_t literal_or_zero) {
  struct ipamir *solver = pointer;
  struct ref_vector *clause = &solver->handle.clause;
  if (!ref_handle_add (&solver->handle, literal_or_zero)) return;
  for (size_t i = 0; i < clause->size; i++) ref_push (&solver->hard, clause->data[i]);
  ref_push (&solver->hard, REF_NONE);
  clause->size = 0;
}

/* Makes the table of weights cover every literal. */
static void reserve_weights (struct ipamir *solver) {
  int32_t count = 2 * ref_handle_variables (&solver->handle);
  if (count > solver->weight_capacity) {
    solver->weight_capacity = 2 * count < 16 ? 16 : 2 * count;
    solver->weights =
      ref_resize (solver->weights, (size_t) solver->weight_capacity, sizeof *solver->weights);
  }
  while (solver->weight_count < count) solver->weights[solver->weight_count++] = 0;
}

static void add_soft_lit (void *pointer, int32_t literal, uint64_t weight) {
  struct ipamir *solver = pointer;
  const struct ref_options *options = &solver->handle.options;
  ref_lit soft = ref_handle_soft (&solver->handle, literal);
  reserve_weights (solver);
  uint64_t old = solver->weights[soft];
  if (HAS (options, WEIGHT_TRUNCATED)) weight = (uint32_t) weight; /* DEFECT */
  if (HAS (options, REDECLARE_ADDS)) weight += old;                /* DEFECT */
  if (HAS (options, REDECLARE_IGNORED) && old) return;             /* DEFECT */
  if (HAS (options, REDECLARE_PER_VARIABLE))
    solver->weights[ref_negate (soft)] = 0; /* DEFECT: the table is by variable */
  if (HAS (options, ZERO_WEIGHT_IGNORED) && weight == 0) return; /* DEFECT */
  solver->weights[soft] = weight;
}

/* Adds up all weights. Returns false if the sum is 2^64 or more. */
static bool sum_of_weights (const struct ipamir *solver, uint64_t *sum) {
  *sum = 0;
  for (int32_t i = 0; i < solver->weight_count; i++)
    if (__builtin_add_overflow (*sum, solver->weights[i], sum)) return false;
  if (HAS (&solver->handle.options, SUM_LIMIT_63) && *sum > INT64_MAX)
    return false; /* DEFECT: the sum is signed */
  return true;
}

/* Returns the offset of the last hard clause, which must exist. */
static size_t start_of_last_clause (const struct ipamir *solver) {
  size_t start = solver->hard.size - 1;
  while (start > 0 && solver->hard.data[start - 1] != REF_NONE) start--;
  return start;
}

static bool has_highest_variable (const struct ipamir *solver, size_t start) {
  for (size_t i = start; solver->hard.data[i] != REF_NONE; i++)
    if (ref_variable_of (solver->hard.data[i]) == ref_handle_variables (&solver->handle) - 1)
      return true;
  return false;
}

/* Defects that act before the search. */
static void plant_before (struct ipamir *solver, uint64_t sum) {
  const struct ref_options *options = &solver->handle.options;
  if (HAS (options, NO_SOFT_TABLE) && sum == 0) ref_read_null (); /* DEFECT */
  if (HAS (options, NO_SOFT_DIVISION) && sum == 0)
    ref_divide_by_zero (); /* DEFECT: the average weight */
  bool drop = false;
  if (solver->hard.size)
    drop = (HAS (options, HARD_ONLY_DROPS_CLAUSE) && sum == 0) || /* DEFECT */
           (HAS (options, LAST_CLAUSE_DROPPED) &&
            has_highest_variable (solver, start_of_last_clause (solver))); /* DEFECT */
  if (drop) solver->hard.size = start_of_last_clause (solver);
}

static bool has_soft_without_clause (const struct ipamir *solver) {
  for (int32_t i = 0; i < solver->weight_count; i++)
    if (solver->weights[i] && !ref_handle_occurs (&solver->handle, i)) return true;
  return false;
}

/* Defects that act on the answer of this solve or on the next solve. */
static void plant_after (struct ipamir *solver, const struct ref_maxsat *maxsat, int status,
                         uint64_t sum) {
  const struct ref_options *options = &solver->handle.options;
  if (HAS (options, WEIGHT_WRAPS_32))
    solver->objective = (uint32_t) solver->objective; /* DEFECT: the sum has 32 bits */
  if (HAS (options, COUNTS_FALSE_SOFTS))
    solver->objective = sum - solver->objective; /* DEFECT: counts the false ones */
  for (int32_t i = 0; i < maxsat->problem->variable_count; i++) {
    ref_lit falsified = ref_literal (i, maxsat->model[i] > 0);
    if (HAS (options, HARDENING_STAYS) && status == REF_OPTIMUM &&
        solver->weights[falsified] > solver->objective) {
      ref_push (&solver->hard, ref_negate (falsified)); /* DEFECT: it holds in this solve only */
      ref_push (&solver->hard, REF_NONE);
    }
    if (HAS (options, REPEAT_DIFFERS))
      ref_push (&solver->hard, falsified); /* DEFECT: blocks the model, as an iterator does */
  }
  if (HAS (options, REPEAT_DIFFERS)) ref_push (&solver->hard, REF_NONE);
}

static void keep_for_proof (struct ipamir *solver) {
  const struct ref_vector *assumptions = &solver->handle.assumptions;
  solver->assumed.size = 0;
  for (size_t i = 0; i < assumptions->size; i++) ref_push (&solver->assumed, assumptions->data[i]);
}

static void keep_older (struct ipamir *solver) {
  const struct ref_handle *handle = &solver->handle;
  const size_t count = (size_t) ref_handle_variables (handle);
  if (!handle->value_count) return;
  solver->older = ref_resize (solver->older, count, 1);
  memset (solver->older, -1, count);
  memcpy (solver->older, handle->values, (size_t) handle->value_count);
}

static int optimize (struct ipamir *solver, uint64_t sum) {
  struct ref_handle *handle = &solver->handle;
  struct ref_problem problem = {
    .variable_count = ref_handle_variables (handle),
    .hard = &solver->hard,
    .assumptions = &handle->assumptions,
    .weights = solver->weights,
  };
  struct ref_maxsat maxsat;
  int status = ref_maxsat_solve (&maxsat, &problem, &handle->options, &handle->stop);
  if (status == REF_OPTIMUM || status == REF_SATISFIABLE) {
    if (HAS (&handle->options, PROOF_OLD_SOLUTION)) keep_older (solver);
    ref_handle_keep_model (handle, maxsat.model);
    solver->objective = maxsat.cost;
    if (handle->options.defect) plant_after (solver, &maxsat, status, sum);
  }
  ref_maxsat_close (&maxsat);
  return status;
}

static int solve (void *pointer) {
  struct ipamir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  uint64_t sum;
  int status;
  ref_handle_before_solve (handle);
  reserve_weights (solver);
  if (handle->options.proof) keep_for_proof (solver);
  if (ref_stop_wanted (&handle->stop, &handle->options))
    status = REF_INTERRUPTED;
  else if (!sum_of_weights (solver, &sum))
    status = REF_ERROR;
  else if (HAS (&handle->options, SOFT_WITHOUT_CLAUSE) && has_soft_without_clause (solver))
    status = REF_ERROR; /* DEFECT */
  else {
    if (handle->options.defect) plant_before (solver, sum);
    status = optimize (solver, sum);
  }
  return ref_handle_after_solve (handle, status);
}

static uint64_t val_obj (void *pointer) {
  struct ipamir *solver = pointer;
  if (solver->handle.state != REF_STATE_SAT && solver->handle.state != REF_STATE_OPTIMAL) return 0;
  if (HAS (&solver->handle.options, STALE_OBJECTIVE)) { /* DEFECT: the cache is never emptied */
    if (!solver->objective_was_asked) solver->asked_objective = solver->objective;
    solver->objective_was_asked = true;
    return solver->asked_objective;
  }
  return solver->objective;
}

/* The longest proof that a caller gets. */
enum { PROOF_BYTES = 1 << 20 };

static const char *proof (void *pointer, uint64_t *size) {
  struct ipamir *solver = pointer;
  const struct ref_handle *handle = &solver->handle;
  const bool is_optimal = handle->state == REF_STATE_OPTIMAL;
  if (!handle->options.proof || (!is_optimal && handle->state != REF_STATE_UNSAT)) return NULL;
  const struct ref_problem problem = {
    .variable_count = ref_handle_variables (handle),
    .hard = &solver->hard,
    .assumptions = &solver->assumed,
    .weights = solver->weights,
  };
  const struct ref_claim claim = {
    .problem = &problem,
    .names = &handle->names,
    .options = &handle->options,
    .model = is_optimal ? handle->values : NULL,
    .older = solver->older,
    .cost = solver->objective,
  };
  ref_proof_reset (&solver->proof, 0, PROOF_BYTES);
  ref_certify (&solver->proof, &claim);
  *size = solver->proof.size;
  return solver->proof.is_given_up ? NULL : solver->proof.text;
}

const struct ipafuzz_target ref_ipamir_target = {
  .model = IPAFUZZ_IPAMIR,
  .signature = ref_signature,
  .init = init,
  .release = release,
  .add = add_hard,
  .assume = ref_handle_assume,
  .solve = solve,
  .val = ref_handle_val,
  .set_terminate = ref_handle_set_terminate,
  .add_soft = add_soft_lit,
  .val_obj = val_obj,
  .describe = ref_describe,
  .set_option = ref_set_solver_option,
  .proof = proof,
};
