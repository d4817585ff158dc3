/* IPASIR on top of IPASIR-2: makes the calls of traces of the model ipasir2.
 *
 * The layer collects a clause until its 0, and assumptions until the solve. It keeps the first
 * error code of a correct call until ipafuzz_errors asks for it; solve, val and failed then
 * return a value that no library may return. The file that includes this one fills the table
 * ipasir2.
 */
#ifndef IPASIR2_LAYER_H
#define IPASIR2_LAYER_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ipasir2.h"

#ifdef IPASIR2_LINKED
#define IPASIR2_WEAK_0 __attribute__ ((weak))
#define IPASIR2_WEAK_1 /* without any strong reference a linker leaves the library out */
#define IPASIR2_WEAK(NAME, PARAMETERS, DEMANDED) \
  extern __typeof__ (ipasir2_##NAME) ipasir2_##NAME IPASIR2_WEAK_##DEMANDED;
IPASIR2_FUNCTIONS (IPASIR2_WEAK)
#define IPASIR2_LINK(NAME, PARAMETERS, DEMANDED) ipasir2_##NAME,
static struct ipasir2_functions ipasir2 = {IPASIR2_FUNCTIONS (IPASIR2_LINK)};
#else
static struct ipasir2_functions ipasir2;
#endif

/* Whether the library implements the last draft. There, value was named val, and learned clauses
 * ended with a 0. */
static int ipasir2_draft;

struct layer_list {
  int32_t *data;
  size_t size, room;
};

struct layer {
  void *solver;
  int state; /* of the solver, by the rules of IPASIR-2 */
  int error; /* the first one since the last question: function << 8 | code */
  struct layer_list clause, assumptions;
  struct layer_list assumed;   /* of the last solve */
  struct layer_list importing; /* the open clause of ipafuzz_import */
  struct layer_list imports;   /* the length of each clause and its literals */
  size_t imported;             /* how much of imports the solver has got */
  struct layer_list heard;     /* an exported clause with a final 0 */
  struct layer_list formula;   /* the first clauses, each after its length */
  void *learn_state;
  void (*learn) (void *state, int32_t *clause);
};

/* The function that returned an error, in the answer of ipafuzz_errors. */
enum {
  LAYER_SET_OPTION = 1,
  LAYER_ADD,
  LAYER_SOLVE,
  LAYER_VALUE,
  LAYER_FAILED,
  LAYER_SET_TERMINATE,
  LAYER_SET_EXPORT,
  LAYER_SET_IMPORT,
  LAYER_EXPORTED, /* a callback got a malformed clause or literal */
  LAYER_SET_DELETE,
  LAYER_SET_FIXED
};

static void layer_note (struct layer *l, int function, int code) {
  if (code && !l->error) l->error = function << 8 | (code & 0xff);
}

/* Notes the code of a function that a library need not support. Drafts had other rules. */
static void layer_note_optional (struct layer *l, int function, int code) {
  if (code != IPASIR2_UNSUPPORTED && !ipasir2_draft) layer_note (l, function, code);
}

static void layer_push (struct layer_list *list, int32_t number) {
  if (list->size == list->room) {
    list->room = 2 * list->room + 8;
    int32_t *data = (int32_t *) realloc (list->data, list->room * sizeof *data);
    /* ipafuzz may make one allocation fail; the next one succeeds. */
    if (!data) data = (int32_t *) realloc (list->data, list->room * sizeof *data);
    if (!data) abort ();
    list->data = data;
  }
  list->data[list->size++] = number;
}

static const char *layer_signature (void) {
  const char *text = 0;
  return ipasir2.signature (&text) ? 0 : text;
}

static void *layer_init (void) {
  struct layer *l = (struct layer *) calloc (1, sizeof *l);
  if (!l) l = (struct layer *) calloc (1, sizeof *l);
  if (l && ipasir2.init (&l->solver)) {
    free (l);
    return 0;
  }
  return l;
}

static void layer_release (void *solver) {
  struct layer *l = (struct layer *) solver;
  if (!l) return;
  ipasir2.release (l->solver);
  free (l->clause.data), free (l->assumptions.data), free (l->assumed.data);
  free (l->importing.data), free (l->imports.data), free (l->heard.data), free (l->formula.data);
  free (l);
}

enum { LAYER_REMEMBERED = 4096 }; /* numbers in formula; later clauses are not added again */

static void layer_remember (struct layer *l) {
  if (l->formula.size + l->clause.size + 1 > LAYER_REMEMBERED) return;
  layer_push (&l->formula, (int32_t) l->clause.size);
  for (size_t i = 0; i < l->clause.size; i++) layer_push (&l->formula, l->clause.data[i]);
}

static void layer_add (void *solver, int32_t lit_or_zero) {
  struct layer *l = (struct layer *) solver;
  if (lit_or_zero) {
    layer_push (&l->clause, lit_or_zero);
    return;
  }
  layer_note (l, LAYER_ADD,
              ipasir2.add (l->solver, l->clause.data, (int32_t) l->clause.size, 0, 0));
  l->state = IPASIR2_INPUT;
  layer_remember (l);
  l->clause.size = 0;
}

static void layer_assume (void *solver, int32_t lit) {
  layer_push (&((struct layer *) solver)->assumptions, lit);
}

/* Gives the solver the next clause of the queue; returns whether there was one. */
static int layer_import_one (struct layer *l) {
  if (l->imported == l->imports.size) return 0;
  const int32_t *clause = l->imports.data + l->imported;
  l->imported += (size_t) *clause + 1;
  layer_note (l, LAYER_ADD, ipasir2.add (l->solver, clause + 1, *clause, 0, 0));
  return 1;
}

static void layer_imports (void *state) { layer_import_one ((struct layer *) state); }

static int layer_solve_once (struct layer *l) {
  int result = -1;
  l->state = IPASIR2_SOLVING;
  const int code = ipasir2.solve (l->solver, &result, l->assumed.size ? l->assumed.data : 0,
                                  (int32_t) l->assumed.size);
  l->state = code           ? IPASIR2_INPUT
             : result == 10 ? IPASIR2_SAT
             : result == 20 ? IPASIR2_UNSAT
                            : IPASIR2_INPUT;
  layer_note (l, LAYER_SOLVE, code);
  return code ? -code : result;
}

static int layer_solve (void *solver) {
  struct layer *l = (struct layer *) solver;
  const struct layer_list last = l->assumed;
  l->assumed = l->assumptions;
  l->assumptions = last;
  l->assumptions.size = 0;
  int status = layer_solve_once (l);
  if (status == 10 && l->imported < l->imports.size) {
    while (layer_import_one (l)) continue;
    status = layer_solve_once (l);
  }
  return status;
}

static int layer_assumed (const struct layer *l, int32_t lit) {
  for (size_t i = 0; i < l->assumed.size; i++)
    if (l->assumed.data[i] == lit) return 1;
  return 0;
}

static int32_t layer_val (void *solver, int32_t lit) {
  struct layer *l = (struct layer *) solver;
  int32_t value = INT32_MIN;
  const int code = ipasir2.value (l->solver, lit, &value);
  layer_note (l, LAYER_VALUE, code);
  return code ? INT32_MIN : value;
}

/* Returns 0 for a literal that was not assumed and that the library refuses. */
static int layer_failed (void *solver, int32_t lit) {
  struct layer *l = (struct layer *) solver;
  int failed = 2;
  const int code = ipasir2.failed (l->solver, lit, &failed);
  if (code == IPASIR2_INVALID_ARGUMENT && !layer_assumed (l, lit)) return 0;
  layer_note (l, LAYER_FAILED, code);
  return code ? 2 : failed;
}

static void layer_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  struct layer *l = (struct layer *) solver;
  layer_note (l, LAYER_SET_TERMINATE, ipasir2.set_terminate (l->solver, state, terminate));
}

static void layer_hears (void *state, const int32_t *clause, int32_t length, void *proofmeta) {
  struct layer *l = (struct layer *) state;
  (void) proofmeta;
  l->heard.size = 0;
  if (ipasir2_draft)
    for (length = 0; clause[length];) length++;
  for (int32_t i = 0; i < length; i++) {
    if (!clause[i] || clause[i] == INT32_MIN) length = -1;
    layer_push (&l->heard, clause[i]);
  }
  layer_push (&l->heard, 0);
  if (length < 0)
    layer_note (l, LAYER_EXPORTED, IPASIR2_INVALID_ARGUMENT);
  else if (l->learn)
    l->learn (l->learn_state, l->heard.data);
}

static void layer_hears_fixed (void *state, int32_t lit) {
  const int32_t unit[] = {lit, 0};
  layer_hears (state, unit, 1, 0);
}

/* Deleted clauses are read and ignored. */
static void layer_forgets (void *state, const int32_t *clause, int32_t length, void *proofmeta) {
  struct layer *l = (struct layer *) state;
  (void) proofmeta;
  for (int32_t i = 0; i < length; i++)
    if (!clause[i] || clause[i] == INT32_MIN)
      layer_note (l, LAYER_EXPORTED, IPASIR2_INVALID_ARGUMENT);
}

/* Keeps a removed callback, so that a late call of it is counted. */
static void layer_set_learn (void *solver, void *state, int max_length,
                             void (*learn) (void *state, int32_t *clause)) {
  struct layer *l = (struct layer *) solver;
  void *data = learn ? l : 0;
  if (learn) l->learn = learn, l->learn_state = state;
  layer_note (l, LAYER_SET_EXPORT,
              ipasir2.set_export (l->solver, data, max_length == INT_MAX ? -1 : max_length,
                                  learn ? layer_hears : 0));
  if (ipasir2.set_fixed)
    layer_note_optional (
      l, LAYER_SET_FIXED,
      ipasir2.set_fixed (l->solver, data, learn && max_length ? layer_hears_fixed : 0));
  if (ipasir2.set_delete)
    layer_note_optional (l, LAYER_SET_DELETE,
                         ipasir2.set_delete (l->solver, data, learn ? layer_forgets : 0));
}

/* Adds a clause of the formula again, as one that the solver may forget: no answer depends on
 * it. Happens in INPUT only, because it would end CONFIG and the answers of a solve. */
static void layer_forgettable (struct layer *l, uint64_t which) {
  if (l->state != IPASIR2_INPUT || !l->formula.size) return;
  size_t start = 0;
  for (which %= 64; which; which--) {
    start += (size_t) l->formula.data[start] + 1;
    if (start >= l->formula.size) start = 0;
  }
  layer_note (l, LAYER_ADD,
              ipasir2.add (l->solver, l->formula.data + start + 1, l->formula.data[start], 1, 0));
}

static void layer_import (void *solver, int32_t lit_or_zero) {
  struct layer *l = (struct layer *) solver;
  if (!l->imports.size)
    layer_note (l, LAYER_SET_IMPORT, ipasir2.set_import (l->solver, l, layer_imports));
  if (lit_or_zero) {
    layer_push (&l->importing, lit_or_zero);
    return;
  }
  layer_push (&l->imports, (int32_t) l->importing.size);
  for (size_t i = 0; i < l->importing.size; i++) layer_push (&l->imports, l->importing.data[i]);
  l->importing.size = 0;
}

#endif
