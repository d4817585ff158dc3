/* The functions of an IPASIR library that ignores clauses and assumptions. A library that
 * includes this file defines the others: the signature, init, which calls malloc once, and solve,
 * which may give up. */
#include <stdlib.h>

void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_val (void *s, int lit) {
  (void) s, (void) lit;
  return 0; /* not important */
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
const char *ipafuzz_describe (void) { return "policy give-up=allowed\n"; }
