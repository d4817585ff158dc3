/* What happens when no call is running: later, in another process, or before the first call. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

static void crash (void) { *(volatile int *) 8 = 1; }
static void start (void *(*run) (void *), void *with) {
  pthread_t thread;
  if (!pthread_create (&thread, 0, run, with)) pthread_detach (thread);
}
static void wait_ms (long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep (&time, 0);
}

static void *crash_soon (void *unused) {
  wait_ms (5);
  crash ();
  return unused;
}
static void crash_beside (void) {
  if (solves == 1) start (crash_soon, 0);
}
static void wait_in_fork (void) { pause (); }
static void hang_in_fork (void) { pthread_atfork (0, 0, wait_in_fork); }
static void crash_in_fork (void) { pthread_atfork (0, 0, crash); }
static sigjmp_buf before_abort;
static void leave_abort (int signal) { siglongjmp (before_abort, signal); }
static void survive_abort (void) {
  signal (SIGABRT, leave_abort);
  if (!sigsetjmp (before_abort, 1)) abort ();
}
static void sleep_in_init (void) { wait_ms (300); }
static void sleep_at_load (void) { wait_ms (3000); }
static void spin_at_load (void) {
  for (volatile int i = 0;; i++) continue;
}
static void grow (void) {
  void *volatile lost = malloc (1 << 20);
  memset (lost, 1, 1 << 20);
}
static void unload_itself (void) {
  Dl_info self;
  dladdr ((void *) unload_itself, &self);
  void *handle = dlopen (self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  for (int i = 0; i < 4 && handle; i++) dlclose (handle);
}
static void unmap_heap (void) {
  FILE *maps = fopen ("/proc/self/maps", "r");
  char line[512];
  unsigned long from, to;
  while (maps && fgets (line, sizeof line, maps))
    if (strstr (line, "[heap]") && sscanf (line, "%lx-%lx", &from, &to) == 2)
      munmap ((void *) from, to - from);
}

const struct behaviour later[] = {{"crashes-beside", AT_SOLVE, crash_beside},
                                  {"hangs-in-fork", AT_LOAD, hang_in_fork},
                                  {"crashes-in-fork", AT_LOAD, crash_in_fork},
                                  {"survives-abort", AT_SOLVE, survive_abort},
                                  {"sleeps-in-init", AT_INIT, sleep_in_init},
                                  {"sleeps-at-load", AT_LOAD, sleep_at_load},
                                  {"spins-at-load", AT_LOAD, spin_at_load},
                                  {"grows", AT_INIT, grow},
                                  {"unloads-itself", AT_SOLVE, unload_itself},
                                  {"unmaps-heap", AT_SOLVE, unmap_heap},
                                  {0, AT_SOLVE, 0}};
