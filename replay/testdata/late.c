/* Calls every callback that was ever set, even removed ones and those of other
 * solvers. */
#include <stdint.h>
struct given {
  int (*terminate) (void *);
  void *state;
};
static struct given all[256];
static int num_given;

static void call_all (void) {
  for (int i = 0; i < num_given; i++) all[i].terminate (all[i].state);
}

#define NO_TERMINATE
#define STATUS (call_all (), 30)
#define AT_RELEASE call_all ()
#include "honest.h"

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  (void) solver;
  if (terminate && num_given < 256) all[num_given++] = (struct given){terminate, state};
}
