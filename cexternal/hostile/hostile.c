/* A solver library for IPASIR and IPAMIR that answers correctly but misbehaves. The NAME in its
 * file name, libhostile-NAME.so, selects the behaviour, so tests only copy one file. */
#include "hostile.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

int solves;
static const struct behaviour *chosen;
static char name[64];

static void act (enum moment when) {
  if (chosen && chosen->when == when) chosen->act ();
}

static const struct behaviour *find (const struct behaviour *in) {
  for (; in->name; in++)
    if (!strcmp (in->name, name)) return in;
  return 0;
}

__attribute__ ((constructor)) static void choose (void) {
  Dl_info self;
  const char *at = dladdr ((void *) choose, &self) ? strstr (self.dli_fname, "libhostile-") : 0;
  if (!at) return;
  snprintf (name, sizeof name, "%s", at + strlen ("libhostile-"));
  char *end = strstr (name, ".so");
  if (end) *end = 0;
  const struct behaviour *const all[] = {deaths,     habits,  resources, processes, files,
                                         neighbours, shared,  calls,     restricts, tricks,
                                         later,      becomes, endings,   ours,      state};
  for (size_t i = 0; i < sizeof all / sizeof *all && !chosen; i++) chosen = find (all[i]);
  /* A test of an unknown behaviour must not pass because the library behaves. */
  if (!chosen && !strstr (name, "signature") && strcmp (name, "none")) abort ();
  act (AT_LOAD);
}

__attribute__ ((destructor)) static void at_exit (void) { act (AT_EXIT); }

static const char *signature (void) {
  act (AT_SIGNATURE);
  if (!strcmp (name, "null-signature")) return 0;
  if (!strcmp (name, "escapes-in-signature")) return "\033]0;pwned\007\033[2J\033[31mhostile";
  if (!strcmp (name, "endless-signature")) {
    static char text[1 << 20];
    memset (text, 'x', sizeof text - 1);
    return text;
  }
  return "hostile";
}

static void *init (void) {
  act (AT_INIT);
  return solver_new ();
}

static void release (void *s) {
  act (AT_RELEASE);
  solver_delete (s);
}

static int solve (void *s) {
  solves++;
  act (AT_SOLVE);
  return solver_solve (s);
}

#ifndef HOSTILE_MAXSAT
const char *ipasir_signature (void) { return signature (); }
void *ipasir_init (void) { return init (); }
void ipasir_release (void *s) { release (s); }
void ipasir_add (void *s, int32_t lit) { solver_add (s, lit); }
void ipasir_assume (void *s, int32_t lit) { solver_assume (s, lit); }
int ipasir_solve (void *s) { return solve (s); }
int32_t ipasir_val (void *s, int32_t lit) { return solver_value (s, lit); }
int ipasir_failed (void *s, int32_t lit) { return solver_failed (s, lit); }
#else
const char *ipamir_signature (void) { return signature (); }
void *ipamir_init (void) { return init (); }
void ipamir_release (void *s) { release (s); }
void ipamir_add_hard (void *s, int32_t lit) { solver_add (s, lit); }
void ipamir_add_soft_lit (void *s, int32_t lit, uint64_t weight) {
  (void) s, (void) lit, (void) weight;
}
void ipamir_assume (void *s, int32_t lit) { solver_assume (s, lit); }
int ipamir_solve (void *s) {
  const int answer = solve (s);
  return answer == 10 ? 0 : answer;
}
uint64_t ipamir_val_obj (void *s) {
  (void) s;
  return 0;
}
int32_t ipamir_val_lit (void *s, int32_t lit) { return solver_value (s, lit); }
void ipamir_set_terminate (void *s, void *state, int (*terminate) (void *)) {
  (void) s, (void) state, (void) terminate;
}
#endif

const char *ipafuzz_describe (void) { return "policy give-up=allowed\n"; }
