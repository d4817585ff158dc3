/* An IPASIR library that answers SAT unless a clause is empty, and gives no solution:
 * every value is "not important". */
#include <stdlib.h>

struct solver {
  int open, empty;
};

const char *ipasir_signature (void) { return "mute"; }
void *ipasir_init (void) { return calloc (1, sizeof (struct solver)); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *solver, int lit) {
  struct solver *s = solver;
  if (!lit && !s->open) s->empty = 1;
  s->open = lit != 0;
}
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) { return ((struct solver *) s)->empty ? 20 : 10; }
int ipasir_val (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
