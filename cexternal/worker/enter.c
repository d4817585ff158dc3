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

/* A campaign with a few threads dies with 200 MB, and runs with 400. */
static const rlim_t least_data = (rlim_t) 512 << 20;

/* The Go runtime opens some files when it first waits for one, and dies without them. */
static const rlim_t least_files = 12;

enum { EXIT_SURROUNDINGS = 3 }; /* the exit code of the command line for this */

/* Ends the process if the environment gives it less than it needs. format is the message; it
 * takes the limit and what the process needs. */
static void demand (int what, rlim_t least, rlim_t unit, const char *format) {
  struct rlimit limit;
  if (getrlimit (what, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least)
    return;
  dprintf (STDERR_FILENO, format, (unsigned long long) (limit.rlim_cur / unit),
           (unsigned long long) (least / unit));
  dprintf (STDERR_FILENO,
           "ipafuzz or its environment failed; this says nothing about the target.\n");
  _exit (EXIT_SURROUNDINGS);
}

/* Reports whether this code belongs to the program itself, and not to a library that
 * another program, such as an interpreter, has loaded. */
static int in_the_program (void) {
  Dl_info program, own;
  void *headers = (void *) getauxval (AT_PHDR); /* an address in the program */
  return !dladdr (headers, &program) || !dladdr ((void *) demand, &own) ||
         program.dli_fbase == own.dli_fbase;
}

/* Runs before the Go runtime starts: with one thread, so that fork is safe, and
 * without the runtime's signal handlers. */
__attribute__ ((constructor)) static void enter (void) {
  if (!in_the_program ()) return;
  const char *fd = getenv (IPAFUZZ_WORKER_VARIABLE);
  if (fd) ipafuzz_worker (atoi (fd), 0);
  demand (RLIMIT_AS, least_addresses, 1024,
          "ipafuzz: the limit on the address space is %llu kB, ipafuzz needs %llu "
          "(ulimit -v; to limit the target, use --memory)\n");
  demand (RLIMIT_DATA, least_data, 1024,
          "ipafuzz: the limit on data is %llu kB, ipafuzz needs %llu "
          "(ulimit -d; to limit the target, use --memory)\n");
  demand (RLIMIT_NOFILE, least_files, 1,
          "ipafuzz: the limit on open files is %llu, ipafuzz needs %llu (ulimit -n)\n");
}
