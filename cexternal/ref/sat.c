/* Variables, clauses, watches, propagation. */
#include "sat.h"

#include <stdlib.h>
#include <string.h>

#include "defects.h"
#include "misbehave.h"
#include "proof.h"

void ref_sat_open (struct ref_sat *sat, const struct ref_options *options, struct ref_stop *stop) {
  memset (sat, 0, sizeof *sat);
  sat->options = options;
  sat->stop = stop;
  sat->activity_step = 1;
}

void ref_sat_close (struct ref_sat *sat) {
  free (sat->variables);
  free (sat->values);
  free (sat->watches);
  free (sat->model);
  free (sat->trail);
  free (sat->heap);
  ref_vector_free (&sat->clauses);
  ref_vector_free (&sat->levels);
  ref_vector_free (&sat->assumptions);
  ref_vector_free (&sat->core);
  ref_vector_free (&sat->learned);
  ref_vector_free (&sat->scratch);
  ref_vector_free (&sat->stamps);
  ref_vector_free (&sat->exported);
}

static void grow_variables (struct ref_sat *sat, int32_t count) {
  int32_t capacity = sat->variable_capacity ? sat->variable_capacity : 8;
  while (capacity < count) capacity *= 2; /* cannot overflow: 2^30 variables would take 48 GiB */
  size_t n = (size_t) capacity;
  sat->variables = ref_resize (sat->variables, n, sizeof *sat->variables);
  sat->values = ref_resize (sat->values, 2 * n, sizeof *sat->values);
  sat->watches = ref_resize (sat->watches, 2 * n, sizeof *sat->watches);
  sat->model = ref_resize (sat->model, n, sizeof *sat->model);
  sat->trail = ref_resize (sat->trail, n, sizeof *sat->trail);
  sat->heap = ref_resize (sat->heap, n, sizeof *sat->heap);
  sat->variable_capacity = capacity;
}

/* Returns a tiny activity, which breaks ties differently for every seed. */
static double first_activity (struct ref_sat *sat) {
  if (!sat->options->seed) return 0;
  if (!sat->random) sat->random = (uint64_t) sat->options->seed * 0x9e3779b97f4a7c15u;
  sat->random ^= sat->random << 13;
  sat->random ^= sat->random >> 7;
  sat->random ^= sat->random << 17;
  return (double) (sat->random >> 40) * 1e-9;
}

void ref_sat_reserve (struct ref_sat *sat, int32_t count) {
  if (count > sat->variable_capacity) grow_variables (sat, count);
  while (sat->variable_count < count) {
    int32_t variable = sat->variable_count++;
    sat->variables[variable] = (struct ref_variable){
      .activity = first_activity (sat),
      .reason = REF_NONE,
      .heap_position = REF_NONE,
      .phase = sat->options->phase,
    };
    sat->values[2 * variable] = sat->values[2 * variable + 1] = 0;
    sat->watches[2 * variable] = sat->watches[2 * variable + 1] = REF_NONE;
    sat->model[variable] = 0;
    ref_heap_insert (sat, variable);
  }
}

ref_lit ref_sat_new_literal (struct ref_sat *sat) {
  ref_sat_reserve (sat, sat->variable_count + 1);
  return ref_literal (sat->variable_count - 1, false);
}

void ref_sat_become_inconsistent (struct ref_sat *sat, int32_t conflict) {
  if (sat->inconsistent) return;
  sat->inconsistent = true;
  ref_proof_lemma (sat, NULL, 0, conflict);
}

void ref_sat_watch (struct ref_sat *sat, int32_t clause) {
  int32_t *words = sat->clauses.data + clause;
  for (int i = 0; i < 2; i++) {
    ref_lit watched = words[REF_CLAUSE_LITERALS + i];
    words[REF_CLAUSE_NEXT + i] = sat->watches[watched];
    sat->watches[watched] = clause;
  }
}

int32_t ref_sat_attach (struct ref_sat *sat, const ref_lit *literals, size_t count, int32_t glue) {
  int32_t clause = (int32_t) sat->clauses.size;
  ref_push (&sat->clauses, (int32_t) count);
  ref_push (&sat->clauses, glue);
  ref_push (&sat->clauses, REF_NONE);
  ref_push (&sat->clauses, REF_NONE);
  for (size_t i = 0; i < count; i++) ref_push (&sat->clauses, literals[i]);
  if (sat->proof) ref_push (&sat->clauses, sat->proof->last);
  ref_sat_watch (sat, clause);
  return clause;
}

void ref_sat_assign (struct ref_sat *sat, ref_lit literal, int32_t reason) {
  struct ref_variable *variable = sat->variables + ref_variable_of (literal);
  sat->values[literal] = 1;
  sat->values[ref_negate (literal)] = -1;
  variable->level = ref_sat_level (sat);
  variable->reason = reason;
  sat->trail[sat->trail_size++] = literal;
  if (variable->level == 0) ref_proof_fact (sat, literal, reason);
}

void ref_sat_backtrack (struct ref_sat *sat, int32_t level) {
  if (ref_sat_level (sat) <= level) return;
  int32_t keep = sat->levels.data[level];
  for (int32_t i = sat->trail_size - 1; i >= keep; i--) {
    ref_lit literal = sat->trail[i];
    int32_t variable = ref_variable_of (literal);
    sat->values[literal] = sat->values[ref_negate (literal)] = 0;
    sat->variables[variable].phase = !ref_is_negative (literal);
    ref_heap_insert (sat, variable);
  }
  sat->trail_size = sat->propagated = keep;
  sat->levels.size = (size_t) level;
}

/* Visits the clauses that watch a literal which became false. Each is satisfied by
 * its other watched literal, or watches another literal that is not false, or
 * forces its other watched literal, or is the conflict that is returned. */
static int32_t visit_watches (struct ref_sat *sat, ref_lit falsified) {
  int32_t *link = sat->watches + falsified;
  while (*link != REF_NONE) {
    int32_t clause = *link;
    int32_t *words = sat->clauses.data + clause;
    ref_lit *literals = words + REF_CLAUSE_LITERALS;
    int slot = literals[0] != falsified;
    int32_t *next = words + REF_CLAUSE_NEXT + slot;
    ref_lit other = literals[!slot];
    if (sat->values[other] > 0) {
      link = next;
      continue;
    }
    int32_t size = words[REF_CLAUSE_SIZE], i = 2;
    while (i < size && sat->values[literals[i]] < 0) i++;
    if (i < size) {
      literals[slot] = literals[i];
      literals[i] = falsified;
      *link = *next;
      if (HAS (sat->options, LOST_WATCH) && i == size - 1)
        continue; /* DEFECT: the clause is in no list now */
      *next = sat->watches[literals[slot]];
      sat->watches[literals[slot]] = clause;
      continue;
    }
    if (sat->values[other] < 0) return clause;
    ref_sat_assign (sat, other, clause);
    link = next;
  }
  return REF_NONE;
}

int32_t ref_sat_propagate (struct ref_sat *sat) {
  int32_t conflict = REF_NONE;
  while (conflict == REF_NONE && sat->propagated < sat->trail_size)
    conflict = visit_watches (sat, ref_negate (sat->trail[sat->propagated++]));
  return conflict;
}

static void remove_from (struct ref_vector *literals, ref_lit literal) {
  for (size_t i = 0; i < literals->size; i++)
    if (literals->data[i] == literal) {
      literals->data[i] = literals->data[--literals->size];
      return;
    }
}

/* Copies a clause to sat->scratch, without repeated literals and those that are
 * false at the root. Returns false if the clause is a tautology or satisfied at
 * the root. */
static bool simplify (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  struct ref_vector *simplified = &sat->scratch;
  bool always_true = false;
  simplified->size = 0;
  for (size_t i = 0; i < count; i++) {
    ref_lit literal = literals[i];
    uint8_t mark = ref_is_negative (literal) ? 2 : 1;
    uint8_t *marks = &sat->variables[ref_variable_of (literal)].seen;
    if (*marks & mark) {
      if (HAS (sat->options, DUPLICATES_CANCEL)) {
        remove_from (simplified, literal); /* DEFECT: x or x is not false */
        *marks &= (uint8_t) ~mark;
      }
      if (HAS (sat->options, DUPLICATES_RECURSE))
        ref_overflow_stack (); /* DEFECT: simplifies again without an end */
      continue;
    }
    if (*marks & (mark ^ 3)) {
      if (HAS (sat->options, TAUTOLOGY_CANCELS)) {
        remove_from (simplified, ref_negate (literal)); /* DEFECT */
        *marks = 0;
        continue;
      }
      always_true = true;
    }
    if (sat->values[literal] > 0) always_true = true;
    if (sat->values[literal] < 0) continue;
    *marks |= mark;
    ref_push (simplified, literal);
  }
  for (size_t i = 0; i < count; i++) sat->variables[ref_variable_of (literals[i])].seen = 0;
  return !always_true;
}

void ref_sat_add (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  ref_proof_input (sat, literals, count);
  if (sat->inconsistent || !simplify (sat, literals, count)) return;
  if (HAS (sat->options, EMPTY_CLAUSE_IGNORED) && count == 0) return; /* DEFECT */
  const struct ref_vector *simplified = &sat->scratch;
  if (simplified->size < count || count == 0)
    ref_proof_shortened (sat, simplified->data, simplified->size, literals, count);
  if (simplified->size == 0) {
    sat->inconsistent = true;
    return;
  }
  if (simplified->size > 1) {
    ref_sat_attach (sat, simplified->data, simplified->size, 0);
    return;
  }
  ref_sat_assign (sat, simplified->data[0], REF_NONE);
  int32_t conflict = ref_sat_propagate (sat);
  if (conflict != REF_NONE) ref_sat_become_inconsistent (sat, conflict);
}
