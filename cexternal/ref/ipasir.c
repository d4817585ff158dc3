/* IPASIR: incremental SAT, straight on the SAT solver. */
#include <stdlib.h>

#include "defects.h"
#include "handle.h"
#include "ref.h"
#include "sat.h"

struct ipasir {
  struct ref_handle handle; /* first: see handle.h */
  struct ref_sat sat;
  struct ref_vector core; /* of the last solve; the literals of the user's assumptions */
  struct ref_vector previous_core; /* for a planted defect */
};

static const char *signature (void)
{
  return "ipafuzz-reference";
}

static void *init (void)
{
  struct ipasir *solver = ref_allocate_zeroed (sizeof *solver);
  ref_handle_open (&solver->handle, IPAFUZZ_IPASIR);
  ref_sat_open (&solver->sat, &solver->handle.options, &solver->handle.stop);
  solver->sat.names = &solver->handle.names;
  return solver;
}

static void release (void *pointer)
{
  struct ipasir *solver = pointer;
  ref_handle_close (&solver->handle);
  ref_sat_close (&solver->sat);
  ref_vector_free (&solver->core);
  ref_vector_free (&solver->previous_core);
  free (solver);
}

static void add (void *pointer, int32_t literal_or_zero)
{
  struct ipasir *solver = pointer;
  bool is_complete = ref_handle_add (&solver->handle, literal_or_zero);
  ref_sat_reserve (&solver->sat, ref_handle_variables (&solver->handle));
  if (!is_complete)
    return;
  struct ref_vector *clause = &solver->handle.clause;
  ref_sat_add (&solver->sat, clause->data, clause->size);
  clause->size = 0;
}

static void assume (void *pointer, int32_t literal)
{
  struct ipasir *solver = pointer;
  ref_handle_assume (&solver->handle, literal);
  ref_sat_reserve (&solver->sat, ref_handle_variables (&solver->handle));
}

static void copy (struct ref_vector *to, const struct ref_vector *from)
{
  to->size = 0;
  for (size_t i = 0; i < from->size; i++)
    ref_push (to, from->data[i]);
}

/* The clause that the last model falsifies, as a model iterator adds it. */
static void block_model (struct ipasir *solver)
{
  struct ref_vector clause = { 0 };
  for (int32_t i = 0; i < solver->sat.variable_count; i++)
    ref_push (&clause, ref_literal (i, solver->sat.model[i] > 0));
  ref_sat_add (&solver->sat, clause.data, clause.size);
  ref_vector_free (&clause);
}

static int solve (void *pointer)
{
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  struct ref_sat *sat = &solver->sat;
  ref_handle_before_solve (handle);
  copy (&sat->assumptions, &handle->assumptions);
  copy (&solver->previous_core, &solver->core);
  int status = ref_sat_solve (sat);
  copy (&solver->core, &sat->core);
  if (status == REF_SATISFIABLE)
    ref_handle_keep_model (handle, sat->model);
  if (HAS (&handle->options, REPEAT_DIFFERS) && status == REF_SATISFIABLE)
    block_model (solver); /* DEFECT */
  return ref_handle_after_solve (handle, status);
}

static int32_t val (void *pointer, int32_t literal)
{
  struct ipasir *solver = pointer;
  return ref_handle_val (&solver->handle, literal);
}

static bool contains (const struct ref_vector *literals, ref_lit literal)
{
  for (size_t i = 0; i < literals->size; i++)
    if (literals->data[i] == literal)
      return true;
  return false;
}

static int failed (void *pointer, int32_t literal)
{
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  if (literal == 0 || literal == INT32_MIN || handle->state != REF_STATE_UNSAT)
    return 0;
  if (HAS (&handle->options, FAILED_ALL))
    return 1; /* DEFECT */
  if (HAS (&handle->options, FAILED_NONE))
    return 0; /* DEFECT */
  const struct ref_vector *core = &solver->core;
  if (HAS (&handle->options, FAILED_STALE))
    core = &solver->previous_core; /* DEFECT: of the solve before */
  ref_lit internal = ref_names_find (&handle->names, literal);
  if (internal == REF_NONE)
    return 0;
  if (HAS (&handle->options, FAILED_WRONG_SIGN))
    internal = ref_negate (internal); /* DEFECT */
  return contains (core, internal);
}

static void set_terminate (void *pointer, void *state, int (*terminate) (void *state))
{
  struct ipasir *solver = pointer;
  ref_handle_set_terminate (&solver->handle, state, terminate);
}

static void set_learn (void *pointer, void *state, int max_length, void (*learn) (void *state, int32_t *clause))
{
  struct ipasir *solver = pointer;
  solver->sat.learn_state = state;
  solver->sat.learn_max_length = max_length;
  solver->sat.learn = learn;
}

int ref_set_proof (void *pointer, struct ref_proof *proof)
{
  struct ref_handle *handle = pointer;
  if (handle->interface != IPAFUZZ_IPASIR || handle->in_use)
    return 1;
  ((struct ipasir *) pointer)->sat.proof = proof;
  return 0;
}

int ref_set_solver_option (void *pointer, const char *name, const char *value)
{
  struct ref_handle *handle = pointer;
  return handle->in_use || ref_set_option (&handle->options, name, value);
}

const struct ipafuzz_target ref_ipasir_target = {
  .model = IPAFUZZ_IPASIR,
  .signature = signature,
  .init = init,
  .release = release,
  .add = add,
  .assume = assume,
  .solve = solve,
  .val = val,
  .failed = failed,
  .set_terminate = set_terminate,
  .set_learn = set_learn,
  .describe = ref_describe,
  .set_option = ref_set_solver_option,
};
