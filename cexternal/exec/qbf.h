/* QBF: an incremental interface of solvers of quantified Boolean formulas, in the style of
 * IPASIR. No standard defines one; this header is ours, and small.
 *
 * A formula is a prefix of quantifier blocks, outermost first, and clauses. A solver is in one
 * of these states; START is an INPUT before all calls but those of options and callbacks:
 *
 *   INPUT    the formula may change; there is no answer to query
 *   TRUE     the last solve returned 10, and nothing has changed since
 *   FALSE    the last solve returned 20, and nothing has changed since
 *   CLAUSE   a clause was begun; only the rest of it may follow
 *
 * Unless its text says otherwise, a function may be called in INPUT, TRUE and FALSE, and leads
 * to INPUT. Whether a call is allowed depends on the answer of a solve for qbf_val and
 * qbf_failed only.
 *
 * Variables are positive numbers, literals are variables or their negations.
 *
 * Free variables. A variable that occurs in a clause but in no block is free: existential, and
 * outside all blocks. It stays free until the solver is released, so no block may name it
 * later. A variable is in one block at most.
 *
 * Outermost block. Empty blocks count only for the numbers of qbf_extend, and neighbours with
 * the same quantifier are one block. If there are free variables, they and all existential
 * blocks up to the first universal variable are the outermost block; else the blocks before the
 * first variable whose quantifier differs from the first one's.
 *
 * Clauses. The empty clause is false. A clause with a literal and its negation is true. A
 * literal twice is a literal once.
 */
#ifndef QBF_H
#define QBF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name and version of the library. Needs no solver. */
const char *qbf_signature (void);

/* Makes a solver with an empty prefix and no clauses. Ensures INPUT (START). */
void *qbf_init (void);

/* Ends the solver and frees its memory. */
void qbf_release (void *solver);

/* Appends an innermost block, variable by variable; 0 ends it. It may be empty. Its variables
 * are in no block and in no clause, and positive. Up to the 0 nothing else may be called. */
void qbf_exists (void *solver, int32_t var_or_zero);
void qbf_forall (void *solver, int32_t var_or_zero);

/* The same for variables that are added to an existing block: 1 is the outermost, and blocks are
 * numbered as they were appended, empty ones included. Optional. */
void qbf_extend (void *solver, int32_t level, int32_t var_or_zero);

/* Adds a clause, literal by literal; 0 ends it. Leads to CLAUSE, and with 0 to INPUT. The clause
 * belongs to the last frame, or to the open group, if there is one when the 0 comes. */
void qbf_add (void *solver, int32_t lit_or_zero);

/* Begins a frame; ends the last one and removes the clauses that belong to it. Blocks, variables
 * and assumptions stay. A pop needs a push before. A solver that has had a group has no frames.
 * Optional. */
void qbf_push (void *solver);
void qbf_pop (void *solver);

/* Groups of clauses, by numbers from 0 on that the caller chooses. A solver that has had a frame
 * has no groups. Optional.
 *
 * open: no group is open. A group of this number that does not exist begins, active and empty; one
 * that exists is active. close: the group is open. deactivate: the group is active and not open;
 * its clauses do not count from now on. activate: the group is deactivated; its clauses count
 * again. delete: the group is active and not open; its clauses are gone, and the group does not
 * exist any more. */
void qbf_open_group (void *solver, int32_t group);
void qbf_close_group (void *solver, int32_t group);
void qbf_activate_group (void *solver, int32_t group);
void qbf_deactivate_group (void *solver, int32_t group);
void qbf_delete_group (void *solver, int32_t group);

/* Assigns a variable of the outermost block, existential or universal, so that the literal is true,
 * for the next solve only. The solve is about the formula with this value: assuming a literal of a
 * universal variable is not the same as adding a unit clause. A variable is assumed at most once
 * for a solve. Until the solve it must remain in the outermost block. */
void qbf_assume (void *solver, int32_t lit);

/* Decides the formula under the assumptions, and clears them. Returns
 *   10  it is true; leads to TRUE
 *   20  it is false; leads to FALSE
 *    0  the callback has interrupted the search; leads to INPUT
 */
int qbf_solve (void *solver);

/* In TRUE with an existential outermost block: the values of its variables are such that the rest
 * of the formula is true. In FALSE with a universal outermost block: such that the rest is false.
 * Assumptions have their value. Returns lit if it is true, -lit if it is false, and 0 if the value
 * does not matter: some values of the variables for which it returns 0 complete the others.
 *
 * In TRUE with a universal outermost block, in FALSE with an existential one, and for all other
 * variables it returns 0. Requires TRUE or FALSE and keeps it. */
int32_t qbf_val (void *solver, int32_t lit);

/* Returns 1 if the answer of the last solve, 10 or 20, rests on the assumption lit, else 0: under
 * the assumptions for which it returns 1 alone, the answer is the same. It is not specified for
 * other literals. Requires TRUE or FALSE and keeps it. */
int qbf_failed (void *solver, int32_t lit);

/* Sets a callback that the search calls periodically with the state given here, and that returns
 * non-zero to interrupt it; NULL removes it. Keeps the state of the solver. Optional. */
void qbf_set_terminate (void *solver, void *state, int (*terminate) (void *state));

#ifdef __cplusplus
}
#endif

#endif
