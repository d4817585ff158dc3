#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker.h"

/* The Go runtime reserves about 700 MB of addresses before any Go code runs, and more with
 * every thread. If it cannot, it exits with the code for wrong use. */
static const rlim_t least_addresses = (rlim_t) 2 << 30;

enum { EXIT_SURROUNDINGS = 3 }; /* as in the command line */

static void demand_addresses (void) {
  struct rlimit limit;
  if (getrlimit (RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur >= least_addresses)
    return;
  dprintf (STDERR_FILENO,
           "ipafuzz: the limit on the address space is %llu kB, ipafuzz needs %llu "
           "(ulimit -v; to limit the target, use --memory)\n"
           "ipafuzz or its environment failed; this says nothing about the target.\n",
           (unsigned long long) limit.rlim_cur >> 10, (unsigned long long) least_addresses >> 10);
  _exit (EXIT_SURROUNDINGS);
}

/* Reports whether this code belongs to the program itself, and not to a library that
 * another program, such as an interpreter, has loaded. */
static int in_the_program (void) {
  Dl_info program, own;
  void *headers = (void *) getauxval (AT_PHDR); /* an address in the program */
  return !dladdr (headers, &program) || !dladdr ((void *) demand_addresses, &own) ||
         program.dli_fbase == own.dli_fbase;
}

/* Runs before the Go runtime starts: with one thread, so that fork is safe, and
 * without the runtime's signal handlers. */
__attribute__ ((constructor)) static void enter (void) {
  if (!in_the_program ()) return;
  const char *fd = getenv (IPAFUZZ_WORKER_VARIABLE);
  if (fd) ipafuzz_worker (atoi (fd), 0);
  demand_addresses ();
}
