/* A library that always gives the same answers: everything is optimal and costs nothing,
 * and every variable is true. Each test library misbehaves in a hook, most of them in a
 * solve after the clause 666. */
#ifndef HONEST_H
#define HONEST_H

#include <stdint.h>
#include <stdlib.h>

struct solver {
  int provoked; /* a clause contained 666 */
  int32_t last; /* last literal of the clauses */
  int (*terminate) (void *);
  void *terminate_state;
};

#ifndef AT_INIT
#define AT_INIT
#endif
#ifndef AT_SOLVE
#define AT_SOLVE
#endif
#ifndef AT_RELEASE
#define AT_RELEASE
#endif
#ifndef STATUS
#define STATUS 30
#endif
#ifndef VALUE
#define VALUE (lit < 0 ? -lit : lit)
#endif

#ifndef SIGNATURE
#define SIGNATURE "honest"
#endif

const char *ipamir_signature (void) { return SIGNATURE; }

void *ipamir_init (void) {
  struct solver *s = calloc (1, sizeof *s);
  AT_INIT;
  return s;
}

void ipamir_release (void *solver) {
  struct solver *s = solver;
  (void) s;
  AT_RELEASE;
  free (solver);
}

void ipamir_add_hard (void *solver, int32_t lit) {
  struct solver *s = solver;
  if (!s) return;
  if (lit == 666) s->provoked = 1;
  if (lit) s->last = lit;
}

void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight) {
  (void) solver, (void) lit, (void) weight;
}

void ipamir_assume (void *solver, int32_t lit) { (void) solver, (void) lit; }

#ifndef NO_SOLVE
int ipamir_solve (void *solver) {
  struct solver *s = solver;
  if (s && s->provoked) {
    AT_SOLVE;
  }
  return STATUS;
}
#endif

uint64_t ipamir_val_obj (void *solver) {
  (void) solver;
  return 0;
}

int32_t ipamir_val_lit (void *solver, int32_t lit) {
  (void) solver, (void) lit;
  return VALUE;
}

#ifndef NO_TERMINATE
void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  struct solver *s = solver;
  if (!s) return;
  s->terminate = terminate;
  s->terminate_state = state;
}
#endif

#endif
