/* Preloaded into ipafuzz, makes its wall clock jump to and fro by hours, fifty times a
 * second. Go reads clocks through a function of the kernel's (the vDSO), whose address is
 * in a variable of its runtime; IPAFUZZ_CLOCK is the address of that variable.
 * Only the child of the process IPAFUZZ_CLOCK_BELOW is ipafuzz. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic long offset = 3 * 3600;

static int read_clock (clockid_t clock, struct timespec *now) {
  const long result = syscall (SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += offset;
  return (int) result;
}

static void *jump (void *variable) {
  usleep (100000); /* until the runtime has set the variable */
  for (;; usleep (20000)) {
    *(void *volatile *) variable = (void *) read_clock;
    offset = -offset;
  }
  return 0;
}

__attribute__ ((constructor)) static void begin (void) {
  const char *variable = getenv ("IPAFUZZ_CLOCK"), *parent = getenv ("IPAFUZZ_CLOCK_BELOW");
  pthread_t thread;
  if (!variable || !parent || getppid () != atoi (parent)) return; /* another program */
  if (!pthread_create (&thread, 0, jump, (void *) strtoull (variable, 0, 0)))
    pthread_detach (thread);
}
