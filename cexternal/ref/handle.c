#include "handle.h"

#include <stdlib.h>
#include <string.h>

#include "at_once.h"
#include "defects.h"
#include "misbehave.h"

/* More assumptions than any trace has: a list that is too short would be another defect. */
enum { SHARED_ASSUMPTIONS_SIZE = 1 << 16, SHARED_VALUES_SIZE = 64 };

/* Data that instances must never share. Only planted defects use it. */
static struct {
  ref_lit assumptions[SHARED_ASSUMPTIONS_SIZE];
  int32_t assumption_count;
  int8_t values[SHARED_VALUES_SIZE];
} shared;

const char *ref_signature (void) { return "ipafuzz-reference"; }

void ref_handle_open (struct ref_handle *handle, uint32_t interface) {
  ref_at_once_open ();
  handle->interface = interface;
  handle->options = ref_default_options;
}

void ref_handle_close (struct ref_handle *handle) {
  if (HAS (&handle->options, DOUBLE_FREE) && handle->state == REF_STATE_UNSAT)
    ref_free_twice (); /* DEFECT: frees the core with the trail and separately */
  if (HAS (&handle->options, LEAK_PER_RELEASE)) ref_leak (); /* DEFECT */
  ref_burden_free (&handle->burden);
  ref_names_free (&handle->names);
  ref_vector_free (&handle->clause);
  ref_vector_free (&handle->assumptions);
  ref_vector_free (&handle->occurrences);
  free (handle->values);
  ref_at_once_close ();
}

/* Returns the solver's literal for a user's literal; makes new variables. */
static ref_lit intern (struct ref_handle *handle, int32_t literal) {
  if (HAS (&handle->options, WIDE_VARIABLE) && abs (literal) > INT32_MAX / 2)
    ref_index_below_zero (abs (literal)); /* DEFECT: 2 * variable as an int */
  /* After the defect, which it would hide. */
  if (handle->options.burden) ref_burden_name (&handle->burden, handle->options.burden, literal);
  return ref_names_intern (&handle->names, literal);
}

static void count_occurrence (struct ref_handle *handle, ref_lit literal) {
  while ((int32_t) handle->occurrences.size <= ref_variable_of (literal))
    ref_push (&handle->occurrences, 0);
  handle->occurrences.data[ref_variable_of (literal)]++;
}

bool ref_handle_occurs (const struct ref_handle *handle, ref_lit literal) {
  return ref_variable_of (literal) < (int32_t) handle->occurrences.size &&
         handle->occurrences.data[ref_variable_of (literal)] > 0;
}

static bool is_far_beyond (const struct ref_handle *handle, int32_t literal) {
  int32_t highest = 0;
  for (size_t i = 0; i < handle->names.names.size; i++)
    if (handle->names.names.data[i] > highest) highest = handle->names.names.data[i];
  return abs (literal) - highest > 1000;
}

void ref_handle_leave_answers (struct ref_handle *handle) {
  handle->state = REF_STATE_INPUT;
  handle->in_use = true;
  handle->unchanged = false;
}

bool ref_handle_add (struct ref_handle *handle, int32_t literal_or_zero) {
  if (HAS (&handle->options, IGNORED_AFTER_UNSAT) && handle->last_status == REF_UNSATISFIABLE)
    return false; /* DEFECT: forgets that assumptions may have caused UNSAT */
  ref_handle_leave_answers (handle);
  if (handle->options.burden)
    ref_burden_add (&handle->burden, handle->options.burden, literal_or_zero);
  if (literal_or_zero == 0) {
    if (HAS (&handle->options, EMPTY_CLAUSE_EXITS) && handle->clause.size == 0)
      ref_exit_complaining ("empty clause in the input"); /* DEFECT */
    if (HAS (&handle->options, BUS_ERROR) && handle->clause.size > 4)
      ref_touch_beyond_file (); /* DEFECT: spills long clauses to a file that is too short */
    if (HAS (&handle->options, SHARED_SCRATCH)) ref_sort_in_shared_scratch (&handle->clause);
    return true;
  }
  if (HAS (&handle->options, VARIABLE_GAP) && is_far_beyond (handle, literal_or_zero)) {
    ref_names_intern (&handle->names, literal_or_zero);
    return false; /* DEFECT: does not grow the table that far and loses the literal */
  }
  ref_lit literal = intern (handle, literal_or_zero);
  if (handle->options.defect) count_occurrence (handle, literal);
  if (HAS (&handle->options, LAZY_TABLE) && !ref_lazy_table_keeps (literal)) return false;
  ref_push (&handle->clause, literal);
  return false;
}

void ref_handle_assume (void *solver, int32_t literal) {
  struct ref_handle *handle = solver;
  ref_handle_leave_answers (handle);
  bool is_fresh = ref_names_find (&handle->names, literal) == REF_NONE;
  ref_lit assumption = intern (handle, literal);
  if (HAS (&handle->options, FRESH_ASSUMPTION_IGNORED) && is_fresh) return; /* DEFECT */
  if (HAS (&handle->options, MEMORY_BLOW_UP))
    for (size_t i = 0; i < handle->assumptions.size; i++)
      if (handle->assumptions.data[i] == assumption)
        ref_eat_memory (); /* DEFECT: allocates until the two differ */
  if (HAS (&handle->options, SHARED_ASSUMPTIONS)) {
    if (shared.assumption_count < SHARED_ASSUMPTIONS_SIZE)
      shared.assumptions[shared.assumption_count++] =
        assumption; /* DEFECT: one list for all instances */
    return;
  }
  ref_push (&handle->assumptions, assumption);
}

ref_lit ref_handle_soft (struct ref_handle *handle, int32_t literal) {
  ref_handle_leave_answers (handle);
  return intern (handle, literal);
}

void ref_handle_before_solve (struct ref_handle *handle) {
  handle->in_use = true;
  handle->solves++;
  if (handle->options.burden)
    ref_burden_solve (&handle->burden, handle->options.burden, &handle->assumptions);
  if (HAS (&handle->options, CORRUPTED_HEAP) && handle->solves == 2)
    ref_corrupt_heap (); /* DEFECT */
  if (HAS (&handle->options, FALSE_COMPLAINT) && handle->last_status == REF_UNSATISFIABLE)
    ref_complain (handle->solves);                         /* DEFECT: there is no error */
  if (HAS (&handle->options, LEAK_PER_SOLVE)) ref_leak (); /* DEFECT */
  if (HAS (&handle->options, QUIET_EXIT) && handle->last_status == REF_UNSATISFIABLE &&
      handle->unchanged)
    ref_exit_quietly (); /* DEFECT: believes that nothing is left to do */
  if (HAS (&handle->options, SHARED_ASSUMPTIONS)) {
    for (int32_t i = 0; i < shared.assumption_count; i++)
      if (ref_variable_of (shared.assumptions[i]) < ref_handle_variables (handle))
        ref_push (&handle->assumptions, shared.assumptions[i]);
    shared.assumption_count = 0;
  }
  if (HAS (&handle->options, FIRST_ASSUMPTION_IGNORED) && handle->assumptions.size > 0) {
    handle->assumptions.size--; /* DEFECT: counts from 1 */
    memmove (handle->assumptions.data, handle->assumptions.data + 1,
             handle->assumptions.size * sizeof *handle->assumptions.data);
  }
}

int ref_handle_after_solve (struct ref_handle *handle, int status) {
  if (HAS (&handle->options, WATCHDOG_KILLS) && status == REF_INTERRUPTED)
    ref_kill_self (); /* DEFECT: the watchdog still waits for the solve */
  bool keep =
    HAS (&handle->options, ASSUMPTIONS_STAY) ||                                         /* DEFECT */
    (HAS (&handle->options, INTERRUPT_KEEPS_ASSUMPTIONS) && status == REF_INTERRUPTED); /* DEFECT */
  if (!keep) handle->assumptions.size = 0;
  handle->state = status == REF_SATISFIABLE     ? REF_STATE_SAT
                  : status == REF_OPTIMUM       ? REF_STATE_OPTIMAL
                  : status == REF_UNSATISFIABLE ? REF_STATE_UNSAT
                  : status == REF_ERROR         ? REF_STATE_ERROR
                                                : REF_STATE_INPUT;
  handle->last_status = status;
  handle->unchanged = true;
  handle->queries = 0;
  return status;
}

void ref_handle_keep_model (struct ref_handle *handle, const int8_t *model) {
  int32_t count = ref_handle_variables (handle);
  if (!count) return;
  if (count > handle->value_capacity) {
    handle->value_capacity = 2 * count;
    handle->values =
      ref_resize (handle->values, (size_t) handle->value_capacity, sizeof *handle->values);
  }
  memcpy (handle->values, model, (size_t) count);
  handle->value_count = count;
  if (HAS (&handle->options, SHARED_MODEL)) /* DEFECT: one buffer for all instances */
    memcpy (shared.values, model, count < SHARED_VALUES_SIZE ? (size_t) count : SHARED_VALUES_SIZE);
}

int32_t ref_handle_val (void *solver, int32_t literal) {
  struct ref_handle *handle = solver;
  if (literal == 0 || literal == INT32_MIN ||
      (handle->state != REF_STATE_SAT && handle->state != REF_STATE_OPTIMAL))
    return 0;
  ref_lit internal = ref_names_find (&handle->names, literal);
  if (HAS (&handle->options, UNUSED_VAL_GARBAGE) &&
      (internal == REF_NONE || !ref_handle_occurs (handle, internal)))
    return literal > 0 ? literal / 2 + 1 : literal + 1; /* DEFECT: reads past the model */
  if (internal == REF_NONE)
    return HAS (&handle->options, UNSEEN_FLIPS) && handle->queries++ % 2 ? literal : 0; /* DEFECT */
  int8_t value = handle->values[ref_variable_of (internal)];
  if (HAS (&handle->options, SHARED_MODEL) && ref_variable_of (internal) < SHARED_VALUES_SIZE)
    value = shared.values[ref_variable_of (internal)];
  if (HAS (&handle->options, NEGATIVE_VAL_ZERO) && literal < 0) return 0; /* DEFECT */
  if (HAS (&handle->options, VAL_FLIPS) && !ref_handle_occurs (handle, internal) &&
      handle->queries++ % 2)
    value = (int8_t) -value; /* DEFECT: invents a value in every query */
  bool is_true = (value > 0) != ref_is_negative (internal);
  return is_true ? literal : -literal;
}

void ref_handle_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  struct ref_handle *handle = solver;
  handle->stop.ask = terminate;
  handle->stop.state = state;
  if (HAS (&handle->options, NULL_TERMINATE) && !terminate)
    handle->stop.ask = ref_call_null; /* DEFECT: does not test for null */
}
