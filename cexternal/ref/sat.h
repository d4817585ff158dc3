/* The SAT solver: conflict-driven clause learning with assumptions.
 *
 * sat.c      variables, clauses, watches, propagation
 * analyze.c  what a conflict teaches; which assumptions are to blame
 * search.c   decisions, restarts, reduction, the solve loop
 * heap.c     the unassigned variables by activity
 *
 * Between two solves the trail holds root-level facts only. Clauses lie in one
 * array and are named by their offset. Each clause is in the lists of its two
 * watched literals, linked through the clause itself: a new variable or clause
 * allocates nothing, which is what a fuzzer's instances of ten clauses need.
 * The price is one cache miss for each watch visited, which blockers would
 * save on big instances.
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
 * to the watched literal REF_CLAUSE_LITERALS + i, for i = 0 and 1. Behind the
 * literals is the clause's id in the proof, when there is a proof. */
enum {
  REF_CLAUSE_SIZE,
  REF_CLAUSE_GLUE, /* levels in a learned clause when it was learned; 0: not learned */
  REF_CLAUSE_NEXT,
  REF_CLAUSE_LITERALS = REF_CLAUSE_NEXT + 2
};

struct ref_variable {
  double activity;
  int32_t level;         /* of the assignment */
  int32_t reason;        /* the clause that forced it, or REF_NONE */
  int32_t heap_position; /* REF_NONE: not in the heap */
  uint8_t phase;         /* the value that a decision tries */
  uint8_t seen;          /* scratch of analysis and clause adding; 0 outside */
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

  /* Optional: a listener for short learned clauses, a clausal proof (proof.h).
   * Both speak in the user's literals. */
  const struct ref_names *names;
  void *learn_state;
  int learn_max_length;
  void (*learn) (void *state, int32_t *clause);
  struct ref_proof *proof;
};

void ref_sat_open (struct ref_sat *sat, const struct ref_options *options, struct ref_stop *stop);
void ref_sat_close (struct ref_sat *sat);

/* Sees to it that the variables 0 to count - 1 exist. */
void ref_sat_reserve (struct ref_sat *sat, int32_t count);
ref_lit ref_sat_new_literal (struct ref_sat *sat);
void ref_sat_add (struct ref_sat *sat, const ref_lit *literals, size_t count);

/* REF_SATISFIABLE, REF_UNSATISFIABLE or REF_INTERRUPTED, under
 * sat->assumptions; fills model or core. */
int ref_sat_solve (struct ref_sat *sat);

/* Shared by the parts of the solver. */
int32_t ref_sat_attach (struct ref_sat *sat, const ref_lit *literals, size_t count, int32_t glue);
void ref_sat_watch (struct ref_sat *sat, int32_t clause);
void ref_sat_assign (struct ref_sat *sat, ref_lit literal, int32_t reason);
void ref_sat_backtrack (struct ref_sat *sat, int32_t level);
int32_t ref_sat_propagate (struct ref_sat *sat);
void ref_sat_become_inconsistent (struct ref_sat *sat, int32_t conflict);
void ref_sat_learn (struct ref_sat *sat, int32_t conflict);
void ref_sat_blame_assumptions (struct ref_sat *sat, ref_lit falsified);
void ref_sat_reduce (struct ref_sat *sat);

void ref_heap_insert (struct ref_sat *sat, int32_t variable);
int32_t ref_heap_pop (struct ref_sat *sat);
void ref_heap_bump (struct ref_sat *sat, int32_t variable);

/* Words of the clause altogether. */
static inline size_t ref_sat_clause_words (const struct ref_sat *sat, size_t clause) {
  return REF_CLAUSE_LITERALS + (size_t) sat->clauses.data[clause + REF_CLAUSE_SIZE] +
         (sat->proof != NULL);
}

static inline int32_t ref_sat_level (const struct ref_sat *sat) {
  return (int32_t) sat->levels.size;
}

#pragma GCC visibility pop

#endif
