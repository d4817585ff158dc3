#include "prover.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "sat.h"
#include "stop.h"

enum { MOST_WORDS = 1 << 26, KEPT_BYTES = 1 << 20 };

struct ref_prover *ref_prover_open (void) {
  return ref_allocate_zeroed (sizeof (struct ref_prover));
}

void ref_prover_close (struct ref_prover *prover) {
  ref_proof_close (&prover->proof);
  ref_vector_free (&prover->clause);
  ref_vector_free (&prover->model);
  free (prover);
}

void ref_prover_interrupt (struct ref_prover *prover, bool interrupted) {
  atomic_store (&prover->is_interrupted, interrupted);
}

struct attempt {
  struct ref_prover *prover;
  const struct ref_sat *sat;
  uint64_t conflicts; /* allowed */
};

/* The terminate callback. */
static int is_over_budget (void *state) {
  const struct attempt *attempt = state;
  const struct ref_sat *sat = attempt->sat;
  return atomic_load (&attempt->prover->is_interrupted) || sat->conflicts > attempt->conflicts ||
         sat->proof->is_given_up || sat->clauses.size > MOST_WORDS;
}

/* Counts the clauses; returns what is wrong with the formula. */
static int count_clauses (const int32_t *formula, size_t size, int32_t *count) {
  *count = 0;
  for (size_t i = 0; i < size; i++) {
    if (formula[i] == INT32_MIN) return REF_PROVER_BAD_LITERAL;
    *count += formula[i] == 0;
  }
  return size && formula[size - 1] ? REF_PROVER_OPEN_CLAUSE : REF_PROVER_ANSWERED;
}

static void add_clauses (struct ref_prover *prover, struct ref_sat *sat, struct ref_names *names,
                         const int32_t *formula, size_t size) {
  struct ref_vector *clause = &prover->clause;
  clause->size = 0;
  for (size_t i = 0; i < size; i++) {
    if (formula[i]) {
      ref_push (clause, ref_names_intern (names, formula[i]));
      continue;
    }
    ref_sat_reserve (sat, (int32_t) names->names.size);
    ref_sat_add (sat, clause->data, clause->size);
    clause->size = 0;
  }
}

static void keep_model (struct ref_prover *prover, const struct ref_sat *sat) {
  prover->model.size = 0;
  for (int32_t i = 0; i < sat->variable_count; i++)
    ref_push (&prover->model, ref_names_user (sat->names, ref_literal (i, sat->model[i] < 0)));
}

/* Empties the proof; keeps its memory unless it is large. */
static void renew_proof (struct ref_proof *proof, int32_t clauses, size_t limit) {
  if (proof->capacity > KEPT_BYTES) {
    ref_proof_close (proof);
    ref_proof_open (proof, clauses, limit);
  } else
    ref_proof_reset (proof, clauses, limit);
}

int ref_prover_solve (struct ref_prover *prover, const int32_t *formula, size_t size,
                      uint64_t conflicts, size_t proof_limit, struct ref_prover_answer *answer) {
  memset (answer, 0, sizeof *answer);
  int32_t clauses;
  /* A stored clause is less than three times as long as in the formula. */
  if (size > MOST_WORDS) return REF_PROVER_ANSWERED;
  int fault = count_clauses (formula, size, &clauses);
  if (fault) return fault;

  struct ref_sat sat;
  struct ref_names names = {0};
  struct attempt attempt = {.prover = prover, .sat = &sat, .conflicts = conflicts};
  struct ref_stop stop = {.ask = is_over_budget, .state = &attempt};
  ref_sat_open (&sat, &ref_default_options, &stop);
  renew_proof (&prover->proof, clauses, proof_limit);
  sat.names = &names;
  sat.proof = &prover->proof;
  add_clauses (prover, &sat, &names, formula, size);
  answer->status = ref_sat_solve (&sat);
  answer->conflicts = sat.conflicts;
  if (prover->proof.is_given_up && answer->status == REF_UNSATISFIABLE)
    answer->status = REF_INTERRUPTED;
  if (answer->status == REF_SATISFIABLE) {
    keep_model (prover, &sat);
    answer->model = prover->model.data;
    answer->model_size = prover->model.size;
  }
  if (answer->status == REF_UNSATISFIABLE) {
    answer->proof = prover->proof.text;
    answer->proof_size = prover->proof.size;
  }
  ref_sat_close (&sat);
  ref_names_free (&names);
  return REF_PROVER_ANSWERED;
}
