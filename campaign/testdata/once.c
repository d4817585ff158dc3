/* An IPASIR library that crashes in every process of a search, and in one fresh process: the first
 * one that can make the file ONCE. It imitates a failure that recurs by chance. */
#include "inert.h"
#include <fcntl.h>
#include <unistd.h>

static pid_t loaded_in;

/* A fresh process is forked from the one that has loaded the library. */
__attribute__ ((constructor)) static void load (void) { loaded_in = getpid (); }

const char *ipasir_signature (void) { return "once"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  if (getpid () == loaded_in || open (getenv ("ONCE"), O_CREAT | O_EXCL, 0666) >= 0) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
