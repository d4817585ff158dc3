/* An IPASIR library that gives up. After a solve without memory, its process crashes in the next
 * solver: a failure that no single trace shows. */
#include "inert.h"

static int broken;

const char *ipasir_signature (void) { return "remembers"; }
void *ipasir_init (void) {
  if (broken) abort ();
  return malloc (1);
}
int ipasir_solve (void *s) {
  (void) s;
  void *memory = malloc (10);
  if (!memory) broken = 1;
  free (memory);
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
