/* Learned clauses and failed assumptions. */
#include "sat.h"

#include "defects.h"
#include "proof.h"

/* Learned clauses contain no literal that is false at the root. */
static bool is_forgettable (const struct ref_sat *sat, ref_lit literal) {
  int32_t level = sat->variables[ref_variable_of (literal)].level;
  if (HAS (sat->options, ASSUMPTION_LEVEL_UNIT) && level < ref_sat_level (sat) &&
      level <= (int32_t) sat->assumptions.size)
    return true; /* DEFECT: treats the levels of assumptions as the root */
  return level == 0;
}

/* Resolves the conflict with reasons, the latest first, until one literal of the
 * conflict's level remains (the first unique implication point). */
static void resolve_conflict (struct ref_sat *sat, int32_t conflict) {
  struct ref_vector *learned = &sat->learned;
  learned->size = 0;
  ref_push (learned, REF_NONE); /* place of the last literal */
  sat->scratch.size = 0;        /* variables to unmark */
  int32_t open = 0, position = sat->trail_size, clause = conflict;
  ref_lit pivot = REF_NONE;
  do {
    const int32_t *words = sat->clauses.data + clause;
    for (int32_t i = 0; i < words[REF_CLAUSE_SIZE]; i++) {
      ref_lit literal = words[REF_CLAUSE_LITERALS + i];
      int32_t variable = ref_variable_of (literal);
      if (literal == pivot || sat->variables[variable].seen || is_forgettable (sat, literal))
        continue;
      sat->variables[variable].seen = 1;
      ref_push (&sat->scratch, variable);
      ref_heap_bump (sat, variable);
      if (sat->variables[variable].level == ref_sat_level (sat))
        open++;
      else
        ref_push (learned, literal);
    }
    do pivot = sat->trail[--position];
    while (!sat->variables[ref_variable_of (pivot)].seen);
    clause = sat->variables[ref_variable_of (pivot)].reason;
  } while (--open > 0);
  learned->data[0] = ref_negate (pivot);
}

/* A literal is redundant if the others imply it: all other literals of its reason
 * are in the learned clause, or were and were redundant themselves. */
static bool is_redundant (const struct ref_sat *sat, ref_lit literal) {
  int32_t reason = sat->variables[ref_variable_of (literal)].reason;
  if (reason == REF_NONE) return false;
  const int32_t *words = sat->clauses.data + reason;
  for (int32_t i = 0; i < words[REF_CLAUSE_SIZE]; i++) {
    ref_lit other = words[REF_CLAUSE_LITERALS + i];
    if (other != ref_negate (literal) && !sat->variables[ref_variable_of (other)].seen &&
        !is_forgettable (sat, other))
      return false;
  }
  return true;
}

static void minimize (struct ref_sat *sat) {
  struct ref_vector *learned = &sat->learned;
  size_t kept = 1;
  for (size_t i = 1; i < learned->size; i++)
    if (!is_redundant (sat, learned->data[i])) learned->data[kept++] = learned->data[i];
  learned->size = kept;
}

/* Moves the latest of the other literals to the second place, where it will be
 * watched, and returns its level, at which the learned clause is a unit. */
static int32_t find_jump_level (struct ref_sat *sat) {
  struct ref_vector *learned = &sat->learned;
  if (learned->size == 1) return 0;
  size_t latest = 1;
  for (size_t i = 2; i < learned->size; i++)
    if (sat->variables[ref_variable_of (learned->data[i])].level >
        sat->variables[ref_variable_of (learned->data[latest])].level)
      latest = i;
  ref_lit literal = learned->data[latest];
  learned->data[latest] = learned->data[1];
  learned->data[1] = literal;
  return sat->variables[ref_variable_of (literal)].level;
}

/* Counts the levels in the learned clause; clauses with few levels are useful. */
static int32_t count_levels (struct ref_sat *sat) {
  while (sat->stamps.size <= sat->levels.size) ref_push (&sat->stamps, -1);
  int32_t count = 0, stamp = (int32_t) (sat->conflicts & INT32_MAX);
  for (size_t i = 0; i < sat->learned.size; i++) {
    int32_t level = sat->variables[ref_variable_of (sat->learned.data[i])].level;
    if (sat->stamps.data[level] != stamp) {
      sat->stamps.data[level] = stamp;
      count++;
    }
  }
  return count;
}

static void tell_listener (struct ref_sat *sat) {
  struct ref_vector *clause = &sat->exported;
  int64_t limit = sat->learn_max_length;
  if (HAS (sat->options, LEARNED_TOO_LONG))
    limit++; /* DEFECT: counts the final zero on one side only */
  if ((int64_t) sat->learned.size > limit) return;
  clause->size = 0;
  for (size_t i = 0; i < sat->learned.size; i++)
    ref_push (clause, ref_names_user (sat->names, sat->learned.data[i]));
  if (HAS (sat->options, LEARNED_NOT_IMPLIED))
    clause->data[0] = -clause->data[0]; /* DEFECT: passes the literal as it is on the trail */
  ref_push (clause, 0);
  sat->learn (sat->learn_state, clause->data);
}

/* A propagation that skipped clauses may find a conflict below the current level.
 * Analysis must start at the conflict's own level. */
static void retreat_to_conflict (struct ref_sat *sat, int32_t conflict) {
  const int32_t *words = sat->clauses.data + conflict;
  int32_t level = 0;
  for (int32_t i = 0; i < words[REF_CLAUSE_SIZE]; i++) {
    int32_t of_literal = sat->variables[ref_variable_of (words[REF_CLAUSE_LITERALS + i])].level;
    level = of_literal > level ? of_literal : level;
  }
  ref_sat_backtrack (sat, level);
}

void ref_sat_learn (struct ref_sat *sat, int32_t conflict) {
  if (HAS (sat->options, SKIPPED_WATCHES)) { /* DEFECT: see below */
    retreat_to_conflict (sat, conflict);
    if (ref_sat_level (sat) == 0) {
      ref_sat_become_inconsistent (sat, conflict);
      return;
    }
  }
  sat->conflicts++;
  resolve_conflict (sat, conflict);
  if (sat->options->minimize) minimize (sat);
  for (size_t i = 0; i < sat->scratch.size; i++) sat->variables[sat->scratch.data[i]].seen = 0;
  sat->activity_step *= 1 / 0.95;

  int32_t jump_level = find_jump_level (sat);
  int32_t glue = count_levels (sat);
  ref_proof_lemma (sat, sat->learned.data, sat->learned.size, conflict);
  if (sat->learn) tell_listener (sat);

  ref_sat_backtrack (sat, jump_level);
  int32_t reason = REF_NONE;
  if (sat->learned.size > 1)
    reason = ref_sat_attach (sat, sat->learned.data, sat->learned.size, glue);
  ref_sat_assign (sat, sat->learned.data[0], reason);
  if (HAS (sat->options, SKIPPED_WATCHES))
    sat->propagated = sat->trail_size; /* DEFECT: the literal's watches are never visited */
}

/* Proves that some literal of the core is false. That is trivial if the negation of
 * the falsified one is an assumption too, or if it is false at the root. */
static void prove_core (struct ref_sat *sat, ref_lit falsified) {
  int32_t reason = sat->variables[ref_variable_of (falsified)].reason;
  if (reason == REF_NONE || sat->variables[ref_variable_of (falsified)].level == 0) return;
  sat->scratch.size = 0;
  for (size_t i = 0; i < sat->core.size; i++)
    ref_push (&sat->scratch, ref_negate (sat->core.data[i]));
  ref_proof_lemma (sat, sat->scratch.data, sat->scratch.size, reason);
}

/* The core is the falsified assumption and those that falsified it by propagation
 * alone. */
void ref_sat_blame_assumptions (struct ref_sat *sat, ref_lit falsified) {
  struct ref_vector *core = &sat->core;
  core->size = 0;
  ref_push (core, falsified);
  sat->variables[ref_variable_of (falsified)].seen = 1;
  int32_t first = sat->levels.size ? sat->levels.data[0] : sat->trail_size;
  if (HAS (sat->options, CORE_MISSES_FIRST) && sat->levels.size > 1)
    first = sat->levels.data[1]; /* DEFECT: one level short */
  for (int32_t i = sat->trail_size - 1; i >= first; i--) {
    ref_lit literal = sat->trail[i];
    struct ref_variable *variable = sat->variables + ref_variable_of (literal);
    if (!variable->seen) continue;
    variable->seen = 0;
    if (variable->reason == REF_NONE) {
      ref_push (core, literal); /* all decisions are assumptions */
      continue;
    }
    const int32_t *words = sat->clauses.data + variable->reason;
    for (int32_t j = 0; j < words[REF_CLAUSE_SIZE]; j++) {
      struct ref_variable *other =
        sat->variables + ref_variable_of (words[REF_CLAUSE_LITERALS + j]);
      if (other != variable && other->level > 0) other->seen = 1;
    }
  }
  /* If it is false at the root, the core is this assumption alone. */
  sat->variables[ref_variable_of (falsified)].seen = 0;
  if (HAS (sat->options, CORE_MISSES_FIRST))
    for (int32_t i = 0; i < sat->variable_count; i++) sat->variables[i].seen = 0;

  if (sat->proof) prove_core (sat, falsified);
}
