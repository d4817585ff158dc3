/* QBF: blocks, clauses, frames and groups. It stores the formula, and every solve begins anew with
 * it. Calls that qbf.h forbids do no harm. */
#include <stdlib.h>

#include "defects.h"
#include "handle.h"
#include "misbehave.h"
#include "qdpll.h"
#include "ref.h"

/* A group of clauses that was not deleted. */
struct group {
  int32_t number;
  bool active;
};

/* Where a clause belongs: NOWHERE, to frame n (n > 0), or to group number n (IN_GROUP - n). */
enum { NOWHERE = 0, IN_GROUP = -1 };

enum { UNKNOWN = -1, FREE = 0 }; /* levels of variables that no block names */

struct qbf {
  struct ref_handle handle; /* first: see handle.h */
  struct ref_qdpll search;

  struct ref_vector blocks; /* whether they are universal */
  struct ref_vector sizes;  /* and how many variables they have */
  struct ref_vector levels; /* of the variables */
  bool has_free;            /* some variable is free */
  bool block_open;          /* a block was begun by exists or forall, and lacks its 0 */

  struct ref_vector clauses; /* of each: its size, where it belongs, its literals */
  int32_t frames;
  struct group *groups;
  size_t group_count, group_capacity;
  int32_t open_group; /* UNKNOWN: none */

  struct ref_vector assumed; /* those of the last solve */
  bool universal_first;      /* the outermost block of the last solve is universal */

  /* For planted defects only. */
  bool only_popped;   /* since the last solve */
  bool false_forever; /* the formula was false once */
};

static void *init (void) {
  struct qbf *solver = ref_allocate_zeroed (sizeof *solver);
  ref_handle_open (&solver->handle, IPAFUZZ_QBF);
  ref_qdpll_open (&solver->search, &solver->handle.options, &solver->handle.stop);
  solver->open_group = UNKNOWN;
  return solver;
}

static void release (void *pointer) {
  struct qbf *solver = pointer;
  ref_handle_close (&solver->handle);
  ref_qdpll_close (&solver->search);
  ref_vector_free (&solver->blocks);
  ref_vector_free (&solver->sizes);
  ref_vector_free (&solver->levels);
  ref_vector_free (&solver->clauses);
  ref_vector_free (&solver->assumed);
  free (solver->groups);
  free (solver);
}

/* Every change makes the last answer unavailable, and the first call ends the time for options. */
static void leave_answers (struct qbf *solver) {
  solver->handle.state = REF_STATE_INPUT;
  solver->handle.in_use = true;
  solver->handle.unchanged = false;
}

static void know_levels (struct qbf *solver) {
  while ((int32_t) solver->levels.size < ref_handle_variables (&solver->handle))
    ref_push (&solver->levels, UNKNOWN);
}

/* Puts a new variable into a block; 1 is the outermost. */
static void quantify (struct qbf *solver, int32_t level, int32_t variable) {
  const ref_lit literal = ref_handle_soft (&solver->handle, variable);
  know_levels (solver);
  int32_t *place = solver->levels.data + ref_variable_of (literal);
  if (*place != UNKNOWN || level < 1 || level > (int32_t) solver->blocks.size) return;
  *place = level;
  solver->sizes.data[level - 1]++;
}

static void block (struct qbf *solver, bool universal, int32_t var_or_zero) {
  leave_answers (solver);
  solver->only_popped = false;
  if (!solver->block_open) {
    ref_push (&solver->blocks, universal);
    ref_push (&solver->sizes, 0);
  }
  solver->block_open = var_or_zero != 0;
  if (var_or_zero) quantify (solver, (int32_t) solver->blocks.size, var_or_zero);
}

static void exists (void *pointer, int32_t var_or_zero) { block (pointer, false, var_or_zero); }

static void forall (void *pointer, int32_t var_or_zero) { block (pointer, true, var_or_zero); }

static void extend (void *pointer, int32_t level, int32_t var_or_zero) {
  struct qbf *solver = pointer;
  leave_answers (solver);
  solver->only_popped = false;
  if (HAS (&solver->handle.options, EXTENSION_INNERMOST))
    level = (int32_t) solver->blocks.size; /* DEFECT */
  if (var_or_zero) quantify (solver, level, var_or_zero);
}

static struct group *group_numbered (const struct qbf *solver, int32_t number) {
  for (size_t i = 0; i < solver->group_count; i++)
    if (solver->groups[i].number == number) return solver->groups + i;
  return NULL;
}

static void add (void *pointer, int32_t literal_or_zero) {
  struct qbf *solver = pointer;
  struct ref_vector *clause = &solver->handle.clause;
  const bool is_complete = ref_handle_add (&solver->handle, literal_or_zero);
  solver->only_popped = false;
  know_levels (solver);
  if (!is_complete && !clause->size) return; /* a planted defect has lost the literal */
  if (!is_complete) {
    int32_t *level = solver->levels.data + ref_variable_of (clause->data[clause->size - 1]);
    if (*level == UNKNOWN) *level = FREE;
    solver->has_free |= *level == FREE;
    return;
  }
  ref_push (&solver->clauses, (int32_t) clause->size);
  ref_push (&solver->clauses,
            solver->open_group == UNKNOWN ? solver->frames : IN_GROUP - solver->open_group);
  for (size_t i = 0; i < clause->size; i++) ref_push (&solver->clauses, clause->data[i]);
  clause->size = 0;
}

/* Removes the clauses that belong there. */
static void remove_clauses (struct qbf *solver, int32_t home) {
  struct ref_vector *clauses = &solver->clauses;
  size_t to = 0, last = SIZE_MAX; /* where the last of those that stay begins */
  bool removed = false;
  for (size_t from = 0; from < clauses->size;) {
    const size_t words = 2 + (size_t) clauses->data[from];
    if (clauses->data[from + 1] == home && HAS (&solver->handle.options, POP_KEEPS_CLAUSE) &&
        home > NOWHERE && !removed) {
      clauses->data[from + 1] = home - 1; /* DEFECT: the first one counts from 1 */
      removed = true;
    }
    if (clauses->data[from + 1] != home) {
      last = to;
      for (size_t i = 0; i < words; i++) clauses->data[to++] = clauses->data[from + i];
    } else {
      removed = true;
    }
    from += words;
  }
  clauses->size = to;
  if (HAS (&solver->handle.options, POP_DROPS_BELOW) && home > NOWHERE && removed &&
      last != SIZE_MAX)
    clauses->size = last; /* DEFECT: the mark of a frame is one clause too low */
}

static void push (void *pointer) {
  struct qbf *solver = pointer;
  leave_answers (solver);
  solver->frames++;
  if (HAS (&solver->handle.options, LEAK_PER_PUSH)) ref_leak (); /* DEFECT */
}

static void pop (void *pointer) {
  struct qbf *solver = pointer;
  if (HAS (&solver->handle.options, POP_AFTER_FALSE) && solver->handle.state == REF_STATE_UNSAT)
    ref_read_null (); /* DEFECT: the search has freed the frame already */
  leave_answers (solver);
  if (!solver->frames) return;
  remove_clauses (solver, solver->frames--);
}

static void open_group (void *pointer, int32_t number) {
  struct qbf *solver = pointer;
  leave_answers (solver);
  solver->open_group = number;
  if (group_numbered (solver, number)) return;
  if (solver->group_count == solver->group_capacity) {
    solver->group_capacity = solver->group_capacity ? 2 * solver->group_capacity : 8;
    solver->groups = ref_resize (solver->groups, solver->group_capacity, sizeof *solver->groups);
  }
  solver->groups[solver->group_count++] = (struct group){number, true};
}

static void close_group (void *pointer, int32_t number) {
  struct qbf *solver = pointer;
  leave_answers (solver);
  if (number == solver->open_group) solver->open_group = UNKNOWN;
}

static void set_active (struct qbf *solver, int32_t number, bool active) {
  leave_answers (solver);
  solver->only_popped = false;
  struct group *group = group_numbered (solver, number);
  if (group) group->active = active;
}

static void activate_group (void *pointer, int32_t number) {
  struct qbf *solver = pointer;
  if (HAS (&solver->handle.options, ACTIVATION_LOST)) number = UNKNOWN; /* DEFECT */
  set_active (solver, number, true);
}

static void deactivate_group (void *pointer, int32_t number) {
  struct qbf *solver = pointer;
  if (HAS (&solver->handle.options, DEACTIVATED_COUNTS) && solver->handle.solves)
    number = UNKNOWN; /* DEFECT: what was solved once stays */
  set_active (solver, number, false);
}

static void delete_group (void *pointer, int32_t number) {
  struct qbf *solver = pointer;
  leave_answers (solver);
  solver->only_popped = false;
  struct group *group = group_numbered (solver, number);
  if (!group) return;
  *group = solver->groups[--solver->group_count];
  if (HAS (&solver->handle.options, DELETED_COUNTS)) return; /* DEFECT */
  remove_clauses (solver, IN_GROUP - number);
}

static void assume (void *pointer, int32_t literal) {
  struct qbf *solver = pointer;
  ref_handle_assume (&solver->handle, literal);
  know_levels (solver);
}

/* Computes the rank of every variable: the number of its block if neighbouring blocks with the same
 * quantifier count as one. */
static void rank_variables (struct qbf *solver) {
  const struct ref_options *options = &solver->handle.options;
  struct ref_vector ranks = {0}; /* of the levels */
  int32_t rank = solver->has_free ? 0 : -1, universals = 0;
  bool universal = false, ended = false;
  ref_push (&ranks, 0);
  for (size_t i = 0; i < solver->blocks.size; i++) {
    const int32_t size = solver->sizes.data[i];
    bool next = solver->blocks.data[i];
    if (HAS (options, EMPTY_BLOCK_ENDS) && !size) ended = true; /* DEFECT: the rest is free */
    if (HAS (options, BLOCKS_ALTERNATE) && rank >= 0) next = !universal; /* DEFECT */
    if (size && !ended && (rank < 0 || next != universal)) {
      const bool forgets =
        HAS (options, DEPENDENCY_FORGOTTEN) && !next && rank > 0 && universals == 1;
      rank += forgets ? -1 : 1; /* DEFECT: existential variables change sides with a single one */
      universal = next;
      universals = 0;
    }
    universals += size;
    ref_push (&ranks, ended || rank < 0 ? 0 : 2 * rank + universal);
  }
  solver->universal_first = false;
  for (int32_t v = 0; v < solver->search.variable_count; v++) {
    struct ref_qvar *variable = solver->search.variables + v;
    const int32_t level = solver->levels.data[v];
    int32_t code = level > FREE ? ranks.data[level] : 0;
    if (HAS (options, FREE_INNERMOST) && level == FREE) code = 2 * (rank + 1); /* DEFECT */
    variable->rank = code / 2;
    variable->universal = code % 2;
    if (code == 1) solver->universal_first = true;
  }
  ref_vector_free (&ranks);
}

static void pose (struct qbf *solver) {
  const struct ref_vector *clauses = &solver->clauses;
  ref_qdpll_begin (&solver->search, ref_handle_variables (&solver->handle));
  rank_variables (solver);
  for (size_t at = 0; at < clauses->size; at += 2 + (size_t) clauses->data[at]) {
    const int32_t home = clauses->data[at + 1];
    const struct group *group = home < NOWHERE ? group_numbered (solver, IN_GROUP - home) : NULL;
    if (group && !group->active) continue;
    ref_qdpll_add (&solver->search, clauses->data + at + 2, (size_t) clauses->data[at]);
  }
}

/* Copies the assumptions, without those that a planted defect treats in another way. */
static void take_assumptions (struct qbf *solver) {
  const struct ref_options *options = &solver->handle.options;
  const struct ref_vector *assumptions = &solver->handle.assumptions;
  solver->assumed.size = 0;
  for (size_t i = 0; i < assumptions->size; i++) {
    const ref_lit literal = assumptions->data[i];
    if (solver->search.variables[ref_variable_of (literal)].universal) {
      if (HAS (options, UNIVERSAL_ASSUMPTION_IGNORED)) continue; /* DEFECT */
      if (HAS (options, UNIVERSAL_ASSUMPTION_UNIT)) {            /* DEFECT */
        ref_qdpll_add (&solver->search, &literal, 1);
        continue;
      }
    }
    ref_push (&solver->assumed, literal);
  }
}

static int solve (void *pointer) {
  struct qbf *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  const struct ref_options *options = &handle->options;
  const int last = handle->last_status;
  ref_handle_before_solve (handle);
  know_levels (solver);
  pose (solver);
  take_assumptions (solver);
  if (HAS (options, NO_CLAUSE_LOOPS) && !solver->clauses.size && solver->universal_first)
    ref_loop_forever (); /* DEFECT */
  int status = ref_qdpll_solve (&solver->search, &solver->assumed);
  if (HAS (options, ANSWER_REUSED) && solver->only_popped && last && !solver->assumed.size)
    status = last; /* DEFECT: a pop is not a change */
  if (HAS (options, FALSE_FOREVER) && solver->false_forever)
    status = REF_UNSATISFIABLE; /* DEFECT */
  if (status == REF_UNSATISFIABLE && !solver->assumed.size) solver->false_forever = true;
  solver->only_popped = true;
  struct ref_vector kept = {0};
  if (HAS (options, ASSUMPTIONS_PERSIST) && status == REF_SATISFIABLE)
    for (size_t i = 0; i < handle->assumptions.size; i++)
      ref_push (&kept, handle->assumptions.data[i]);
  ref_handle_after_solve (handle, status);
  for (size_t i = 0; i < kept.size; i++)
    ref_push (&handle->assumptions, kept.data[i]); /* DEFECT: only UNSAT clears them */
  ref_vector_free (&kept);
  return status;
}

/* Returns the variable of a literal in the last solve, or NULL. */
static const struct ref_qvar *asked (const struct qbf *solver, int32_t literal) {
  const enum ref_state state = solver->handle.state;
  if (!literal || literal == INT32_MIN || (state != REF_STATE_SAT && state != REF_STATE_UNSAT))
    return NULL;
  const ref_lit internal = ref_names_find (&solver->handle.names, literal);
  if (internal == REF_NONE || ref_variable_of (internal) >= solver->search.variable_count)
    return NULL;
  return solver->search.variables + ref_variable_of (internal);
}

static int32_t val (void *pointer, int32_t literal) {
  const struct qbf *solver = pointer;
  const struct ref_options *options = &solver->handle.options;
  const struct ref_qvar *variable = asked (solver, literal);
  if (!variable) return 0;
  const bool is_false = solver->handle.state == REF_STATE_UNSAT;
  const bool inner = HAS (options, VALUES_OF_INNER) && variable->rank == 1 &&
                     variable->universal == is_false; /* DEFECT */
  if (!inner && (variable->rank || solver->universal_first != is_false)) return 0;
  int outcome = variable->outcome > 0 ? 1 : -1;
  if (HAS (options, FALSE_VALUES_NEGATED) && is_false) outcome = -outcome; /* DEFECT */
  return (outcome > 0) == (literal > 0) ? literal : -literal;
}

static int failed (void *pointer, int32_t literal) {
  const struct qbf *solver = pointer;
  const struct ref_options *options = &solver->handle.options;
  const struct ref_qvar *variable = asked (solver, literal);
  if (!variable || !variable->failed) return 0;
  const ref_lit internal = ref_names_find (&solver->handle.names, literal);
  const struct ref_vector *assumed = &solver->assumed;
  if (HAS (options, TRUE_BLAMELESS) && solver->handle.state == REF_STATE_SAT) return 0; /* DEFECT */
  for (size_t i = 0; i < assumed->size; i++) {
    if (assumed->data[i] != internal) continue;
    return !(HAS (options, CORE_MISSES_LAST) && i && i == assumed->size - 1); /* DEFECT */
  }
  return 0;
}

const struct ipafuzz_target ref_qbf_target = {
  .model = IPAFUZZ_QBF,
  .signature = ref_signature,
  .init = init,
  .release = release,
  .exists = exists,
  .forall = forall,
  .extend = extend,
  .add = add,
  .push = push,
  .pop = pop,
  .open_group = open_group,
  .close_group = close_group,
  .activate_group = activate_group,
  .deactivate_group = deactivate_group,
  .delete_group = delete_group,
  .assume = assume,
  .solve = solve,
  .val = val,
  .failed = failed,
  .set_terminate = ref_handle_set_terminate,
  .describe = ref_describe,
  .set_option = ref_set_solver_option,
};
