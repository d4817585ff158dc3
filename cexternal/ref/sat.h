/* The SAT solver: conflict-driven clause learning with assumptions.
 *
 * sat.c      variables, clauses, watches, propagation
 * analyze.c  learned clauses and failed assumptions
 * search.c   decisions, restarts, reduction, the solve loop
 * heap.c     the unassigned variables by activity
 *
 * All clauses share one array; an offset into it names a clause. Each clause is
 * in the lists of its two watched literals, linked through the clause itself, so
 * a new variable or clause rarely allocates. That suits a fuzzer's instances of
 * ten clauses. It costs one cache miss for each visited watch, which blocking
 * literals would avoid on large instances.
 *
 * The solver is in one of two states:
 *
 *   ROOT     there are no decisions; the trail holds root-level facts only
 *   SEARCH   ref_sat_solve is running, at any decision level
 */
#ifndef REF_SAT_H
#define REF_SAT_H

#include "literal.h"
#include "names.h"
#include "options.h"
#include "stop.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* Words of a clause before its literals. The link REF_CLAUSE_NEXT + i belongs
 * to the watched literal REF_CLAUSE_LITERALS + i, for i = 0 and 1. With a proof,
 * the clause's id in the proof follows the literals. */
enum {
  REF_CLAUSE_SIZE,
  REF_CLAUSE_GLUE, /* decision levels in a learned clause when it was learned; 0: not learned */
  REF_CLAUSE_NEXT,
  REF_CLAUSE_LITERALS = REF_CLAUSE_NEXT + 2
};

struct ref_variable {
  double activity;
  int32_t level;         /* of the assignment */
  int32_t reason;        /* the clause that forced the value, or REF_NONE */
  int32_t heap_position; /* REF_NONE: not in the heap */
  uint8_t phase;         /* the value that a decision tries first */
  uint8_t seen;          /* scratch space of analysis and simplification; 0 elsewhere */
};

struct ref_sat {
  const struct ref_options *options;
  struct ref_stop *stop;
  bool inconsistent; /* the clauses alone are unsatisfiable */

  struct ref_variable *variables;
  int8_t *values;   /* of each literal: 1 true, -1 false, 0 unassigned */
  int32_t *watches; /* of each literal: the first clause that watches it */
  int8_t *model;    /* of each variable in the last satisfying assignment */
  int32_t variable_count, variable_capacity;

  struct ref_vector clauses;
  ref_lit *trail;
  int32_t trail_size, propagated;
  struct ref_vector levels; /* of each decision level: trail_size before it */

  int32_t *heap;
  int32_t heap_size;
  double activity_step;
  uint64_t random; /* state of the tie breaker */

  struct ref_vector assumptions; /* for the next solve, which clears them */
  struct ref_vector core;        /* failed assumptions of the last solve */

  struct ref_vector learned, scratch, stamps, exported;
  uint64_t conflicts, decisions, restarts, reductions;
  uint64_t restart_at, reduce_at; /* in conflicts */
  uint64_t give_up_at;            /* in conflicts; solve returns REF_INTERRUPTED then; 0: never */

  /* Optional: a listener for short learned clauses and a clausal proof
   * (proof.h). Both use the user's literals. */
  const struct ref_names *names;
  void *learn_state;
  int learn_max_length;
  void (*learn) (void *state, int32_t *clause);
  struct ref_proof *proof;
};

/* Makes an empty solver. The options and stop must outlive it.
 *
 *   ensure (ROOT)
 */
void ref_sat_open (struct ref_sat *sat, const struct ref_options *options, struct ref_stop *stop);

/* Frees the solver's memory.
 *
 *   require (ROOT)
 */
void ref_sat_close (struct ref_sat *sat);

/* Makes the variables 0 to count - 1 exist.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_sat_reserve (struct ref_sat *sat, int32_t count);

/* Returns the positive literal of a new variable.
 *
 *   require (ROOT), ensure (ROOT)
 */
ref_lit ref_sat_new_literal (struct ref_sat *sat);

/* Adds a clause of existing variables; a literal may occur several times.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_sat_add (struct ref_sat *sat, const ref_lit *literals, size_t count);

/* Decides the clauses under sat->assumptions, which it clears. Returns
 *
 *   REF_SATISFIABLE     the model assigns every variable
 *   REF_UNSATISFIABLE   the core holds the failed assumptions; empty: the clauses
 *                       alone are unsatisfiable
 *   REF_INTERRUPTED     stop asked for it
 *
 *   require (ROOT), ensure (ROOT)
 */
int ref_sat_solve (struct ref_sat *sat);

/* The rest is internal to the solver. */

/* Stores and watches a clause of two or more literals and returns its name. The
 * first two literals must be the last to become false, if any are false.
 *
 *   require (ROOT | SEARCH), keeps the state
 */
int32_t ref_sat_attach (struct ref_sat *sat, const ref_lit *literals, size_t count, int32_t glue);

/* Links a stored clause into the lists of its first two literals.
 *
 *   require (ROOT | SEARCH), keeps the state
 */
void ref_sat_watch (struct ref_sat *sat, int32_t clause);

/* Makes an unassigned literal true, at the current level.
 *
 *   require (ROOT | SEARCH), keeps the state
 */
void ref_sat_assign (struct ref_sat *sat, ref_lit literal, int32_t reason);

/* Undoes all assignments above the level.
 *
 *   require (ROOT | SEARCH), ensure (ROOT) for level 0
 */
void ref_sat_backtrack (struct ref_sat *sat, int32_t level);

/* Assigns all literals that follow by unit propagation. Returns the clause that
 * became false, or REF_NONE.
 *
 *   require (ROOT | SEARCH), keeps the state
 */
int32_t ref_sat_propagate (struct ref_sat *sat);

/* Records that the clauses alone are unsatisfiable: the conflict is false at
 * level 0.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_sat_become_inconsistent (struct ref_sat *sat, int32_t conflict);

/* Learns a clause from a conflict above level 0, backtracks to the level where
 * that clause is a unit, and assigns its literal.
 *
 *   require (SEARCH), ensure (SEARCH | ROOT)
 */
void ref_sat_learn (struct ref_sat *sat, int32_t conflict);

/* Fills the core after propagation falsified an assumption. All decisions so far
 * must be assumptions.
 *
 *   require (SEARCH), keeps the state
 */
void ref_sat_blame_assumptions (struct ref_sat *sat, ref_lit falsified);

/* Deletes the worse half of the learned clauses.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_sat_reduce (struct ref_sat *sat);

/* Puts a variable into the heap unless it is there.
 *
 *   require (ROOT | SEARCH), keeps the state
 */
void ref_heap_insert (struct ref_sat *sat, int32_t variable);

/* Removes and returns the most active variable; REF_NONE when the heap is empty.
 *
 *   require (SEARCH), keeps the state
 */
int32_t ref_heap_pop (struct ref_sat *sat);

/* Makes a variable more active.
 *
 *   require (SEARCH), keeps the state
 */
void ref_heap_bump (struct ref_sat *sat, int32_t variable);

/* Returns the number of words that the clause occupies. */
static inline size_t ref_sat_clause_words (const struct ref_sat *sat, size_t clause) {
  return REF_CLAUSE_LITERALS + (size_t) sat->clauses.data[clause + REF_CLAUSE_SIZE] +
         (sat->proof != NULL);
}

static inline int32_t ref_sat_level (const struct ref_sat *sat) {
  return (int32_t) sat->levels.size;
}

#pragma GCC visibility pop

#endif
