/* The built-in library with a rare error message: in a solve after clauses that about
 * one trace in a thousand has, or, with AFTER, when the process has made so many
 * solvers. */
#include <stdio.h>

void *inner_init (void);
void inner_add (void *, int);
int inner_solve (void *);

static unsigned mixed, solvers;

void *ipasir_init (void) {
  mixed = 0;
  solvers++;
  return inner_init ();
}

void ipasir_add (void *solver, int lit) {
  mixed = mixed * 31 + (unsigned) lit;
  inner_add (solver, lit);
}

int ipasir_solve (void *solver) {
#ifdef AFTER
  const int now = solvers == AFTER;
#else
  const int now = mixed % 1009 == 7;
#endif
  if (now) printf ("internal error: %u at %p\n", mixed, solver);
  return inner_solve (solver);
}
