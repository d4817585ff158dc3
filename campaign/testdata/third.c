/* An IPASIR library that is correct as long as all clauses are units of one polarity. Its
 * process crashes in the third solver: a failure that no single trace shows. */
#include <stdlib.h>

static int solvers;
struct solver {
  int third, satisfiable;
};

const char *ipasir_signature (void) { return "third"; }
void *ipasir_init (void) {
  struct solver *s = calloc (1, sizeof *s);
  s->third = ++solvers == 3;
  return s;
}
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) {
  if (((struct solver *) s)->third) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
int ipasir_val (void *s, int lit) {
  (void) s;
  return lit;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
const char *ipafuzz_describe (void) { return "policy give-up=allowed\n"; }
