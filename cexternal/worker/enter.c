#include <stdlib.h>

#include "worker.h"

/* Runs before the Go runtime starts: with one thread only, so that fork is
 * safe, and without the runtime's signal handlers. */
__attribute__ ((constructor)) static void enter (void) {
  const char *fd = getenv (IPAFUZZ_WORKER_VARIABLE);
  if (fd) ipafuzz_worker (atoi (fd), 0);
}
