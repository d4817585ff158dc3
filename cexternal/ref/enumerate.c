#include "enumerate.h"

#include "defects.h"
#include "sat.h"

struct enumeration {
  struct ref_sat sat;
  struct ref_stop stop;        /* without a callback */
  struct ref_vector variables; /* in clauses, each once */
  uint32_t count, most;
};

static void begin (struct enumeration *e, const struct ref_vector *clauses, int32_t variable_count,
                   const struct ref_options *options, uint32_t most) {
  *e = (struct enumeration){.most = most};
  ref_sat_open (&e->sat, options, &e->stop);
  ref_sat_reserve (&e->sat, variable_count);
  struct ref_vector seen = {0};
  for (int32_t i = 0; i < variable_count; i++) ref_push (&seen, 0);
  for (size_t from = 0, i = 0; i < clauses->size; i++) {
    ref_lit literal = clauses->data[i];
    if (literal == REF_NONE) {
      ref_sat_add (&e->sat, clauses->data + from, i - from);
      from = i + 1;
    } else if (!seen.data[ref_variable_of (literal)]++)
      ref_push (&e->variables, ref_variable_of (literal));
  }
  ref_vector_free (&seen);
}

static uint32_t end (struct enumeration *e) {
  ref_sat_close (&e->sat);
  ref_vector_free (&e->variables);
  return e->count;
}

static void by_blocking (struct enumeration *e) {
  struct ref_vector clause = {0};
  while (e->count < e->most && ref_sat_solve (&e->sat) == REF_SATISFIABLE) {
    e->count++;
    clause.size = 0;
    for (size_t i = 0; i < e->variables.size; i++)
      ref_push (&clause,
                ref_literal (e->variables.data[i], e->sat.model[e->variables.data[i]] > 0));
    if (HAS (e->sat.options, BLOCKS_TOO_MUCH) && clause.size > 1) clause.size--; /* DEFECT */
    ref_sat_add (&e->sat, clause.data, clause.size);
  }
  ref_vector_free (&clause);
}

/* fixed holds the literals of the splits so far. */
static void by_splitting (struct enumeration *e, struct ref_vector *fixed) {
  if (e->count == e->most) return;
  e->sat.assumptions.size = 0;
  for (size_t i = 0; i < fixed->size; i++) ref_push (&e->sat.assumptions, fixed->data[i]);
  if (ref_sat_solve (&e->sat) != REF_SATISFIABLE) return;
  if (fixed->size == e->variables.size) {
    e->count++;
    return;
  }
  int32_t variable = e->variables.data[fixed->size];
  for (int negative = 0; negative < 2; negative++) {
    ref_push (fixed, ref_literal (variable, negative));
    by_splitting (e, fixed);
    fixed->size--;
  }
}

uint64_t ref_enumerate (const struct ref_vector *clauses, int32_t variable_count,
                        const struct ref_options *options, uint32_t most) {
  struct enumeration e;
  begin (&e, clauses, variable_count, options, most);
  by_blocking (&e);
  uint64_t counts = end (&e);
  struct ref_vector fixed = {0};
  begin (&e, clauses, variable_count, options, most);
  by_splitting (&e, &fixed);
  ref_vector_free (&fixed);
  return counts | (uint64_t) end (&e) << 32;
}
