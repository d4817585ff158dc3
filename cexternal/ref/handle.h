/* What a solver of either model consists of: the first member of both, so that
 * a pointer to any solver is a pointer to its handle. */
#ifndef REF_HANDLE_H
#define REF_HANDLE_H

#include "literal.h"
#include "names.h"
#include "options.h"
#include "stop.h"
#include "target.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* As in ipasir.h and ipamir.h. SAT: there is a solution; in IPAMIR one that
 * need not be optimal. ERROR is left by the next call of any kind. */
enum ref_state {
  REF_STATE_INPUT,
  REF_STATE_SAT,
  REF_STATE_OPTIMAL,
  REF_STATE_UNSAT,
  REF_STATE_ERROR
};

struct ref_handle {
  uint32_t interface; /* IPAFUZZ_IPASIR or IPAFUZZ_IPAMIR */
  enum ref_state state;
  bool in_use; /* something was said: too late for options */
  struct ref_options options;
  struct ref_stop stop;
  struct ref_names names;
  struct ref_vector clause;      /* the open one; stays open over a solve, which ignores it */
  struct ref_vector assumptions; /* for the next solve */
  int8_t *values;                /* of each variable in the last model: 1 or -1 */
  int32_t value_count, value_capacity;

  /* For planted defects only. */
  struct ref_vector occurrences; /* of each variable, in clauses */
  int32_t solves, queries, last_status;
  bool unchanged; /* nothing but queries since the last solve */
};

void ref_handle_open (struct ref_handle *handle, uint32_t interface);
void ref_handle_close (struct ref_handle *handle);

/* One literal of the open clause. True when it was the closing 0: the caller
 * takes the clause and empties it. */
bool ref_handle_add (struct ref_handle *handle, int32_t literal_or_zero);
void ref_handle_assume (struct ref_handle *handle, int32_t literal);
ref_lit ref_handle_soft (struct ref_handle *handle, int32_t literal);
int32_t ref_handle_val (struct ref_handle *handle, int32_t literal);
void ref_handle_set_terminate (struct ref_handle *handle, void *state,
                               int (*terminate) (void *state));

/* The first and the last thing in a solve. */
void ref_handle_before_solve (struct ref_handle *handle);
int ref_handle_after_solve (struct ref_handle *handle, int status);
void ref_handle_keep_model (struct ref_handle *handle, const int8_t *model);

/* Does its variable occur in a clause? Known to planted defects only. */
bool ref_handle_occurs (const struct ref_handle *handle, ref_lit literal);

static inline int32_t ref_handle_variables (const struct ref_handle *handle) {
  return (int32_t) handle->names.names.size;
}

#pragma GCC visibility pop

#endif
