/* An IPASIR library whose solves call the callbacks of the solver that was made last; every
 * variable is true. The clause 666 makes a solver call its own ones, 667 those of the last one
 * in a thread of the library.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct solver {
  int own, in_thread;
  int (*terminate) (void *);
  void *terminate_state;
  void (*learn) (void *, int32_t *);
  void *learn_state;
};

static struct solver *last;

const char *ipasir_signature (void) { return "crosses"; }
void *ipasir_init (void) { return last = calloc (1, sizeof *last); }
void ipasir_release (void *solver) { free (solver); }

void ipasir_add (void *solver, int32_t lit) {
  struct solver *s = solver;
  if (lit == 666) s->own = 1;
  if (lit == 667) s->in_thread = 1;
}

void ipasir_assume (void *solver, int32_t lit) { (void) solver, (void) lit; }

static void *call (void *solver) {
  struct solver *s = solver;
  int32_t clause[] = {1, 0};
  if (s->terminate) s->terminate (s->terminate_state);
  if (s->learn) s->learn (s->learn_state, clause);
  return 0;
}

int ipasir_solve (void *solver) {
  struct solver *s = solver;
  pthread_t thread;
  if (s->own)
    call (s);
  else if (!s->in_thread)
    call (last);
  else if (!pthread_create (&thread, 0, call, last))
    pthread_join (thread, 0);
  return 10;
}

int32_t ipasir_val (void *solver, int32_t lit) { return (void) solver, lit < 0 ? -lit : lit; }
int ipasir_failed (void *solver, int32_t lit) { return (void) solver, (void) lit, 0; }

void ipasir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  struct solver *s = solver;
  s->terminate = terminate;
  s->terminate_state = state;
}

void ipasir_set_learn (void *solver, void *state, int max_length,
                       void (*learn) (void *, int32_t *)) {
  struct solver *s = solver;
  (void) max_length;
  s->learn = learn;
  s->learn_state = state;
}
