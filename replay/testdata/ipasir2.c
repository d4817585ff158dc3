/* IPASIR with the options of IPASIR-2: of the final interface, or with -DDRAFT of a draft
 * that had bool and char in place of int. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct option {
  const char *name;
  int64_t min, max;
#ifdef DRAFT
  int max_state;
  bool tunable, indexed;
#else
  int max_state, tunable, indexed;
#endif
  const void *handle;
};

static int64_t level = 3;
static const struct option options[] = {
  {"level", 0, 9, 4, 1, 0, 0},  {"seed", 1, 1000, 0, 1, 0, 0},
#ifndef DRAFT
  {"hidden", 0, 1, 0, 0, 0, 0}, {"each", 0, 1, 0, 1, 1, 0},
#endif
  {0, 0, 0, 0, 0, 0, 0},
};

const char *ipasir_signature (void) { return "two"; }
void *ipasir_init (void) { return &level; }
void ipasir_release (void *s) { (void) s; }
void ipasir_add (void *s, int32_t lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int32_t lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) { return (void) s, 10; }
int32_t ipasir_val (void *s, int32_t lit) { return (void) s, (void) lit, (int32_t) level; }
int ipasir_failed (void *s, int32_t lit) { return (void) s, (void) lit, 0; }

int ipasir2_options (void *s, const struct option **all) { return (void) s, *all = options, 0; }

int ipasir2_set_option (void *s, const struct option *option, int64_t value, int64_t index) {
  (void) s, (void) index;
  if (value < option->min || value > option->max) return 1;
  if (option == options) level = value;
  return 0;
}
