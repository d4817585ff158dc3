/* An IPASIR library whose solve takes 0.3 s of processor time. Then it aborts if the last variable
 * of a clause is 1, and otherwise listens on a port, which is forbidden. */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static int last;
const char *ipasir_signature (void) { return "trespasser"; }
void *ipasir_init (void) { return malloc (1); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) {
  (void) s;
  if (lit) last = abs (lit);
}
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_val (void *s, int lit) {
  (void) s;
  return lit;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
int ipasir_solve (void *s) {
  (void) s;
  for (const clock_t begun = clock (); clock () - begun < 3 * CLOCKS_PER_SEC / 10;) continue;
  if (last == 1) abort ();
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
  const int port = socket (AF_INET, SOCK_STREAM, 0);
  if (bind (port, (struct sockaddr *) &here, sizeof here) || listen (port, 1)) return 0;
  return 10;
}
