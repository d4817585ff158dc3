/* An IPASIR library that gives up. Its process crashes in the third solver: a failure that no
 * single trace shows. */
#include "inert.h"

static int solvers;
struct solver {
  int third;
};

const char *ipasir_signature (void) { return "third"; }
void *ipasir_init (void) {
  struct solver *s = calloc (1, sizeof *s);
  s->third = ++solvers == 3;
  return s;
}
int ipasir_solve (void *s) {
  if (((struct solver *) s)->third) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
