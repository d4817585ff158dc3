/* An IPASIR library that answers SAT to everything. In the first solve of its process
 * with an assumption it uses 200 MiB, long enough to be noticed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile hoard;
static int done;
const char *ipasir_signature (void) { return "hoarder"; }
void *ipasir_init (void) { return calloc (1, sizeof (int)); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) lit, *(int *) s = 1; }
int ipasir_solve (void *s) {
  if (*(int *) s && !done++) {
    hoard = malloc (200 << 20);
    memset (hoard, 1, 200 << 20);
    usleep (250000);
    free (hoard);
  }
  *(int *) s = 0;
  return 10;
}
int ipasir_val (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
