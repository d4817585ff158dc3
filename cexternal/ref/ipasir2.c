/* IPASIR-2 on the solver of IPASIR. The table is filled as for a loaded library, through the
 * layer that all libraries of IPASIR-2 share (ipasir2_probe.h). */
#include "ipasir2_probe.h"

#include <pthread.h>

#include "defects.h"
#include "handle.h"
#include "ref.h"

struct solver {
  struct ref_handle *inner; /* of ref_ipasir_target */
  int state;
  int32_t imported; /* clauses in the solve in progress */
  bool forgot;      /* the last clause was forgettable */
  struct ref_vector clause;
  void *export_data, *import_data, *fixed_data;
  IPASIR2_CLAUSES;
  void (*import) (void *data);
  void (*fixed) (void *data, int32_t fixed);
};

static const struct ipafuzz_target *const sat = &ref_ipasir_target;

enum { OPTIONS = 8, MOST_IMPORTS = 3 }; /* imports that a solve asks for */

/* The options are the OPTIONS after the first. A defect shows the first or the last, too. */
static const struct ipasir2_option options[OPTIONS + 2] = {
  {"inverted", 1, 0, IPASIR2_CONFIG, 0, 0, 0},
  {"restart", 0, 1, IPASIR2_CONFIG, 1, 0, "bool"},
  {"phase", 0, 1, IPASIR2_CONFIG, 1, 0, "bool"},
  {"minimize", 0, 1, IPASIR2_CONFIG, 1, 0, "bool"},
  {"reduce", 10, 100000, IPASIR2_CONFIG, 1, 0, 0},
  {"seed", 0, 1000000, IPASIR2_CONFIG, 1, 0, 0},
  {"defect", 0, REF_LAST_DEFECT, IPASIR2_CONFIG, 0, 0, 0},
  {"second", 0, REF_LAST_DEFECT, IPASIR2_CONFIG, 0, 0, 0},
  {"ipasir.variables.phase.initial", -1, 1, IPASIR2_SOLVING, 1, 1, 0},
  {"seed", 0, 1000000, IPASIR2_CONFIG, 1, 0, 0},
};

static int signature (const char **text) {
  *text = sat->signature ();
  return IPASIR2_OK;
}

static int init (void **pointer) {
  struct solver *solver = ref_allocate_zeroed (sizeof *solver);
  solver->inner = sat->init ();
  *pointer = solver;
  return IPASIR2_OK;
}

static int release (void *pointer) {
  struct solver *solver = pointer;
  const struct ref_options *of = &solver->inner->options;
  if (solver->state == IPASIR2_SOLVING)
    return HAS (of, RELEASES_INSIDE) ? IPASIR2_OK /* DEFECT */ : IPASIR2_INVALID_STATE;
  sat->release (solver->inner);
  ref_vector_free (&solver->clause);
  free (solver);
  return IPASIR2_OK;
}

static int list (void *pointer, const struct ipasir2_option **all, int *count) {
  const struct solver *solver = pointer;
  const struct ref_options *of = &solver->inner->options;
  if (HAS (of, OPTIONS_LATE) && solver->state != IPASIR2_CONFIG)
    return IPASIR2_INVALID_STATE;                    /* DEFECT */
  const int first = !HAS (of, OPTION_INVERTED);      /* DEFECT */
  const int last = OPTIONS + HAS (of, OPTION_TWICE); /* DEFECT */
  *all = options + first;
  *count = last - first + 1;
  return IPASIR2_OK;
}

/* Sets the phase of a variable. The index 0, which stands for all variables, changes nothing, and
 * neither does a call during a solve. */
static void set_phase (struct solver *solver, int64_t value, int64_t variable) {
  if (variable < 1 || variable > INT32_MAX || !value || solver->state == IPASIR2_SOLVING) return;
  const int32_t literal = value < 0 ? -(int32_t) variable : (int32_t) variable;
  ref_cadical_target.phase (solver->inner, literal);
  if (HAS (&solver->inner->options, INDEXED_FACT)) { /* DEFECT */
    sat->add (solver->inner, literal);
    sat->add (solver->inner, 0);
  }
}

static int set_option (void *pointer, const struct ipasir2_option *option, int64_t value,
                       int64_t index) {
  struct solver *solver = pointer;
  if (option < options || option >= options + OPTIONS + 2) return IPASIR2_UNSUPPORTED_OPTION;
  const struct ref_options *of = &solver->inner->options;
  const bool solving = solver->state == IPASIR2_SOLVING;
  if (solving && option->max_state != IPASIR2_SOLVING)
    return HAS (of, OPTION_SOLVING) ? IPASIR2_OK /* DEFECT */ : IPASIR2_INVALID_STATE;
  if (solving && HAS (of, OPTION_REFUSED)) return IPASIR2_INVALID_STATE; /* DEFECT */
  if (!option->indexed && solver->state != IPASIR2_CONFIG) return IPASIR2_INVALID_STATE;
  const bool at_index = !option->indexed && index;
  if (at_index && HAS (of, OPTION_INDEX)) return IPASIR2_INVALID_ARGUMENT; /* DEFECT */
  if (HAS (of, OPTION_CUT)) value = (int32_t) value;                       /* DEFECT */
  const int64_t most = option->max + HAS (of, OPTION_BOUND);               /* DEFECT */
  if (value < option->min || value > most) return IPASIR2_INVALID_OPTION_VALUE;
  if (value > option->max) return IPASIR2_OK;
  if (option->indexed) {
    set_phase (solver, value, index);
    return IPASIR2_OK;
  }
  char text[32];
  snprintf (text, sizeof text, "%lld", (long long) value);
  const char *const flags[] = {"false", "true"};
  return ref_set_solver_option (solver->inner, option->name, option->handle ? flags[value] : text)
           ? IPASIR2_UNKNOWN
           : IPASIR2_OK;
}

struct report {
  struct solver *solver;
  int32_t fixed;
};

static void *reports (void *pointer) {
  const struct report *report = pointer;
  report->solver->fixed (report->solver->fixed_data, report->fixed);
  return 0;
}

static void report_fixed (struct solver *solver, int32_t literal) {
  struct report report = {solver, literal};
  pthread_t thread;
  if (HAS (&solver->inner->options, FIXED_IN_THREAD) &&
      !pthread_create (&thread, 0, reports, &report)) /* DEFECT */
    pthread_join (thread, 0);
  else
    reports (&report);
}

static int add (void *pointer, const int32_t *clause, int32_t length, int32_t forgettable,
                void *proofmeta) {
  struct solver *solver = pointer;
  const struct ref_options *of = &solver->inner->options;
  (void) proofmeta;
  const bool lost = HAS (of, FORGETS_NEXT) && solver->forgot && !forgettable;
  solver->forgot = forgettable;
  if (solver->state == IPASIR2_SOLVING) {
    solver->imported++;
    if (HAS (of, IMPORT_LOST) && solver->imported == 2) return IPASIR2_OK; /* DEFECT */
    if (HAS (of, IMPORT_CUT) && length > 1) length--;                      /* DEFECT */
  } else {
    if (HAS (of, ADD_REFUSED) && solver->state == IPASIR2_UNSAT)
      return IPASIR2_INVALID_STATE; /* DEFECT */
    solver->state = IPASIR2_INPUT;
    if (HAS (of, FIXED_AT_ADD) && solver->fixed && length == 1)
      report_fixed (solver, *clause); /* DEFECT */
  }
  if (lost) return IPASIR2_OK; /* DEFECT */
  for (int32_t i = 0; i < length; i++) sat->add (solver->inner, clause[i]);
  sat->add (solver->inner, 0);
  return IPASIR2_OK;
}

/* Asks for clauses until there are none, at most that many. */
static void ask_for_clauses (struct solver *solver) {
  solver->imported = 0;
  for (int32_t before = -1; solver->import && solver->imported > before;) {
    before = solver->imported;
    if (before < MOST_IMPORTS) solver->import (solver->import_data);
  }
}

static void tell_fixed (struct solver *solver, const int32_t *assumptions, int32_t length) {
  if (!solver->fixed) return;
  for (int32_t i = 0; i < ref_handle_variables (solver->inner); i++) {
    const int32_t name = ref_names_user (&solver->inner->names, ref_literal (i, false));
    const int value = ref_cadical_target.fixed (solver->inner, name);
    if (value) report_fixed (solver, value * name);
  }
  if (HAS (&solver->inner->options, FIXED_ASSUMED))
    for (int32_t i = 0; i < length; i++)
      solver->fixed (solver->fixed_data, assumptions[i]); /* DEFECT: of the root of this search */
}

static int solve (void *pointer, int *result, const int32_t *assumptions, int32_t length) {
  struct solver *solver = pointer;
  if (solver->state == IPASIR2_SOLVING) {
    *result = 0;
    return HAS (&solver->inner->options, SOLVES_INSIDE) ? IPASIR2_OK /* DEFECT */
                                                        : IPASIR2_INVALID_STATE;
  }
  solver->state = IPASIR2_SOLVING;
  ask_for_clauses (solver);
  for (int32_t i = 0; i < length; i++) sat->assume (solver->inner, assumptions[i]);
  *result = sat->solve (solver->inner);
  tell_fixed (solver, assumptions, length);
  solver->state = *result == 10 ? IPASIR2_SAT : *result == 20 ? IPASIR2_UNSAT : IPASIR2_INPUT;
  solver->clause.size = 0;
  for (int32_t i = 0; i < length; i++) ref_push (&solver->clause, assumptions[i]);
  return IPASIR2_OK;
}

static bool is_literal (int32_t lit) { return lit != 0 && lit != INT32_MIN; }

static int value (void *pointer, int32_t lit, int32_t *result) {
  struct solver *solver = pointer;
  if (solver->state == IPASIR2_SOLVING && HAS (&solver->inner->options, SOLVING_UNCHECKED)) {
    *result = lit; /* DEFECT */
    return IPASIR2_OK;
  }
  if (solver->state != IPASIR2_SAT)
    return HAS (&solver->inner->options, WRONG_CODE) ? IPASIR2_INVALID_ARGUMENT /* DEFECT */
                                                     : IPASIR2_INVALID_STATE;
  if (!is_literal (lit)) return IPASIR2_INVALID_ARGUMENT;
  *result = sat->val (solver->inner, lit);
  return IPASIR2_OK;
}

/* clause holds the assumptions of the last solve. */
static int failed (void *pointer, int32_t lit, int *result) {
  struct solver *solver = pointer;
  const struct ref_options *of = &solver->inner->options;
  if (solver->state != IPASIR2_UNSAT && !HAS (of, STATE_UNCHECKED)) /* DEFECT */
    return IPASIR2_INVALID_STATE;
  if (!is_literal (lit)) return IPASIR2_INVALID_ARGUMENT;
  bool assumed = false;
  for (size_t i = 0; i < solver->clause.size; i++) assumed |= solver->clause.data[i] == lit;
  if (!assumed && !HAS (of, FAILED_ALL) && !HAS (of, STATE_UNCHECKED))
    return IPASIR2_INVALID_ARGUMENT;
  *result = sat->failed (solver->inner, lit);
  return IPASIR2_OK;
}

/* Reports whether the setters of callbacks refuse a call. */
static bool refuses (const struct solver *solver) {
  return HAS (&solver->inner->options, SETTERS_REFUSED) && solver->state == IPASIR2_SOLVING;
}

static int set_terminate (void *pointer, void *data, int (*callback) (void *data)) {
  struct solver *solver = pointer;
  if (refuses (solver)) return IPASIR2_INVALID_STATE; /* DEFECT */
  sat->set_terminate (solver->inner, data, callback);
  return IPASIR2_OK;
}

static void tell_learned (void *state, int32_t *clause) {
  struct solver *solver = state;
  int32_t length = 0;
  while (clause[length]) length++;
  solver->callback (solver->export_data, clause, length, 0);
}

static int set_export (void *pointer, void *data, int max_length, IPASIR2_CLAUSES) {
  struct solver *solver = pointer;
  if (refuses (solver)) return IPASIR2_INVALID_STATE; /* DEFECT */
  if (HAS (&solver->inner->options, EXPORT_FIRST) && solver->callback && callback)
    return IPASIR2_OK; /* DEFECT */
  solver->export_data = data;
  solver->callback = callback;
  sat->set_learn (solver->inner, solver, max_length < 0 ? INT_MAX : max_length,
                  callback ? tell_learned : 0);
  return IPASIR2_OK;
}

static int set_delete (void *pointer, void *data, IPASIR2_CLAUSES) {
  (void) pointer, (void) data, (void) callback;
  return IPASIR2_UNSUPPORTED;
}

static int set_import (void *pointer, void *data, void (*callback) (void *data)) {
  struct solver *solver = pointer;
  const struct ref_options *of = &solver->inner->options;
  if (HAS (of, IMPORT_FIRST) && solver->import && callback) return IPASIR2_OK; /* DEFECT */
  if (HAS (of, IMPORT_STAYS) && !callback) return IPASIR2_OK;                  /* DEFECT */
  solver->import_data = data;
  solver->import = callback;
  return IPASIR2_OK;
}

static int set_fixed (void *pointer, void *data, void (*callback) (void *data, int32_t fixed)) {
  struct solver *solver = pointer;
  if (HAS (&solver->inner->options, DATA_SHARED)) solver->export_data = data; /* DEFECT */
  solver->fixed_data = data;
  solver->fixed = callback;
  return IPASIR2_OK;
}

void ref_plant_in_ipasir2 (void *solver, const char *defect) {
  ref_set_solver_option (((struct solver *) solver)->inner, "defect", defect);
}

const struct ipasir2_functions ref_ipasir2 = {
  signature, init,   release,       list,       set_option, add,        solve,
  value,     failed, set_terminate, set_export, set_delete, set_import, set_fixed};

/* Returns the options and a policy, which a list of options cannot contain. */
static const char *describe (void) {
  static char text[2048];
  if (!*text) snprintf (text, sizeof text, "%spolicy terminate-stop=prompt\n", layer_describe ());
  return text;
}

const struct ipafuzz_target *ref_ipasir2_target (void) {
  static struct ipafuzz_target target = {.model = IPAFUZZ_IPASIR2};
  if (!target.init) {
    ipasir2 = ref_ipasir2;
    layer_fill (&target);
    target.describe = describe;
  }
  return &target;
}
