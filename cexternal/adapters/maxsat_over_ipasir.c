/* IPAMIR over any IPASIR library: the built-in MaxSAT engines (../ref) with the library
 * as their SAT solver.
 *
 * This makes every SAT library an IPAMIR target that uses assumptions heavily:
 * core-guided search assumes all wishes at once, queries failed for each, adds
 * counters between solves and continues with other assumptions. A wrong answer of
 * the library shows as a wrong optimum or as a broken invariant ("a core is not
 * empty"), which aborts the process.
 *
 * The engines call the SAT solver through the functions of sat.h. This file defines
 * those functions and replaces sat.c at link time. Every IPAMIR solve has its own
 * SAT solver, as maxsat.h explains.
 *
 * The library's file name is compiled in (-DIPASIR_LIBRARY='"picosat.so"') and is
 * relative to the directory of the compiled adapter. Options and havoc are passed to
 * the library; 'maxsat' is an option of the engines.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "maxsat.h"
#include "ref.h"
#include "sat.h"

#define EXPORT __attribute__ ((visibility ("default")))

static struct {
  const char *(*signature) (void);
  void *(*init) (void);
  void (*release) (void *);
  void (*add) (void *, int32_t);
  void (*assume) (void *, int32_t);
  int (*solve) (void *);
  int32_t (*val) (void *, int32_t);
  int (*failed) (void *, int32_t);
  void (*set_terminate) (void *, void *, int (*) (void *));
  const char *(*describe) (void);
  int (*set_option) (void *, const char *, const char *);
  void (*havoc) (void *, uint64_t);
} library;

struct setting {
  char *name, *value;
};

/* An IPAMIR solver: that of the engines, and the settings of its SAT solvers. */
struct over {
  void *loops;
  struct setting *settings;
  size_t setting_count;
  uint64_t havoc; /* for the first SAT solver of the next solve, 0: none */
};

/* The functions of sat.h serve one IPAMIR solver at a time: the one that is solving. */
static __thread struct over *solving;
static __thread void *engine;

static void fail (const char *what) {
  fprintf (stderr, "maxsat-over-ipasir: %s\n", what);
  abort ();
}

static void find (void *handle, const char *name, int needed, void *function) {
  void *symbol = dlsym (handle, name);
  if (!symbol && needed) fail (dlerror ());
  memcpy (function, &symbol, sizeof symbol);
}

__attribute__ ((constructor)) static void load (void) {
  char path[4096] = IPASIR_LIBRARY;
  Dl_info self;
  if (*path != '/' && dladdr (&library, &self)) {
    const char *slash = strrchr (self.dli_fname, '/');
    snprintf (path, sizeof path, "%.*s%s", slash ? (int) (slash + 1 - self.dli_fname) : 0,
              self.dli_fname, IPASIR_LIBRARY);
  }
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail (dlerror ());
  find (handle, "ipasir_signature", 1, &library.signature);
  find (handle, "ipasir_init", 1, &library.init);
  find (handle, "ipasir_release", 1, &library.release);
  find (handle, "ipasir_add", 1, &library.add);
  find (handle, "ipasir_assume", 1, &library.assume);
  find (handle, "ipasir_solve", 1, &library.solve);
  find (handle, "ipasir_val", 1, &library.val);
  find (handle, "ipasir_failed", 1, &library.failed);
  find (handle, "ipasir_set_terminate", 0, &library.set_terminate);
  find (handle, "ipafuzz_describe", 0, &library.describe);
  find (handle, "ipafuzz_set_option", 0, &library.set_option);
  find (handle, "ipafuzz_havoc", 0, &library.havoc);
}

/* ---- sat.h over the library ---- */

static int32_t to_library (ref_lit literal) {
  int32_t variable = ref_variable_of (literal) + 1;
  return ref_is_negative (literal) ? -variable : variable;
}

static int asked (void *sat) {
  struct ref_sat *s = sat;
  return ref_stop_wanted (s->stop, s->options);
}

void ref_sat_open (struct ref_sat *sat, const struct ref_options *options, struct ref_stop *stop) {
  memset (sat, 0, sizeof *sat);
  sat->options = options;
  sat->stop = stop;
  engine = library.init ();
  for (size_t i = 0; i < solving->setting_count; i++)
    library.set_option (engine, solving->settings[i].name, solving->settings[i].value);
}

void ref_sat_close (struct ref_sat *sat) {
  library.release (engine);
  engine = NULL;
  free (sat->model);
  ref_vector_free (&sat->assumptions);
  ref_vector_free (&sat->core);
}

void ref_sat_reserve (struct ref_sat *sat, int32_t count) {
  if (count > sat->variable_count) sat->variable_count = count;
}

ref_lit ref_sat_new_literal (struct ref_sat *sat) {
  return ref_literal (sat->variable_count++, false);
}

void ref_sat_add (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  (void) sat;
  for (size_t i = 0; i < count; i++) library.add (engine, to_library (literals[i]));
  library.add (engine, 0);
}

/* A variable with value 0 is not important: it gets the assumed value, or else false. */
static void keep_model (struct ref_sat *sat) {
  if (sat->variable_count)
    sat->model = ref_resize (sat->model, (size_t) sat->variable_count, sizeof *sat->model);
  for (int32_t i = 0; i < sat->variable_count; i++) {
    int32_t value = library.val (engine, i + 1);
    sat->model[i] = value > 0 ? 1 : value < 0 ? -1 : 0;
  }
  for (size_t i = 0; i < sat->assumptions.size; i++) {
    ref_lit assumed = sat->assumptions.data[i];
    int8_t *value = sat->model + ref_variable_of (assumed);
    if (!*value) *value = ref_is_negative (assumed) ? -1 : 1;
  }
  for (int32_t i = 0; i < sat->variable_count; i++)
    if (!sat->model[i]) sat->model[i] = -1;
}

static void keep_core (struct ref_sat *sat) {
  sat->core.size = 0;
  for (size_t i = 0; i < sat->assumptions.size; i++)
    if (library.failed (engine, to_library (sat->assumptions.data[i])))
      ref_push (&sat->core, sat->assumptions.data[i]);
}

int ref_sat_solve (struct ref_sat *sat) {
  for (size_t i = 0; i < sat->assumptions.size; i++)
    library.assume (engine, to_library (sat->assumptions.data[i]));
  if (library.havoc && solving->havoc) library.havoc (engine, solving->havoc - 1);
  solving->havoc = 0;
  if (library.set_terminate) library.set_terminate (engine, sat, sat->stop->ask ? asked : NULL);
  int answer = library.solve (engine);
  if (answer == REF_SATISFIABLE)
    keep_model (sat);
  else if (answer == REF_UNSATISFIABLE)
    keep_core (sat);
  else if (answer != REF_INTERRUPTED)
    fail ("ipasir_solve returned no answer of IPASIR");
  sat->assumptions.size = 0;
  return answer;
}

/* ---- IPAMIR ---- */

int ref_set_solver_option (void *pointer, const char *name, const char *value) {
  struct ref_handle *handle = pointer;
  return handle->in_use || ref_set_option (&handle->options, name, value);
}

static const struct ipafuzz_target *const loops = &ref_ipamir_target;

EXPORT const char *ipamir_signature (void);
EXPORT void *ipamir_init (void);
EXPORT void ipamir_release (void *solver);
EXPORT void ipamir_add_hard (void *solver, int32_t lit_or_zero);
EXPORT void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight);
EXPORT void ipamir_assume (void *solver, int32_t lit);
EXPORT int ipamir_solve (void *solver);
EXPORT uint64_t ipamir_val_obj (void *solver);
EXPORT int32_t ipamir_val_lit (void *solver, int32_t lit);
EXPORT void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *state));
EXPORT const char *ipafuzz_describe (void);
EXPORT int ipafuzz_set_option (void *solver, const char *name, const char *value);
EXPORT void ipafuzz_havoc (void *solver, uint64_t value);

static void *loops_of (void *solver) { return ((struct over *) solver)->loops; }

const char *ipamir_signature (void) {
  static char name[256];
  snprintf (name, sizeof name, "maxsat-over-%s", library.signature ());
  return name;
}

void *ipamir_init (void) {
  struct over *over = ref_allocate_zeroed (sizeof *over);
  over->loops = loops->init ();
  return over;
}

void ipamir_release (void *solver) {
  struct over *over = solver;
  loops->release (over->loops);
  for (size_t i = 0; i < over->setting_count; i++) {
    free (over->settings[i].name);
    free (over->settings[i].value);
  }
  free (over->settings);
  free (over);
}

void ipamir_add_hard (void *solver, int32_t lit_or_zero) {
  loops->add (loops_of (solver), lit_or_zero);
}

void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight) {
  loops->add_soft (loops_of (solver), lit, weight);
}

void ipamir_assume (void *solver, int32_t lit) { loops->assume (loops_of (solver), lit); }

int ipamir_solve (void *solver) {
  solving = solver;
  return loops->solve (solving->loops);
}

uint64_t ipamir_val_obj (void *solver) { return loops->val_obj (loops_of (solver)); }

int32_t ipamir_val_lit (void *solver, int32_t lit) { return loops->val (loops_of (solver), lit); }

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  loops->set_terminate (loops_of (solver), state, terminate);
}

/* Keeps the lines of the library's description that concern the SAT solver. */
const char *ipafuzz_describe (void) {
  static char text[1 << 16];
  const char *line = library.describe ? library.describe () : "";
  size_t used = (size_t) snprintf (
    text, sizeof text,
    "model ipamir\n"
    "option maxsat choice core-guided|model-improving core-guided when=start\n%s",
    library.havoc ? "" : "lacks havoc\n");
  if (!library.set_terminate)
    used += (size_t) snprintf (text + used, sizeof text - used, "lacks terminate\n");
  for (const char *end; *line; line = end) {
    const char *newline = strchr (line, '\n');
    end = newline ? newline + 1 : line + strlen (line);
    size_t length = (size_t) (end - line);
    bool kept = !strncmp (line, "option ", 7) || !strncmp (line, "exclude ", 8) ||
                !strncmp (line, "fixed ", 6) || !strncmp (line, "lacks terminate", 15) ||
                !strncmp (line, "lacks instances", 15);
    if (!kept || used + length + 2 > sizeof text) continue;
    memcpy (text + used, line, length);
    used += length;
    if (!newline) text[used++] = '\n';
    text[used] = 0;
  }
  return text;
}

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  struct over *over = solver;
  if (!strcmp (name, "maxsat")) return ref_set_solver_option (over->loops, name, value);
  if (!library.set_option) return 1;
  void *trial = library.init (); /* tests whether the library accepts the setting */
  int refused = library.set_option (trial, name, value);
  library.release (trial);
  if (refused) return refused;
  over->settings = ref_resize (over->settings, over->setting_count + 1, sizeof *over->settings);
  over->settings[over->setting_count].name = strdup (name);
  over->settings[over->setting_count++].value = strdup (value);
  return 0;
}

/* Stores the value for the next SAT solver, because there is none between two solves. */
void ipafuzz_havoc (void *solver, uint64_t value) { ((struct over *) solver)->havoc = value + 1; }
