/* An IPASIR library in which no solve ever ends. */
#include "inert.h"

static volatile unsigned turns;

const char *ipasir_signature (void) { return "never"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  for (;;) turns++;
}
