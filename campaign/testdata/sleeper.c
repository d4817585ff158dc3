/* An IPASIR library that answers SAT to everything and sleeps for more than a second in
 * the first solve of its process. */
#include "inert.h"
#include <unistd.h>

static int awake;

const char *ipasir_signature (void) { return "sleeper"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  if (!awake) usleep (1200000);
  awake = 1;
  return 10;
}
