/* An IPASIR library that answers SAT while there is one solver, and UNSAT while there
 * are more; it gives no values. */
#include <stdlib.h>

static int solvers;
const char *ipasir_signature (void) { return "mixer"; }
void *ipasir_init (void) {
  solvers++;
  return malloc (1);
}
void ipasir_release (void *s) {
  solvers--;
  free (s);
}
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) {
  (void) s;
  return solvers > 1 ? 20 : 10;
}
int ipasir_val (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 1;
}
