/* IPASIR and the models that extend it: incremental SAT, directly on the SAT solver. */
#include <stdlib.h>
#include <string.h>

#include "defects.h"
#include "enumerate.h"
#include "handle.h"
#include "proof.h"
#include "ref.h"
#include "sat.h"

struct ipasir {
  struct ref_handle handle; /* first: see handle.h */
  struct ref_sat sat;
  struct ref_vector core;          /* of the last solve; literals as the user assumed them */
  struct ref_vector previous_core; /* for a planted defect */

  /* CaDiCaL's extensions of IPASIR. */
  struct ref_vector constraint; /* of the next solve, also while it is open */
  bool is_constrained, constraint_open;
  bool constraint_failed;   /* in the last solve */
  struct ref_vector frozen; /* a literal for each freeze without a melt */

  /* For enumerate: all clauses; REF_NONE ends each. */
  bool keeps_clauses;
  struct ref_vector kept;

  struct ref_proof proof; /* of the option 'proof' */
};

/* The longest proof that a caller gets. Ids up to PROOF_INPUTS are those of added clauses. */
enum { PROOF_BYTES = 1 << 20, PROOF_INPUTS = 1 << 20 };

static const struct ipasir *last_to_solve; /* for a planted defect */

static void *init (void) {
  struct ipasir *solver = ref_allocate_zeroed (sizeof *solver);
  ref_handle_open (&solver->handle, IPAFUZZ_IPASIR);
  ref_sat_open (&solver->sat, &solver->handle.options, &solver->handle.stop);
  solver->sat.names = &solver->handle.names;
  return solver;
}

static void release (void *pointer) {
  struct ipasir *solver = pointer;
  if (last_to_solve == solver) last_to_solve = NULL;
  ref_proof_close (&solver->proof);
  ref_handle_close (&solver->handle);
  ref_sat_close (&solver->sat);
  ref_vector_free (&solver->core);
  ref_vector_free (&solver->previous_core);
  ref_vector_free (&solver->constraint);
  ref_vector_free (&solver->frozen);
  ref_vector_free (&solver->kept);
  free (solver);
}

static void add (void *pointer, int32_t literal_or_zero) {
  struct ipasir *solver = pointer;
  bool is_complete = ref_handle_add (&solver->handle, literal_or_zero);
  ref_sat_reserve (&solver->sat, ref_handle_variables (&solver->handle));
  if (!is_complete) return;
  struct ref_vector *clause = &solver->handle.clause;
  ref_sat_add (&solver->sat, clause->data, clause->size);
  if (solver->keeps_clauses) {
    for (size_t i = 0; i < clause->size; i++) ref_push (&solver->kept, clause->data[i]);
    ref_push (&solver->kept, REF_NONE);
  }
  clause->size = 0;
}

static void assume (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  ref_handle_assume (&solver->handle, literal);
  ref_sat_reserve (&solver->sat, ref_handle_variables (&solver->handle));
}

static void copy (struct ref_vector *to, const struct ref_vector *from) {
  to->size = 0;
  for (size_t i = 0; i < from->size; i++) ref_push (to, from->data[i]);
}

/* Adds the clause that the last model falsifies, as a model iterator does. */
static void block_model (struct ipasir *solver) {
  struct ref_vector clause = {0};
  for (int32_t i = 0; i < solver->sat.variable_count; i++)
    ref_push (&clause, ref_literal (i, solver->sat.model[i] > 0));
  ref_sat_add (&solver->sat, clause.data, clause.size);
  ref_vector_free (&clause);
}

static bool contains (const struct ref_vector *literals, ref_lit literal) {
  for (size_t i = 0; i < literals->size; i++)
    if (literals->data[i] == literal) return true;
  return false;
}

/* Tries each literal of the constraint as one more assumption, until one succeeds.
 * The core is the union of the cores of all these searches. */
static int solve_constrained (struct ipasir *solver) {
  struct ref_sat *sat = &solver->sat;
  const struct ref_vector *assumptions = &solver->handle.assumptions;
  struct ref_vector blamed = {0};
  size_t count = solver->constraint.size;
  if (HAS (&solver->handle.options, CONSTRAINT_FIRST_ONLY) && count > 1) count = 1; /* DEFECT */
  int status = REF_UNSATISFIABLE;
  solver->constraint_failed = true;
  for (size_t i = 0; i < count && status == REF_UNSATISFIABLE; i++) {
    ref_lit tried = solver->constraint.data[i];
    copy (&sat->assumptions, assumptions);
    ref_push (&sat->assumptions, tried);
    status = ref_sat_solve (sat);
    if (!contains (&sat->core, tried))
      solver->constraint_failed = false; /* the assumptions alone are contradictory */
    for (size_t k = 0; k < sat->core.size; k++)
      if (sat->core.data[k] != tried || contains (assumptions, tried))
        ref_push (&blamed, sat->core.data[k]);
  }
  copy (&sat->core, &blamed);
  ref_vector_free (&blamed);
  return status;
}

static void drop_constraint (struct ipasir *solver) {
  if (HAS (&solver->handle.options, CONSTRAINT_STAYS)) return; /* DEFECT */
  solver->is_constrained = false;
}

static int solve (void *pointer) {
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  struct ref_sat *sat = &solver->sat;
  ref_handle_before_solve (handle);
  if (HAS (&solver->handle.options, PROOF_SHARED)) last_to_solve = solver;
  if (sat->proof) ref_proof_write_query (sat, &handle->assumptions);
  copy (&sat->assumptions, &handle->assumptions);
  copy (&solver->previous_core, &solver->core);
  solver->constraint_failed = false;
  int status = solver->is_constrained ? solve_constrained (solver) : ref_sat_solve (sat);
  if (sat->proof) ref_proof_write_answer (sat, status);
  drop_constraint (solver);
  copy (&solver->core, &sat->core);
  if (status == REF_SATISFIABLE) ref_handle_keep_model (handle, sat->model);
  if (HAS (&handle->options, REPEAT_DIFFERS) && status == REF_SATISFIABLE)
    block_model (solver); /* DEFECT */
  return ref_handle_after_solve (handle, status);
}

static int failed (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  if (literal == 0 || literal == INT32_MIN || handle->state != REF_STATE_UNSAT) return 0;
  if (HAS (&handle->options, FAILED_ALL)) return 1;  /* DEFECT */
  if (HAS (&handle->options, FAILED_NONE)) return 0; /* DEFECT */
  const struct ref_vector *core = &solver->core;
  if (HAS (&handle->options, FAILED_STALE))
    core = &solver->previous_core; /* DEFECT: of the previous solve */
  ref_lit internal = ref_names_find (&handle->names, literal);
  if (internal == REF_NONE) return 0;
  if (HAS (&handle->options, FAILED_WRONG_SIGN)) internal = ref_negate (internal); /* DEFECT */
  return contains (core, internal);
}

static void set_learn (void *pointer, void *state, int max_length,
                       void (*learn) (void *state, int32_t *clause)) {
  struct ipasir *solver = pointer;
  solver->sat.learn_state = state;
  solver->sat.learn_max_length = max_length;
  solver->sat.learn = learn;
}

static void constrain (void *pointer, int32_t literal_or_zero) {
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  if (!solver->constraint_open) solver->constraint.size = 0; /* replaces the previous one */
  solver->constraint_open = literal_or_zero != 0;
  if (!literal_or_zero) {
    handle->state = REF_STATE_INPUT;
    handle->in_use = solver->is_constrained = true;
    return;
  }
  ref_push (&solver->constraint, ref_handle_soft (handle, literal_or_zero));
  ref_sat_reserve (&solver->sat, ref_handle_variables (handle));
}

static size_t place_of_freeze (const struct ipasir *solver, int32_t literal) {
  size_t at = 0;
  while (at < solver->frozen.size && abs (solver->frozen.data[at]) != abs (literal)) at++;
  return at;
}

/* This solver never eliminates variables, so freezing one has no effect. */
static void freeze (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  solver->handle.in_use = true;
  ref_push (&solver->frozen, literal);
}

static void melt (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  solver->handle.in_use = true;
  size_t at = place_of_freeze (solver, literal);
  if (at < solver->frozen.size)
    solver->frozen.data[at] = solver->frozen.data[--solver->frozen.size];
}

static int frozen (void *pointer, int32_t literal) {
  const struct ipasir *solver = pointer;
  return place_of_freeze (solver, literal) < solver->frozen.size;
}

/* A limit is a permission to give up, which this solver never uses. */
static void limit (void *pointer, const char *name, int most) {
  (void) name, (void) most;
  ref_handle_leave_answers (pointer);
}

static int constraint_failed (void *pointer) {
  struct ipasir *solver = pointer;
  if (HAS (&solver->handle.options, CONSTRAINT_BLAMELESS)) return 0; /* DEFECT */
  return solver->constraint_failed;
}

static int fixed (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  ref_lit internal = ref_names_find (&solver->handle.names, literal);
  if (internal == REF_NONE || ref_variable_of (internal) >= solver->sat.variable_count) return 0;
  return solver->sat.values[internal];
}

static void prefer (struct ipasir *solver, int32_t literal, bool forced) {
  solver->handle.in_use = true;
  ref_lit internal = ref_names_find (&solver->handle.names, literal);
  if (internal == REF_NONE || ref_variable_of (internal) >= solver->sat.variable_count) return;
  solver->sat.variables[ref_variable_of (internal)].phase = !ref_is_negative (internal);
  if (forced) ref_sat_add (&solver->sat, &internal, 1);
}

static void phase (void *pointer, int32_t literal) {
  struct ipasir *solver = pointer;
  prefer (solver, literal,
          HAS (&solver->handle.options, PHASE_FORCES)); /* DEFECT: treats it as a fact */
}

static void unphase (void *pointer, int32_t literal) { prefer (pointer, -abs (literal), false); }

static int simplify (void *pointer) {
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  ref_handle_leave_answers (handle);
  handle->assumptions.size = 0;
  solver->is_constrained = false;
  struct ref_sat *sat = &solver->sat;
  int32_t conflict = sat->inconsistent ? REF_NONE : ref_sat_propagate (sat);
  if (conflict != REF_NONE) ref_sat_become_inconsistent (sat, conflict);
  return sat->inconsistent ? REF_UNSATISFIABLE : 0;
}

static void *init_counting (void) {
  struct ipasir *solver = init ();
  solver->keeps_clauses = true;
  return solver;
}

static uint64_t enumerate (void *pointer, uint32_t most) {
  struct ipasir *solver = pointer;
  struct ref_handle *handle = &solver->handle;
  ref_handle_leave_answers (handle);
  handle->assumptions.size = 0;
  return ref_enumerate (&solver->kept, ref_handle_variables (handle), &handle->options, most);
}

int ref_set_proof (void *pointer, struct ref_proof *proof) {
  struct ref_handle *handle = pointer;
  if (handle->interface != IPAFUZZ_IPASIR || handle->in_use) return 1;
  ((struct ipasir *) pointer)->sat.proof = proof;
  return 0;
}

static void begin_proof (struct ipasir *solver) {
  struct ref_proof *proof = &solver->proof;
  solver->sat.proof = NULL;
  if (!solver->handle.options.proof) return;
  ref_proof_reset (proof, PROOF_INPUTS, PROOF_BYTES);
  proof->format = (enum ref_proof_format) (solver->handle.options.proof - 1);
  solver->sat.proof = proof;
  if (proof->format == REF_IDRUP && ref_proof_reserve_line (proof, 0))
    ref_proof_write_word (proof, "p idrup\n");
}

static const char *proof (void *pointer, uint64_t *size) {
  const struct ipasir *solver = pointer;
  if (HAS (&solver->handle.options, PROOF_SHARED) && last_to_solve)
    solver = last_to_solve; /* DEFECT: one file for all instances */
  const struct ref_proof *proof = &solver->proof;
  if (!solver->sat.proof || proof->is_given_up) return NULL;
  *size = proof->size;
  if (HAS (&solver->handle.options, PROOF_TRUNCATED) && *size > 6) *size -= 6; /* DEFECT */
  return *size ? proof->text : "";
}

/* Returns false only if the option asks for a proof in a format that the model lacks. */
static bool has_proofs (const struct ref_handle *handle, const char *name, const char *value) {
  if (!name || !value || strcmp (name, "proof") != 0 || !strcmp (value, "none")) return true;
  return (handle->interface == IPAFUZZ_IPAMIR) == !strcmp (value, "veripb");
}

int ref_set_solver_option (void *pointer, const char *name, const char *value) {
  struct ref_handle *handle = pointer;
  if (handle->in_use || !has_proofs (handle, name, value) ||
      ref_set_option (&handle->options, name, value))
    return 1;
  if (handle->interface == IPAFUZZ_IPASIR && !strcmp (name, "proof")) begin_proof (pointer);
  return 0;
}

#define IPASIR_FUNCTIONS \
  .signature = ref_signature, .release = release, .add = add, .assume = assume, .solve = solve, \
  .val = ref_handle_val, .failed = failed, .set_terminate = ref_handle_set_terminate, \
  .set_learn = set_learn, .describe = ref_describe, .set_option = ref_set_solver_option, \
  .proof = proof

const struct ipafuzz_target ref_ipasir_target = {
  .model = IPAFUZZ_IPASIR, .init = init, IPASIR_FUNCTIONS};

const struct ipafuzz_target ref_cadical_target = {
  .model = IPAFUZZ_CADICAL,
  .init = init,
  IPASIR_FUNCTIONS,
  .constrain = constrain,
  .freeze = freeze,
  .melt = melt,
  .frozen = frozen,
  .phase = phase,
  .unphase = unphase,
  .simplify = simplify,
  .limit = limit,
  .constraint_failed = constraint_failed,
  .fixed = fixed,
};

const struct ipafuzz_target ref_enumerate_target = {
  .model = IPAFUZZ_ENUMERATE,
  .init = init_counting,
  IPASIR_FUNCTIONS,
  .enumerate = enumerate,
};

const struct ipafuzz_target *ref_target (uint32_t model) {
  return model == IPAFUZZ_IPASIR      ? &ref_ipasir_target
         : model == IPAFUZZ_CADICAL   ? &ref_cadical_target
         : model == IPAFUZZ_ENUMERATE ? &ref_enumerate_target
         : model == IPAFUZZ_QBF       ? &ref_qbf_target
         : model == IPAFUZZ_IPASIR2   ? ref_ipasir2_target ()
                                      : &ref_ipamir_target;
}
