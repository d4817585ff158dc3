/* An IPASIR library that answers interrupted, and never again once its process has
 * created 30 solvers: a hang that no single trace shows. With TIRES=sleep it waits. */
#include "inert.h"
#include <string.h>
#include <unistd.h>

static int solvers;

const char *ipasir_signature (void) { return "tires"; }
void *ipasir_init (void) {
  solvers++;
  return malloc (1);
}
int ipasir_solve (void *s) {
  (void) s;
  const char *how = getenv ("TIRES");
  while (solvers >= 30)
    if (how && !strcmp (how, "sleep")) pause ();
  return 0;
}
