/* The part that the solvers of all models share. It is the first member of each,
 * so a pointer to any solver is a pointer to its handle. The states are those of
 * ref.h. */
#ifndef REF_HANDLE_H
#define REF_HANDLE_H

#include "burdens.h"
#include "literal.h"
#include "names.h"
#include "options.h"
#include "stop.h"
#include "target.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* FRESH is REF_STATE_INPUT with in_use unset. */
enum ref_state {
  REF_STATE_INPUT,
  REF_STATE_SAT,
  REF_STATE_OPTIMAL,
  REF_STATE_UNSAT,
  REF_STATE_ERROR
};

struct ref_handle {
  uint32_t interface; /* IPAFUZZ_IPASIR, IPAFUZZ_IPAMIR or IPAFUZZ_QBF */
  enum ref_state state;
  bool in_use; /* too late for options */
  struct ref_options options;
  struct ref_stop stop;
  struct ref_names names;
  struct ref_vector clause;      /* the open one; solve ignores it and it stays open */
  struct ref_vector assumptions; /* for the next solve */
  int8_t *values;                /* of each variable in the last model: 1 or -1 */
  int32_t value_count, value_capacity;

  /* For planted defects and burdens only. */
  struct ref_vector occurrences; /* number of each variable's literals in clauses */
  int32_t solves, queries, last_status;
  bool unchanged; /* nothing but queries since the last solve */
  struct ref_burden burden;
};

/* What every library calls itself. The functions of this file that take a solver of any
 * model can stand in the table of its model. */
const char *ref_signature (void);

/* Initializes a zeroed handle.
 *
 *   ensure (FRESH)
 */
void ref_handle_open (struct ref_handle *handle, uint32_t interface);

/* Frees the handle's memory.
 *
 *   require (READY)
 */
void ref_handle_close (struct ref_handle *handle);

/* Adds a literal to the open clause. Returns true for the closing 0: the caller
 * then takes the clause and empties it.
 *
 *   require (READY), ensure (INPUT)
 */
bool ref_handle_add (struct ref_handle *handle, int32_t literal_or_zero);

/* Makes the last answer unavailable, as every change of the formula does; the first such
 * call ends the time for options.
 *
 *   require (READY), ensure (INPUT)
 */
void ref_handle_leave_answers (struct ref_handle *handle);

/* Adds an assumption for the next solve.
 *
 *   require (READY), ensure (INPUT)
 */
void ref_handle_assume (void *solver, int32_t literal);

/* Returns the literal to be made soft, or to be put into a constraint.
 *
 *   require (READY), ensure (INPUT)
 */
ref_lit ref_handle_soft (struct ref_handle *handle, int32_t literal);

/* Returns the literal or its negation, whichever the last model makes true, or 0
 * when the variable has no value.
 *
 *   require (SAT | OPTIMAL), keeps the state; returns 0 in other states
 */
int32_t ref_handle_val (void *solver, int32_t literal);

/* Sets the terminate callback; NULL removes it.
 *
 *   require (READY), keeps the state
 */
void ref_handle_set_terminate (void *solver, void *state, int (*terminate) (void *state));

/* Begins a solve; no option may be set from here on.
 *
 *   require (READY)
 */
void ref_handle_before_solve (struct ref_handle *handle);

/* Ends a solve, drops the assumptions and returns the status.
 *
 *   ensure (INPUT | SAT | OPTIMAL | UNSAT | ERROR), as the status says
 */
int ref_handle_after_solve (struct ref_handle *handle, int status);

/* Copies the model for later queries. Called between the two functions above. */
void ref_handle_keep_model (struct ref_handle *handle, const int8_t *model);

/* Reports whether the literal's variable occurs in a clause. Counted only when a
 * defect is planted. */
bool ref_handle_occurs (const struct ref_handle *handle, ref_lit literal);

static inline int32_t ref_handle_variables (const struct ref_handle *handle) {
  return (int32_t) handle->names.names.size;
}

#pragma GCC visibility pop

#endif
