/* Decisions, restarts, deletion of learned clauses, the solve loop. */
#include "sat.h"

#include <stdlib.h>
#include <string.h>

#include "defects.h"
#include "misbehave.h"
#include "proof.h"

enum { RESTART_UNIT = 100, DECISIONS_BETWEEN_QUESTIONS = 64, UNDECIDED = -1 };

/* Returns element i, from 1, of the Luby sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...
 * It is within a logarithmic factor of the best restart schedule. */
static uint64_t luby (uint64_t i) {
  for (;;) {
    uint64_t power = 2;
    while (power - 1 < i) power *= 2;
    if (power - 1 == i) return power / 2;
    i -= power / 2 - 1;
  }
}

static void open_level (struct ref_sat *sat) { ref_push (&sat->levels, sat->trail_size); }

/* Decides the next assumption or variable and returns UNDECIDED; otherwise returns
 * REF_SATISFIABLE (all are assigned), REF_UNSATISFIABLE (an assumption is false) or
 * REF_INTERRUPTED. */
static int decide (struct ref_sat *sat) {
  while (sat->levels.size < sat->assumptions.size) {
    ref_lit assumption = sat->assumptions.data[sat->levels.size];
    if (sat->values[assumption] < 0) {
      if (HAS (sat->options, ROOT_ASSERTION) &&
          sat->variables[ref_variable_of (assumption)].level == 0)
        ref_fail_assertion (__FILE__, __LINE__, "level (assumption) > 0"); /* DEFECT */
      ref_sat_blame_assumptions (sat, assumption);
      return REF_UNSATISFIABLE;
    }
    open_level (sat); /* even if the assumption is true already: assumption i has level i + 1 */
    if (sat->values[assumption] == 0) {
      ref_sat_assign (sat, assumption, REF_NONE);
      return UNDECIDED;
    }
  }
  int32_t variable;
  do variable = ref_heap_pop (sat);
  while (variable != REF_NONE && sat->values[ref_literal (variable, false)]);
  if (variable == REF_NONE) return REF_SATISFIABLE;
  if (++sat->decisions % DECISIONS_BETWEEN_QUESTIONS == 0 &&
      ref_stop_wanted (sat->stop, sat->options)) {
    ref_heap_insert (sat, variable);
    return REF_INTERRUPTED;
  }
  open_level (sat);
  ref_sat_assign (sat, ref_literal (variable, !sat->variables[variable].phase), REF_NONE);
  return UNDECIDED;
}

static int compare_keys (const void *a, const void *b) {
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return x < y ? -1 : x > y;
}

/* Deletes the clauses with many levels, and among equals the older ones. At the
 * root no reason is needed, so any clause may go. */
void ref_sat_reduce (struct ref_sat *sat) {
  for (int32_t i = 0; i < sat->trail_size; i++)
    sat->variables[ref_variable_of (sat->trail[i])].reason = REF_NONE;

  struct ref_vector *clauses = &sat->clauses;
  uint64_t *keys = NULL;
  size_t count = 0, capacity = 0;
  for (size_t at = 0; at < clauses->size; at += ref_sat_clause_words (sat, at)) {
    int32_t glue = clauses->data[at + REF_CLAUSE_GLUE];
    if (glue <= 2) continue;
    if (count == capacity) {
      capacity = capacity ? 2 * capacity : 64;
      keys = ref_resize (keys, capacity, sizeof *keys);
    }
    keys[count++] = (uint64_t) (uint32_t) glue << 32 | (INT32_MAX - (uint32_t) at);
  }
  if (count) qsort (keys, count, sizeof *keys, compare_keys);
  for (size_t i = count / 2; i < count; i++) {
    size_t at = INT32_MAX - (uint32_t) keys[i];
    clauses->data[at + REF_CLAUSE_GLUE] = INT32_MAX; /* marked for deletion */
  }
  free (keys);

  /* Close the gaps and rebuild all watch lists. */
  for (int32_t i = 0; i < 2 * sat->variable_count; i++) sat->watches[i] = REF_NONE;
  size_t to = 0;
  sat->scratch.size = 0; /* ids of deleted clauses */
  for (size_t from = 0; from < clauses->size;) {
    size_t words = ref_sat_clause_words (sat, from);
    if (clauses->data[from + REF_CLAUSE_GLUE] == INT32_MAX) {
      if (sat->proof) {
        ref_push (&sat->scratch, clauses->data[from + words - 1]);
        ref_proof_write_deleted (sat, clauses->data + from + REF_CLAUSE_LITERALS,
                                 (size_t) clauses->data[from + REF_CLAUSE_SIZE]);
      }
    } else {
      memmove (clauses->data + to, clauses->data + from, words * sizeof *clauses->data);
      ref_sat_watch (sat, (int32_t) to);
      to += words;
    }
    from += words;
  }
  clauses->size = to;
  if (sat->proof) ref_proof_write_deletion (sat, &sat->scratch);
}

static void restart_or_reduce_if_due (struct ref_sat *sat) {
  if (sat->options->restart && sat->conflicts >= sat->restart_at) {
    ref_sat_backtrack (sat, 0);
    sat->restart_at = sat->conflicts + RESTART_UNIT * luby (++sat->restarts);
  }
  if (sat->conflicts >= sat->reduce_at) {
    ref_sat_backtrack (sat, 0);
    /* A unit may have been learned that is not propagated yet. */
    int32_t conflict = ref_sat_propagate (sat);
    if (conflict != REF_NONE)
      ref_sat_become_inconsistent (sat, conflict);
    else
      ref_sat_reduce (sat);
    /* The intervals grow, because otherwise the search might not terminate. */
    sat->reduce_at = sat->conflicts + (uint64_t) sat->options->reduce * ++sat->reductions;
  }
}

static int search (struct ref_sat *sat) {
  uint64_t first_conflict = sat->conflicts;
  for (;;) {
    int32_t conflict = ref_sat_propagate (sat);
    if (conflict == REF_NONE) {
      int status = decide (sat);
      if (status != UNDECIDED) return status;
      continue;
    }
    if (ref_sat_level (sat) == 0) {
      ref_sat_become_inconsistent (sat, conflict);
      return REF_UNSATISFIABLE;
    }
    ref_sat_learn (sat, conflict);
    if (sat->give_up_at && sat->conflicts >= sat->give_up_at) return REF_INTERRUPTED;
    if (ref_stop_wanted (sat->stop, sat->options)) return REF_INTERRUPTED;
    if (HAS (sat->options, UNASKED_INTERRUPT) && sat->conflicts >= first_conflict + 2)
      return REF_INTERRUPTED; /* DEFECT: no such limit was set */
    restart_or_reduce_if_due (sat);
    if (sat->inconsistent) return REF_UNSATISFIABLE;
  }
}

static void take_assumptions_for_facts (struct ref_sat *sat) {
  ref_sat_backtrack (sat, 0);
  for (size_t i = 0; i < sat->assumptions.size; i++)
    ref_sat_add (sat, sat->assumptions.data + i, 1);
}

int ref_sat_solve (struct ref_sat *sat) {
  int status;
  sat->core.size = 0;
  if (!sat->reduce_at) {
    sat->reduce_at = (uint64_t) sat->options->reduce;
    sat->restart_at = RESTART_UNIT;
  }
  if (ref_stop_wanted (sat->stop, sat->options))
    status = REF_INTERRUPTED;
  else if (sat->inconsistent)
    status = REF_UNSATISFIABLE;
  else
    status = search (sat);

  if (status == REF_SATISFIABLE)
    for (int32_t i = 0; i < sat->variable_count; i++)
      sat->model[i] = sat->values[ref_literal (i, false)];
  if (HAS (sat->options, DIRTY_INTERRUPT) && status == REF_INTERRUPTED)
    take_assumptions_for_facts (sat); /* DEFECT */
  sat->assumptions.size = 0;
  ref_sat_backtrack (sat, 0);
  if (HAS (sat->options, ASSUMPTION_UNSAT_STICKS) && status == REF_UNSATISFIABLE)
    sat->inconsistent = true; /* DEFECT: only under assumptions */
  return status;
}
