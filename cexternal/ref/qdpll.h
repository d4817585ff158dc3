/* The QBF solver: a search for quantified Boolean formulas in conjunctive normal form.
 *
 * qdpll.c   the search: unit propagation with universal reduction, pure literals, decisions
 *           in the order of the prefix, backjumping
 * qbf.c     the interface: blocks, clauses, frames, groups
 *
 * Two players own the variables: one tries to make the formula true, the other to make it
 * false. A leaf of the search has a loser and a reason: a set of literals of the trail such
 * that the loser loses as long as they hold. Backtracking takes the trail apart and keeps
 * the reason right; only a decision of the loser whose literal is in the reason is tried the
 * other way. At the end, the assumptions in the reason are those that the answer rests on,
 * and what the winner decided in the outermost block are the values.
 *
 * Nothing is learned, so hard formulas take long; a fuzzer's formulas are small.
 *
 * All calls but solve are in state IDLE:
 *
 *   IDLE     there is a formula, perhaps a result of the last solve
 */
#ifndef REF_QDPLL_H
#define REF_QDPLL_H

#include "literal.h"
#include "options.h"
#include "stop.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

struct ref_qvar {
  int32_t rank; /* of its block: 0 is the outermost, and neighbours have different quantifiers */
  bool universal;
  bool assumed;   /* an assumption gives its value: no player and no block has it */
  bool occurs;    /* in a clause that counts */
  bool in_reason; /* scratch space of backtracking; false elsewhere */
  bool failed;    /* result: the answer rests on this assumption */
  int8_t outcome; /* result: 1 true, -1 false, in the branch of the winner */
  int32_t place;  /* on the trail, if it has a value */
};

/* How a literal came onto the trail, if not by the clause at this offset. */
enum {
  REF_BY_PURITY = -1,
  REF_BY_ASSUMPTION = -2,
  REF_BY_DECISION = -3,       /* the other value is not tried yet */
  REF_BY_OTHER_DECISION = -4, /* the first value has lost */
};

struct ref_qstep {
  ref_lit literal;
  int32_t how;
  int32_t kept; /* OTHER_DECISION: where the reason of the first value begins */
  int32_t next; /* DECISION: where in the order the search for a variable went on */
};

struct ref_qdpll {
  const struct ref_options *options;
  struct ref_stop *stop;

  /* The formula: the caller fills in rank and universal of all variables, and adds clauses. */
  struct ref_qvar *variables;
  int32_t variable_count, variable_capacity;
  struct ref_vector clauses;     /* of each: its size and its literals */
  struct ref_vector occurrences; /* of each: the clause and the next one of the literal */

  int8_t *values; /* of each literal: 1 true, -1 false, 0 none */
  int32_t *first; /* of each literal: its first occurrence, or REF_NONE */
  int32_t *order; /* variables that occur, the outermost first */
  int32_t order_size;
  struct ref_qstep *trail;
  int32_t trail_size, propagated;
  int32_t next;           /* all variables before it in the order have values */
  struct ref_vector kept; /* reasons of first values that have lost */
  int32_t unsatisfied;    /* a clause that was not satisfied when last looked at */
};

void ref_qdpll_open (struct ref_qdpll *qdpll, const struct ref_options *options,
                     struct ref_stop *stop);
void ref_qdpll_close (struct ref_qdpll *qdpll);

/* Begins a formula of that many variables, without clauses. All are existential and of rank 0. */
void ref_qdpll_begin (struct ref_qdpll *qdpll, int32_t variables);

/* Adds a clause of existing variables. */
void ref_qdpll_add (struct ref_qdpll *qdpll, const ref_lit *literals, size_t count);

/* Decides the formula under the assumptions. Returns
 *
 *   REF_SATISFIABLE     it is true
 *   REF_UNSATISFIABLE   it is false
 *   REF_INTERRUPTED     stop asked for it
 *
 * and, with the first two, leaves the outcome of every variable and the failed assumptions. */
int ref_qdpll_solve (struct ref_qdpll *qdpll, const struct ref_vector *assumptions);

#pragma GCC visibility pop

#endif
