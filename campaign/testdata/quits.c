/* An IPASIR library that gives up in every solve, though nobody interrupts it, and never returns
 * from the third of its process. Its description of the policies is that of the standard. */
#define ipafuzz_describe quits_describes_nothing
#include "inert.h"

static volatile int solves;

const char *ipasir_signature (void) { return "quits"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  for (solves++; solves >= 3;) continue;
  return 0;
}
