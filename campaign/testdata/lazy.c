/* An IPASIR library that answers SAT to everything. It has a table with an entry for each variable
 * up to the largest, of which it writes only those of variables that occur, and does not check
 * whether it got the memory. */
#define ipasir_add inert_add
#define ipasir_release inert_release
#include "inert.h"
#undef ipasir_add
#undef ipasir_release

struct entry {
  long seen[8];
};

struct solver {
  struct entry *table;
  size_t size;
};

const char *ipasir_signature (void) { return "lazy"; }
void *ipasir_init (void) { return calloc (1, sizeof (struct solver)); }
void ipasir_release (void *solver) {
  free (((struct solver *) solver)->table);
  free (solver);
}
void ipasir_add (void *solver, int lit) {
  struct solver *s = solver;
  size_t var = labs (lit);
  if (var >= s->size) {
    s->table = realloc (s->table, (var + 1) * sizeof (struct entry));
    s->size = var + 1;
  }
  s->table[var].seen[0]++;
}
int ipasir_solve (void *s) {
  (void) s;
  return 10;
}
