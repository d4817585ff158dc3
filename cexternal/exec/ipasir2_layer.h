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
static int ipasir2_draft = IPASIR2_DRAFT;

struct layer_list {
  int32_t *data;
  size_t size, room;
};

/* What a callback is for. */
enum {
  LAYER_STOPS,
  LAYER_HEARS,
  LAYER_FORGETS,
  LAYER_FIXES,
  LAYER_IMPORTS,
  LAYER_REPLACED, /* nothing: another one replaces it before the next solve */
  LAYER_ROLES
};

/* Every callback has data of its own, so that it notices those of another one. */
struct layer_data {
  struct layer *layer;
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
  void *learn_state, *stop_state;
  void (*learn) (void *state, int32_t *clause);
  int (*stop) (void *state);
  int learns, stops, imports_on;       /* whether export, terminate and import are set */
  int learn_bound;                     /* max_length of export */
  uint32_t wanted;                     /* the call that a callback is to make, for meddle */
  void (*meddle) (struct layer *);     /* makes it; 0 if there is none */
  struct layer_list named;             /* a set of variables: those that the solver has got */
  struct layer_data data[LAYER_ROLES]; /* of the callbacks */
};

/* What returned an error, in the answer of ipafuzz_errors: a function, or a callback of ipafuzz
 * in which something was wrong. Those from LAYER_INSIDE on are calls that a callback made. */
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
  LAYER_SET_FIXED,
  LAYER_RELEASE,
  LAYER_OPTIONS,
  LAYER_INDEX, /* set_option, for an index that the option has to ignore */
  LAYER_INIT,
  LAYER_REMOVED, /* a callback was called after it was replaced or removed */
  LAYER_OUTSIDE, /* a callback was called outside of a solve */
  LAYER_THREAD,  /* a callback was called in a thread that is not the one of the solve */
  LAYER_DATA,    /* a callback got data that were not given with it */
  LAYER_LISTED,  /* the list of options is wrong; the code is LISTED_* */
  LAYER_INSIDE
};

static void layer_wrong (struct layer *l, int what, int code) {
  if (!l->error) l->error = what << 8 | (code & 0xff);
}

static void layer_note (struct layer *l, int function, int code) {
  if (code) layer_wrong (l, function, code);
}

/* Notes the code of a function that a library need not support. Drafts had other rules. */
static void layer_note_optional (struct layer *l, int function, int code) {
  if (code != IPASIR2_UNSUPPORTED && !ipasir2_draft) layer_note (l, function, code);
}

/* The layer that makes a solve in this thread. */
static __thread struct layer *layer_solving;

/* Every callback calls this first. Checks that a solve in this thread is in progress and that the
 * data are the callback's own, and makes the call that misuse has asked for. */
static struct layer *layer_called (void *data, int role) {
  struct layer *l = layer_solving;
  if (!l) {
    l = ((struct layer_data *) data)->layer;
    layer_wrong (l, l->state == IPASIR2_SOLVING ? LAYER_THREAD : LAYER_OUTSIDE,
                 IPASIR2_INVALID_STATE);
  } else if (data != l->data + role) {
    layer_wrong (l, LAYER_DATA, IPASIR2_INVALID_ARGUMENT);
  } else if (l->meddle) {
    void (*const meddle) (struct layer *) = l->meddle;
    l->meddle = 0;
    meddle (l);
  }
  return l;
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

/* Returns where the set has the variable or room for it. The size of its table is a power of two;
 * 0 is free. */
static size_t layer_place (const struct layer_list *set, int32_t variable) {
  size_t at = (uint32_t) variable * 2654435761u;
  while (set->data[at &= set->room - 1] && set->data[at] != variable) at++;
  return at;
}

static int layer_is_named (const struct layer *l, int32_t lit) {
  return l->named.size && l->named.data[layer_place (&l->named, abs (lit))];
}

static void layer_grow (struct layer_list *set) {
  const struct layer_list old = *set;
  set->room = old.room ? 2 * old.room : 64;
  set->data = (int32_t *) calloc (set->room, sizeof *set->data);
  if (!set->data) set->data = (int32_t *) calloc (set->room, sizeof *set->data);
  if (!set->data) abort ();
  for (size_t i = 0; i < old.room; i++)
    if (old.data[i]) set->data[layer_place (set, old.data[i])] = old.data[i];
  free (old.data);
}

static void layer_name (struct layer *l, const int32_t *lits, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (2 * l->named.size >= l->named.room) layer_grow (&l->named);
    int32_t *const place = l->named.data + layer_place (&l->named, abs (lits[i]));
    l->named.size += !*place;
    *place = abs (lits[i]);
  }
}

/* Returns a literal that the solver has got, if there is one. */
static int32_t layer_literal (const struct layer *l) {
  const int nothing = layer_is_named (l, 1) || !l->formula.size || !*l->formula.data;
  return nothing ? 1 : l->formula.data[1];
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
  for (int i = 0; l && i < LAYER_ROLES; i++) l->data[i].layer = l;
  return l;
}

static void layer_release (void *solver) {
  struct layer *l = (struct layer *) solver;
  if (!l) return;
  ipasir2.release (l->solver);
  free (l->clause.data), free (l->assumptions.data), free (l->assumed.data);
  free (l->importing.data), free (l->imports.data), free (l->heard.data), free (l->formula.data);
  free (l->named.data);
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
  const int32_t none = 0; /* a clause is an array, even if it is empty */
  layer_note (l, LAYER_ADD,
              ipasir2.add (l->solver, l->clause.data ? l->clause.data : &none,
                           (int32_t) l->clause.size, 0, 0));
  l->state = IPASIR2_INPUT;
  layer_name (l, l->clause.data, l->clause.size);
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
  layer_name (l, clause + 1, (size_t) *clause);
  return 1;
}

static void layer_imports (void *data) {
  struct layer *l = layer_called (data, LAYER_IMPORTS);
  if (!l->imports_on) layer_wrong (l, LAYER_REMOVED, IPASIR2_INVALID_STATE);
  layer_import_one (l);
}

/* Callbacks that others replace before the next solve. */
static void layer_is_replaced (void *data) {
  layer_wrong (layer_solving ? layer_solving : ((struct layer_data *) data)->layer, LAYER_REMOVED,
               IPASIR2_INVALID_STATE);
}

static int layer_stops_replaced (void *data) { return layer_is_replaced (data), 0; }

static void layer_hears_replaced (void *data, const int32_t *clause, int32_t length, void *meta) {
  (void) clause, (void) length, (void) meta;
  layer_is_replaced (data);
}

static void layer_set_import (struct layer *l, int on) {
  if (on) {
    ipasir2.set_import (l->solver, l->data + LAYER_REPLACED, layer_is_replaced);
    layer_note (l, LAYER_SET_IMPORT,
                ipasir2.set_import (l->solver, l->data + LAYER_IMPORTS, layer_imports));
  } else
    layer_note (l, LAYER_SET_IMPORT, ipasir2.set_import (l->solver, 0, 0));
  l->imports_on = on;
}

/* Never stops a search. */
static int layer_looks (void *data) { return layer_called (data, LAYER_STOPS), 0; }

static int layer_solve_once (struct layer *l) {
  int result = -1;
  /* A callback, whichever is first, makes the call that is wanted. */
  const int looks = l->meddle && !l->stops && ipasir2.set_terminate;
  if (looks) ipasir2.set_terminate (l->solver, l->data + LAYER_STOPS, layer_looks);
  layer_name (l, l->assumed.data, l->assumed.size);
  l->state = IPASIR2_SOLVING;
  layer_solving = l;
  const int code = ipasir2.solve (l->solver, &result, l->assumed.data, (int32_t) l->assumed.size);
  layer_solving = 0;
  l->state = code           ? IPASIR2_INPUT
             : result == 10 ? IPASIR2_SAT
             : result == 20 ? IPASIR2_UNSAT
                            : IPASIR2_INPUT;
  layer_note (l, LAYER_SOLVE, code);
  if (looks) ipasir2.set_terminate (l->solver, 0, 0);
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
  if (l->imports_on && l->imported == l->imports.size) layer_set_import (l, 0);
  return status;
}

static int layer_assumed (const struct layer *l, int32_t lit) {
  for (size_t i = 0; i < l->assumed.size; i++)
    if (l->assumed.data[i] == lit) return 1;
  return 0;
}

/* Returns 0 for a literal that no call has named and that the library refuses: nobody says that
 * such a literal is valid. */
static int32_t layer_val (void *solver, int32_t lit) {
  struct layer *l = (struct layer *) solver;
  int32_t value = INT32_MIN;
  const int code = ipasir2.value (l->solver, lit, &value);
  if (code == IPASIR2_INVALID_ARGUMENT && !layer_is_named (l, lit)) return 0;
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

static int layer_stops (void *data) {
  struct layer *l = layer_called (data, LAYER_STOPS);
  return l->stop (l->stop_state);
}

/* Keeps a removed callback, so that a late call of it is counted. */
static void layer_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  struct layer *l = (struct layer *) solver;
  l->stops = terminate != 0;
  if (terminate) {
    l->stop = terminate, l->stop_state = state;
    ipasir2.set_terminate (l->solver, l->data + LAYER_REPLACED, layer_stops_replaced);
  }
  layer_note (l, LAYER_SET_TERMINATE,
              ipasir2.set_terminate (l->solver, terminate ? l->data + LAYER_STOPS : 0,
                                     terminate ? layer_stops : 0));
}

static void layer_hear (struct layer *l, const int32_t *clause, int32_t length) {
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

static void layer_hears (void *data, const int32_t *clause, int32_t length, void *proofmeta) {
  (void) proofmeta;
  layer_hear (layer_called (data, LAYER_HEARS), clause, length);
}

static void layer_hears_fixed (void *data, int32_t lit) {
  const int32_t unit[] = {lit, 0};
  layer_hear (layer_called (data, LAYER_FIXES), unit, 1);
}

/* Deleted clauses are read and ignored. */
static void layer_forgets (void *data, const int32_t *clause, int32_t length, void *proofmeta) {
  struct layer *l = layer_called (data, LAYER_FORGETS);
  (void) proofmeta;
  for (int32_t i = 0; i < length; i++)
    if (!clause[i] || clause[i] == INT32_MIN)
      layer_note (l, LAYER_EXPORTED, IPASIR2_INVALID_ARGUMENT);
}

/* Sets the callbacks for clauses and literals. A library may lack support for a length. */
static void layer_set_export (struct layer *l) {
  const int bound = l->learn_bound == INT_MAX ? -1 : l->learn_bound;
  struct layer_data *const hears = l->learns ? l->data + LAYER_HEARS : 0;
  if (hears) ipasir2.set_export (l->solver, l->data + LAYER_REPLACED, bound, layer_hears_replaced);
  const int code = ipasir2.set_export (l->solver, hears, bound, hears ? layer_hears : 0);
  if (code != IPASIR2_UNSUPPORTED_ARGUMENT) layer_note (l, LAYER_SET_EXPORT, code);
  struct layer_data *const fixes = l->learns && bound ? l->data + LAYER_FIXES : 0;
  if (ipasir2.set_fixed)
    layer_note_optional (l, LAYER_SET_FIXED,
                         ipasir2.set_fixed (l->solver, fixes, fixes ? layer_hears_fixed : 0));
  struct layer_data *const forgets = l->learns ? l->data + LAYER_FORGETS : 0;
  if (ipasir2.set_delete)
    layer_note_optional (l, LAYER_SET_DELETE,
                         ipasir2.set_delete (l->solver, forgets, forgets ? layer_forgets : 0));
}

/* Keeps a removed callback, too. */
static void layer_set_learn (void *solver, void *state, int max_length,
                             void (*learn) (void *state, int32_t *clause)) {
  struct layer *l = (struct layer *) solver;
  if (learn) l->learn = learn, l->learn_state = state;
  l->learns = learn != 0;
  l->learn_bound = max_length;
  layer_set_export (l);
}

/* Adds a clause of the formula again, as one that the solver may forget: no answer depends on
 * it. Happens in INPUT only, because it would end CONFIG and the answers of a solve. A library may
 * lack support for such clauses. */
static void layer_forgettable (struct layer *l, uint64_t which) {
  if (l->state != IPASIR2_INPUT || !l->formula.size) return;
  size_t start = 0;
  for (which %= 64; which; which--) {
    start += (size_t) l->formula.data[start] + 1;
    if (start >= l->formula.size) start = 0;
  }
  const int code =
    ipasir2.add (l->solver, l->formula.data + start + 1, l->formula.data[start], 1, 0);
  if (code != IPASIR2_UNSUPPORTED_ARGUMENT) layer_note (l, LAYER_ADD, code);
}

static void layer_import (void *solver, int32_t lit_or_zero) {
  struct layer *l = (struct layer *) solver;
  if (!l->imports_on) layer_set_import (l, 1);
  if (lit_or_zero) {
    layer_push (&l->importing, lit_or_zero);
    return;
  }
  layer_push (&l->imports, (int32_t) l->importing.size);
  for (size_t i = 0; i < l->importing.size; i++) layer_push (&l->imports, l->importing.data[i]);
  l->importing.size = 0;
}

#endif
