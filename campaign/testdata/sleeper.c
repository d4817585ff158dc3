/* An IPASIR library that answers SAT to everything and sleeps for more than a second in
 * the first solve of its process. */
#include <stdlib.h>
#include <unistd.h>

static int awake;
const char *ipasir_signature (void) { return "sleeper"; }
void *ipasir_init (void) { return malloc (1); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) {
  (void) s;
  if (!awake) usleep (1200000);
  awake = 1;
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
