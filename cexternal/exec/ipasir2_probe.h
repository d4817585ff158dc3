/* What ipafuzz asks of a library of IPASIR-2 before its first trace: its options, and what it
 * lacks. */
#ifndef IPASIR2_PROBE_H
#define IPASIR2_PROBE_H

#include <stdio.h>
#include <string.h>

#include "ipasir2_client.h"
#include "target.h"

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

/* What the library says of itself with ipafuzz_describe, or 0. */
static const char *(*own_describe) (void);

/* Whether a line of a description is about options. */
static int is_about_options (const char *line, size_t length) {
  static const char *const words[] = {"option", "fixed", "exclude"};
  while (length && (*line == ' ' || *line == '\t')) line++, length--;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t n = strlen (words[i]);
    if (length > n && !memcmp (line, words[i], n) && (line[n] == ' ' || line[n] == '\t')) return 1;
  }
  return 0;
}

/* The options that IPASIR-2 lists, and what else the library says of itself. The options that it
 * describes belong to ipafuzz_set_option, which serves its other interfaces. */
static const char *layer_describe (void) {
  static char text[1 << 17];
  size_t used = 0;
  struct layer *l = (struct layer *) layer_init ();
  if (l) {
    used = (size_t) snprintf (text, sizeof text, "%s", describe_options (l->solver));
    layer_release (l);
  }
  const char *line = own_describe ? own_describe () : 0;
  while (line && *line) {
    const char *end = strchr (line, '\n');
    const size_t length = end ? (size_t) (end - line) : strlen (line);
    if (!is_about_options (line, length) && used + length + 2 < sizeof text) {
      memcpy (text + used, line, length);
      used += length;
      text[used++] = '\n';
    }
    line = end ? end + 1 : 0;
  }
  text[used] = 0;
  return text;
}

static int never_stops (void *state) { return (void) state, 0; }

static void ignores (void *state, const int32_t *clause, int32_t length, void *proofmeta) {
  (void) state, (void) clause, (void) length, (void) proofmeta;
}

static void gives_none (void *state) { (void) state; }

/* Fills the table of a library whose functions are in the table ipasir2. A function that
 * returns "unsupported" counts as missing. A library without support may allow to remove a
 * callback, so this sets some. */
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
  target->havoc = layer_havoc;
  void *solver = 0;
  if (ipasir2.init (&solver)) return;
  if (ipasir2.set_terminate &&
      ipasir2.set_terminate (solver, 0, never_stops) != IPASIR2_UNSUPPORTED)
    target->set_terminate = layer_set_terminate;
  if (ipasir2.set_export && ipasir2.set_export (solver, 0, 1, ignores) != IPASIR2_UNSUPPORTED)
    target->set_learn = layer_set_learn;
  if (ipasir2.set_import && ipasir2.set_import (solver, 0, gives_none) != IPASIR2_UNSUPPORTED)
    target->import = layer_import;
  int count;
  list_options (solver, &count);
  if (count > 0 && ipasir2.set_option && !target->set_option) {
    target->set_option = layer_set_option;
    own_describe = target->describe;
    target->describe = layer_describe;
  }
  ipasir2.release (solver);
}

#endif
