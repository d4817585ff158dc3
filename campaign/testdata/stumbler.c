/* An IPASIR library whose solvers need a second of processor time for the first solve, and abort
 * in the second. */
#include "inert.h"
#include <time.h>

struct solver {
  int solves;
};

const char *ipasir_signature (void) { return "stumbler"; }
void *ipasir_init (void) { return calloc (1, sizeof (struct solver)); }
int ipasir_solve (void *s) {
  if (((struct solver *) s)->solves++) abort ();
  for (const clock_t begun = clock (); clock () - begun < CLOCKS_PER_SEC;) continue;
  return 10;
}
