/* An IPASIR library that answers interrupted, and never again once its process has
 * created 30 solvers: a hang that no single trace shows. With TIRES=sleep it waits. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int solvers;

const char *ipasir_signature (void) { return "tires"; }
void *ipasir_init (void) {
  solvers++;
  return malloc (1);
}
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) {
  (void) s;
  const char *how = getenv ("TIRES");
  while (solvers >= 30)
    if (how && !strcmp (how, "sleep")) pause ();
  return 0;
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
