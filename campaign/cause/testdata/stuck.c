/* An IPASIR library that claims no solution under an assumption, and searches without an
 * end once there is a clause of one literal. */
#include <stdlib.h>

struct solver {
  int assumed, literals, unit;
};

const char *ipasir_signature (void) { return "stuck"; }
void *ipasir_init (void) { return calloc (1, sizeof (struct solver)); }
void ipasir_release (void *solver) { free (solver); }
void ipasir_add (void *solver, int literal) {
  struct solver *s = solver;
  if (literal)
    s->literals++;
  else
    s->unit |= s->literals == 1, s->literals = 0;
}
void ipasir_assume (void *solver, int literal) {
  struct solver *s = solver;
  s->assumed |= literal;
}
int ipasir_solve (void *solver) {
  struct solver *s = solver;
  for (volatile int searching = s->unit; searching;)
    ;
  const int status = s->assumed ? 20 : 10;
  s->assumed = 0;
  return status;
}
int ipasir_val (void *solver, int literal) { return (void) solver, abs (literal); }
int ipasir_failed (void *solver, int literal) { return (void) solver, (void) literal, 1; }
void ipasir_set_terminate (void *solver, void *data, int (*stop) (void *)) {
  (void) solver, (void) data, (void) stop;
}
