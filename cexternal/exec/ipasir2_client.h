/* What a client of IPASIR-2 can do beyond IPASIR: set options that the library lists, ask for
 * error codes, make wrong calls, and add clauses that the solver may forget. Exported programs
 * contain this file, too.
 */
#ifndef IPASIR2_CLIENT_H
#define IPASIR2_CLIENT_H

#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include "ipasir2_layer.h"

/* Reports whether the address can be read. A system call fails on a bad one, and does not crash. */
static int readable (const char *text) { return !access (text, F_OK) || errno != EFAULT; }

static int is_name (const char *text) {
  if (!readable (text)) return 0;
  for (int i = 0; i < 256; i++) {
    if (!text[i]) return i > 0;
    if (!isgraph ((unsigned char) text[i])) return 0;
  }
  return 0;
}

/* What is wrong with a list of options: an option that contradicts the header, or one that ipafuzz
 * does not use. */
enum {
  LISTED_RIGHT,
  LISTED_NOWHERE, /* no array, or no number of elements */
  LISTED_NAMELESS,
  LISTED_TWICE,
  LISTED_INVERTED, /* the least value is above the greatest */
  LISTED_STATELESS,
  LISTED_ODD
};

/* Drafts of IPASIR-2 had `bool` where the final version has `int`. Such a table seems to have
 * large flags and unreadable names; then its options stay unused. CaDiCaL has a 2. */
static int wrong_with (const struct ipasir2_option *option) {
  if (!option->name || !readable (option->name)) return LISTED_NAMELESS;
  if (option->min > option->max) return LISTED_INVERTED;
  if (option->max_state < 0 || option->max_state > IPASIR2_SOLVING) return LISTED_STATELESS;
  const int flags = (option->tunable & ~0xff) == 0 && (option->indexed | 1) == 1;
  return flags && is_name (option->name) ? LISTED_RIGHT : LISTED_ODD;
}

struct listed {
  const struct ipasir2_option *options;
  int count, code, wrong; /* code is what the function returned, wrong is LISTED_* */
};

/* Lists the options. Drafts ended the table with a name that is NULL. */
static struct listed ask_for_options (void *solver) {
  struct listed all = {0, 0, IPASIR2_UNSUPPORTED, LISTED_RIGHT};
  if (!ipasir2.options) return all;
  int count = -1;
  all.code = ipasir2.options (solver, &all.options, &count);
  if (all.code) return all;
  if (count && (count < 0 || !all.options)) all.wrong = LISTED_NOWHERE;
  for (int i = 0; all.options && i != count; i++) {
    if (count < 0 && !all.options[i].name) break;
    const int wrong = wrong_with (all.options + i);
    if (wrong) {
      all.wrong = wrong;
      all.count = 0;
      break;
    }
    all.count++;
  }
  return all;
}

/* Returns the options and their number. */
static const struct ipasir2_option *list_options (void *solver, int *count) {
  const struct listed all = ask_for_options (solver);
  *count = all.count;
  return all.options;
}

static int has_twins (const struct listed *all) {
  static __thread struct listed last; /* without twins */
  if (all->options == last.options && all->count == last.count) return 0;
  for (int i = 1; i < all->count; i++)
    for (int j = 0; j < i; j++)
      if (!strcmp (all->options[i].name, all->options[j].name)) return 1;
  last = *all;
  return 0;
}

/* The same, and notes what is wrong. */
static const struct ipasir2_option *layer_options (struct layer *l, int *count) {
  const struct listed all = ask_for_options (l->solver);
  *count = all.count;
  if (ipasir2_draft) return all.options;
  layer_note_optional (l, LAYER_OPTIONS, all.code);
  if (all.wrong != LISTED_ODD) layer_note (l, LAYER_LISTED, all.wrong);
  if (has_twins (&all)) layer_wrong (l, LAYER_LISTED, LISTED_TWICE);
  return all.options;
}

/* Reports whether the option changes the question, and not only the search for its answer. */
static int changes_answers (const char *name) {
  return !strncmp (name, "ipasir.limits.", 14) || !strcmp (name, "ipasir.yolo") ||
         !strcmp (name, "ipasir.assumptions.fixed");
}

static int order (int state) {
  return state == IPASIR2_CONFIG ? 0 : state == IPASIR2_SOLVING ? 2 : 1;
}

/* Reports whether the code contradicts the library's own table: the option is in it, the value
 * within its bounds, and the state not beyond its max_state. */
static int contradicts (int state, const struct ipasir2_option *option, int64_t value, int code) {
  return value >= option->min && value <= option->max &&
         order (state) <= order (option->max_state) &&
         (code == IPASIR2_UNSUPPORTED_OPTION || code == IPASIR2_INVALID_STATE ||
          code == IPASIR2_INVALID_OPTION_VALUE);
}

/* Sets an option of all variables (index 0) or of one to a value within its bounds. */
static void layer_set_indexed (struct layer *l, uint64_t value) {
  int count, indexed = 0;
  const struct ipasir2_option *options = layer_options (l, &count), *chosen = 0;
  for (int i = 0; i < count; i++) {
    if (!options[i].tunable || !options[i].indexed || changes_answers (options[i].name)) continue;
    if (!l->state || options[i].max_state == IPASIR2_CONFIG) continue;
    if (value % (uint64_t) ++indexed == 0) chosen = options + i;
  }
  if (!chosen || !ipasir2.set_option) return;
  const uint64_t values = (uint64_t) chosen->max - (uint64_t) chosen->min;
  const uint64_t above = values == UINT64_MAX ? value : value / 8 % (values + 1);
  const int64_t number = (int64_t) ((uint64_t) chosen->min + above);
  const int64_t variable =
    l->formula.size && *l->formula.data && value % 8 ? abs (l->formula.data[1]) : 0;
  const int code = ipasir2.set_option (l->solver, chosen, number, variable);
  if (contradicts (l->state, chosen, number, code)) layer_note (l, LAYER_SET_OPTION, code);
}

/* Sets the option for all variables, if it is one of variables. Otherwise, it has to ignore the
 * index. */
static int set_ignoring (struct layer *l, void *solver, const struct ipasir2_option *option,
                         int64_t value) {
  const int code = ipasir2.set_option (solver, option, value, option->indexed ? 0 : INT64_MAX);
  if (!code || option->indexed) return code;
  const int at_0 = ipasir2.set_option (solver, option, value, 0);
  if (!at_0 && !ipasir2_draft) layer_note (l, LAYER_INDEX, code);
  return at_0;
}

/* Sets an option of another solver, which nobody asks for answers, to one of its bounds. */
static void layer_set_of_another (struct layer *l, void *solver, int state, uint64_t value) {
  const struct listed all = ask_for_options (solver);
  if (!all.count || !ipasir2.set_option || ipasir2_draft) return;
  const struct ipasir2_option *option = all.options + value / 2 % (uint64_t) all.count;
  if (!option->tunable && !changes_answers (option->name)) return;
  const int64_t bound = value % 2 ? option->max : option->min;
  const int code = set_ignoring (l, solver, option, bound);
  if (contradicts (state, option, bound, code)) layer_note (l, LAYER_SET_OPTION, code);
}

/* Makes another solver and releases it in CONFIG, INPUT, SAT or UNSAT, as bits 1 and 2 say. Nobody
 * could ask a released solver of the trace for the code of its release. Bit 3 sets an option. */
static void layer_use_another (struct layer *l, uint64_t value) {
  const int32_t clause = 1, assumption = -1;
  const int adds = value >> 1 & 1, solves = value >> 2 & 1;
  void *solver = 0;
  int result;
  const int code = ipasir2.init (&solver);
  layer_note (l, LAYER_INIT, code);
  if (code) return;
  if (adds) layer_note (l, LAYER_ADD, ipasir2.add (solver, &clause, 1, 0, 0));
  if (solves) layer_note (l, LAYER_SOLVE, ipasir2.solve (solver, &result, &assumption, 1));
  const int state = adds || solves ? IPASIR2_INPUT : IPASIR2_CONFIG;
  if (value & 8) layer_set_of_another (l, solver, state, value >> 4 & UINT32_MAX);
  layer_note (l, LAYER_RELEASE, ipasir2.release (solver));
}

static void layer_havoc (void *solver, uint64_t value) {
  struct layer *l = (struct layer *) solver;
  if (value >> 62 == 3)
    layer_use_another (l, value);
  else if (value & 1)
    layer_forgettable (l, value >> 1);
  else
    layer_set_indexed (l, value >> 1);
}

static int as_number (const char *value, int64_t *number) {
  char *end;
  errno = 0;
  *number = strtoll (value, &end, 10);
  return end != value && !*end && !errno;
}

static const struct ipasir2_option *option_named (void *solver, const char *name) {
  int count;
  const struct ipasir2_option *option = list_options (solver, &count);
  for (; count > 0; count--, option++)
    if (!strcmp (option->name, name)) return option;
  return 0;
}

/* Sets the option for all variables, if it is one of variables. */
static inline int set_named (void *solver, const char *name, const char *value) {
  const struct ipasir2_option *option = option_named (solver, name);
  int64_t number;
  if (!as_number (value, &number)) return IPASIR2_INVALID_OPTION_VALUE;
  if (!option) return IPASIR2_UNSUPPORTED_OPTION;
  return ipasir2.set_option (solver, option, number, 0);
}

static int layer_set_option (void *solver, const char *name, const char *value) {
  struct layer *l = (struct layer *) solver;
  const struct ipasir2_option *option = option_named (l->solver, name);
  int64_t number;
  if (!as_number (value, &number)) return IPASIR2_INVALID_OPTION_VALUE;
  if (!option) return IPASIR2_UNSUPPORTED_OPTION;
  const int code = set_ignoring (l, l->solver, option, number);
  if (!ipasir2_draft && contradicts (l->state, option, number, code))
    layer_note (l, LAYER_SET_OPTION, code);
  return code;
}

/* Looks at the list of options, too. */
static int layer_errors (void *solver) {
  struct layer *l = (struct layer *) solver;
  int count;
  if (!ipasir2_draft) layer_options (l, &count);
  const int error = l->error;
  l->error = 0;
  return error;
}

/* The calls that a callback makes during a solve. Those from INSIDE_OPTIONS on are right. */
enum {
  INSIDE_NONE,
  INSIDE_VALUE,
  INSIDE_FAILED,
  INSIDE_SOLVE,
  INSIDE_RELEASE,
  INSIDE_SET_OPTION,
  INSIDE_OPTIONS,
  INSIDE_SETTERS,
  INSIDE_OPTION,
  INSIDE_ANOTHER, /* calls for another solver */
  INSIDE_CALLS
};

/* Sets the callbacks again. */
static void layer_set_again (struct layer *l) {
  const int before = l->error;
  if (ipasir2.set_terminate)
    layer_note_optional (l, LAYER_SET_TERMINATE,
                         ipasir2.set_terminate (l->solver, l->data + LAYER_STOPS,
                                                l->stops ? layer_stops : layer_looks));
  if (l->learns) layer_set_export (l);
  if (l->imports_on)
    layer_note (l, LAYER_SET_IMPORT,
                ipasir2.set_import (l->solver, l->data + LAYER_IMPORTS, layer_imports));
  if (!before && l->error) l->error += (LAYER_INSIDE + INSIDE_SETTERS - (l->error >> 8)) << 8;
}

/* Sets an option that may not be set during a solve. Returns the right code if there is none. */
static int layer_set_late (struct layer *l) {
  int count;
  const struct ipasir2_option *option = layer_options (l, &count);
  if (!count || !ipasir2.set_option) return IPASIR2_INVALID_STATE;
  option += l->wanted / INSIDE_CALLS % (uint32_t) count;
  if (option->max_state == IPASIR2_SOLVING) return IPASIR2_INVALID_STATE;
  return ipasir2.set_option (l->solver, option, option->min, 0);
}

/* Sets an option that may be set during a solve. */
static void layer_set_inside (struct layer *l) {
  int count;
  const struct ipasir2_option *option = layer_options (l, &count);
  const struct ipasir2_option *const end = option + count;
  while (option != end && (option->max_state != IPASIR2_SOLVING || !option->tunable ||
                           changes_answers (option->name)))
    option++;
  if (option == end || !ipasir2.set_option) return;
  const int code = ipasir2.set_option (l->solver, option, option->min, 0);
  if (contradicts (IPASIR2_SOLVING, option, option->min, code))
    layer_wrong (l, LAYER_INSIDE + INSIDE_OPTION, code);
}

/* Makes the call that is wanted. A wrong one has to return INVALID_STATE; value and failed may
 * find their literal wrong, too. */
static void layer_meddle (struct layer *l) {
  const uint32_t call = l->wanted % INSIDE_CALLS;
  const int32_t lit = layer_literal (l);
  int32_t value = 0;
  int result = 0, count = 0, code = IPASIR2_INVALID_STATE;
  switch (call) {
  case INSIDE_VALUE: code = ipasir2.value (l->solver, lit, &value); break;
  case INSIDE_FAILED: code = ipasir2.failed (l->solver, lit, &result); break;
  case INSIDE_SOLVE: code = ipasir2.solve (l->solver, &result, 0, 0); break;
  case INSIDE_RELEASE: code = ipasir2.release (l->solver); break;
  case INSIDE_SET_OPTION: code = layer_set_late (l); break;
  case INSIDE_OPTIONS: layer_options (l, &count); break;
  case INSIDE_SETTERS: layer_set_again (l); break;
  case INSIDE_OPTION: layer_set_inside (l); break;
  case INSIDE_ANOTHER: layer_use_another (l, l->wanted / INSIDE_CALLS * 2); break;
  default: break;
  }
  const int may_be_wrong =
    call == INSIDE_FAILED || (call == INSIDE_VALUE && !layer_is_named (l, lit));
  if (code == IPASIR2_INVALID_ARGUMENT && may_be_wrong) return;
  if (code != IPASIR2_INVALID_STATE) layer_wrong (l, LAYER_INSIDE + (int) call, code);
}

/* The wrong calls of misuse; NUMBER % LAYER_MISUSES selects one. NUMBER / LAYER_MISUSES selects
 * the option, or for other calls a second call (INSIDE_*), which a callback makes during the next
 * solve; errors tells of it. The low half of the answer is the error code. The high half is the
 * kind of wrong call | state << 4 | too late (the state is beyond max_state) << 8 | value out of
 * bounds << 9 | a literal that no call has named << 10. The answer is 0 if there was nothing to
 * call. */
enum {
  MISUSE_VALUE = 1,
  MISUSE_VALUE_OF_0,
  MISUSE_FAILED,
  MISUSE_FAILED_OF_0,
  MISUSE_BELOW,
  MISUSE_ABOVE,
  MISUSE_LATE,
  LAYER_MISUSES = 7,
  LAYER_FAR = 25 /* from this option on, values are as far beyond the bounds as 32 bits go */
};

/* Returns a value beyond the bounds, or one within them if there is none on that side. A far one
 * has the last 32 bits of one within them. */
static int64_t beyond (const struct ipasir2_option *option, uint32_t kind, int far) {
  const int64_t turn = (int64_t) 1 << 32;
  far = far && (uint64_t) option->max - (uint64_t) option->min < (uint64_t) turn;
  if (kind == MISUSE_BELOW) {
    if (far && option->max >= INT64_MIN + turn) return option->max - turn;
    return option->min > INT64_MIN ? option->min - 1 : option->min;
  }
  if (far && option->min <= INT64_MAX - turn) return option->min + turn;
  return option->max < INT64_MAX ? option->max + 1 : option->max;
}

static uint64_t layer_misuse_option (struct layer *l, uint32_t kind, uint32_t which) {
  int count;
  const struct ipasir2_option *option = layer_options (l, &count);
  if (!count || !ipasir2.set_option) return 0;
  option += which % (uint32_t) count;
  const int late = order (l->state) > order (option->max_state);
  const int64_t value =
    kind == MISUSE_LATE ? option->min : beyond (option, kind, which >= LAYER_FAR);
  const int outside = value < option->min || value > option->max;
  if (kind == MISUSE_LATE ? !late : !outside) return 0;
  const uint32_t code = (uint32_t) ipasir2.set_option (l->solver, option, value, 0);
  const uint32_t facts =
    kind | (uint32_t) l->state << 4 | (uint32_t) late << 8 | (uint32_t) outside << 9;
  return code | (uint64_t) facts << 32;
}

static uint64_t layer_misuse (void *solver, uint32_t number) {
  struct layer *l = (struct layer *) solver;
  const uint32_t kind = number % LAYER_MISUSES + 1;
  const int of_0 = kind == MISUSE_VALUE_OF_0 || kind == MISUSE_FAILED_OF_0;
  int32_t lit = of_0 ? 0 : layer_literal (l), value = 0;
  int failed = 0, code;
  if (kind >= MISUSE_BELOW) return layer_misuse_option (l, kind, number / LAYER_MISUSES);
  l->wanted = number / LAYER_MISUSES;
  l->meddle = l->wanted % INSIDE_CALLS ? layer_meddle : 0;
  if (kind == MISUSE_VALUE || kind == MISUSE_VALUE_OF_0) {
    if (kind == MISUSE_VALUE && l->state == IPASIR2_SAT) return 0;
    code = ipasir2.value (l->solver, lit, &value);
  } else {
    while (kind == MISUSE_FAILED && (layer_assumed (l, lit) || layer_assumed (l, -lit)))
      lit = abs (lit) % INT32_MAX + 1;
    code = ipasir2.failed (l->solver, lit, &failed);
  }
  const uint32_t strange = !of_0 && !layer_is_named (l, lit);
  return (uint32_t) code | (uint64_t) (kind | (uint32_t) l->state << 4 | strange << 10) << 32;
}

/* Reports whether the code in an answer of misuse fits the mistake in the call, by the rules of
 * ipafuzz's judge. */
static inline int layer_refused (uint64_t answer) {
  const uint32_t code = (uint32_t) answer, kind = answer >> 32 & 0xf, state = answer >> 36 & 0xf;
  if (!kind) return 1; /* there was nothing to call */
  if (kind >= MISUSE_BELOW)
    return (code == IPASIR2_INVALID_STATE && (answer >> 40 & 1)) ||
           (code == IPASIR2_INVALID_OPTION_VALUE && (answer >> 41 & 1));
  const uint32_t asked = kind <= MISUSE_VALUE_OF_0 ? IPASIR2_SAT : IPASIR2_UNSAT;
  return (code == IPASIR2_INVALID_STATE && state != asked) ||
         (code == IPASIR2_INVALID_ARGUMENT && (kind != MISUSE_VALUE || (answer >> 42 & 1)));
}

#endif
