/* What ipafuzz asks of a library of IPASIR-2 beside the calls of a trace: its options,
 * its error codes, and what it lacks. */
#ifndef IPASIR2_PROBE_H
#define IPASIR2_PROBE_H

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "ipasir2_layer.h"
#include "target.h"

/* Reports whether the address can be read: a system call does not crash on it. */
static int readable (const char *text) { return !access (text, F_OK) || errno != EFAULT; }

static int is_name (const char *text) {
  if (!readable (text)) return 0;
  for (int i = 0; i < 256; i++) {
    if (!text[i]) return i > 0;
    if (!isgraph ((unsigned char) text[i])) return 0;
  }
  return 0;
}

/* Drafts of IPASIR-2 had `bool` where the final version has `int`: such a table shows
 * flags that are neither 0 nor 1, and then no option is used. */
static int plausible (const struct ipasir2_option *option) {
  return is_name (option->name) && (option->tunable | 1) == 1 && (option->indexed | 1) == 1 &&
         option->max_state >= 0 && option->max_state <= 4 && option->min <= option->max;
}

/* Returns the options and their number. Drafts ended the table with a name that is NULL. */
static const struct ipasir2_option *list_options (void *solver, int *count) {
  const struct ipasir2_option *options = 0;
  *count = -1;
  if (!ipasir2.options || ipasir2.options (solver, &options, count) || !options) {
    *count = 0;
    return 0;
  }
  for (int i = 0; *count < 0 || i < *count; i++) {
    if (*count < 0 && !options[i].name) *count = i;
    if (i == *count) break;
    if (!plausible (options + i)) {
      *count = 0;
      break;
    }
  }
  return options;
}

/* Options that change what is asked for, and not how it is found. */
static int changes_answers (const char *name) {
  return !strncmp (name, "ipasir.limits.", 14) || !strcmp (name, "ipasir.yolo") ||
         !strcmp (name, "ipasir.assumptions.fixed");
}

/* The options in the format of ipafuzz_describe. */
static const char *describe_options (void *solver) {
  static char text[1 << 16];
  size_t used = 0;
  int count;
  const struct ipasir2_option *option = list_options (solver, &count);
  text[0] = 0;
  for (; count > 0; count--, option++) {
    if (!option->tunable || option->indexed || changes_answers (option->name)) continue;
    const int64_t start = option->min > 0 ? option->min : option->max < 0 ? option->max : 0;
    const int n =
      snprintf (text + used, sizeof text - used, "option %s int %lld %lld %lld when=%s\n",
                option->name, (long long) option->min, (long long) option->max, (long long) start,
                option->max_state ? "anytime" : "start");
    if (n < 0 || (size_t) n >= sizeof text - used) {
      text[used] = 0;
      break;
    }
    used += (size_t) n;
  }
  return text;
}

static int set_named (void *solver, const char *name, const char *value) {
  int count;
  const struct ipasir2_option *option = list_options (solver, &count); /* sets errno */
  char *end;
  errno = 0;
  const long long number = strtoll (value, &end, 10);
  if (end == value || *end || errno) return IPASIR2_INVALID_OPTION_VALUE;
  for (; count > 0; count--, option++)
    if (!strcmp (option->name, name)) return ipasir2.set_option (solver, option, number, 0);
  return IPASIR2_UNSUPPORTED_OPTION;
}

static int layer_set_option (void *solver, const char *name, const char *value) {
  return set_named (((struct layer *) solver)->solver, name, value);
}

static const char *layer_describe (void) {
  struct layer *l = (struct layer *) layer_init ();
  if (!l) return "";
  const char *text = describe_options (l->solver);
  layer_release (l);
  return text;
}

static int layer_errors (void *solver) {
  struct layer *l = (struct layer *) solver;
  const int error = l->error;
  l->error = 0;
  return error;
}

/* The wrong calls of misuse: NUMBER % LAYER_MISUSES. The high half of the answer is
 * which one, the state << 4 and, of options, whether it is beyond max_state << 8 and
 * whether its value is beyond its bounds << 9; 0 if there is nothing to call. */
enum {
  MISUSE_VALUE = 1,
  MISUSE_VALUE_OF_0,
  MISUSE_FAILED,
  MISUSE_FAILED_OF_0,
  MISUSE_BELOW,
  MISUSE_ABOVE,
  MISUSE_LATE,
  LAYER_MISUSES = 7
};

static int order (int state) {
  return state == IPASIR2_CONFIG ? 0 : state == IPASIR2_SOLVING ? 2 : 1;
}

static uint64_t layer_misuse_option (struct layer *l, uint32_t kind, uint32_t which) {
  int count;
  const struct ipasir2_option *option = list_options (l->solver, &count);
  if (!count || !ipasir2.set_option) return 0;
  option += which % (uint32_t) count;
  const int late = order (l->state) > order (option->max_state);
  int64_t value = option->min;
  if (kind == MISUSE_BELOW   ? option->min == INT64_MIN
      : kind == MISUSE_ABOVE ? option->max == INT64_MAX
                             : !late)
    return 0;
  if (kind == MISUSE_BELOW) value = option->min - 1;
  if (kind == MISUSE_ABOVE) value = option->max + 1;
  const uint32_t code = (uint32_t) ipasir2.set_option (l->solver, option, value, 0);
  const uint32_t facts =
    kind | (uint32_t) l->state << 4 | (uint32_t) late << 8 | (uint32_t) (kind != MISUSE_LATE) << 9;
  return code | (uint64_t) facts << 32;
}

static uint64_t layer_misuse (void *solver, uint32_t number) {
  struct layer *l = (struct layer *) solver;
  const uint32_t kind = number % LAYER_MISUSES + 1;
  const int of_0 = kind == MISUSE_VALUE_OF_0 || kind == MISUSE_FAILED_OF_0;
  int32_t lit = of_0 ? 0 : 1, value = 0;
  int failed = 0, code;
  if (kind >= MISUSE_BELOW) return layer_misuse_option (l, kind, number / LAYER_MISUSES);
  if (kind == MISUSE_VALUE || kind == MISUSE_VALUE_OF_0) {
    if (kind == MISUSE_VALUE && l->state == IPASIR2_SAT) return 0;
    code = ipasir2.value (l->solver, lit, &value);
  } else {
    while (kind == MISUSE_FAILED && (layer_assumed (l, lit) || layer_assumed (l, -lit))) lit++;
    code = ipasir2.failed (l->solver, lit, &failed);
  }
  return (uint32_t) code | (uint64_t) (kind | (uint32_t) l->state << 4) << 32;
}

/* Fills the table of a library whose functions are in the table ipasir2. A function that
 * says that it is not supported counts as missing. */
static void layer_fill (struct ipafuzz_target *target) {
  target->signature = layer_signature;
  target->init = layer_init;
  target->release = layer_release;
  target->add = layer_add;
  target->assume = layer_assume;
  target->solve = layer_solve;
  target->val = layer_val;
  target->failed = layer_failed;
  target->errors = layer_errors;
  target->misuse = layer_misuse;
  void *solver = 0;
  if (ipasir2.init (&solver)) return;
  if (ipasir2.set_terminate && ipasir2.set_terminate (solver, 0, 0) != IPASIR2_UNSUPPORTED)
    target->set_terminate = layer_set_terminate;
  if (ipasir2.set_export && ipasir2.set_export (solver, 0, 0, 0) != IPASIR2_UNSUPPORTED)
    target->set_learn = layer_set_learn;
  if (ipasir2.set_import && ipasir2.set_import (solver, 0, 0) != IPASIR2_UNSUPPORTED)
    target->import = layer_import;
  int count;
  list_options (solver, &count);
  if (count > 0 && ipasir2.set_option && !target->set_option) {
    target->set_option = layer_set_option;
    if (!target->describe) target->describe = layer_describe;
  }
  ipasir2.release (solver);
}

#endif
