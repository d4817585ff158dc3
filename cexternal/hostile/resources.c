/* Time, memory, output and limits. */
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hostile.h"

static void spin (void) {
  for (volatile int i = 0;; i++) continue;
}
static void sleep_forever (void) {
  for (;;) pause ();
}
static void deadlock (void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock (&mutex);
  pthread_mutex_lock (&mutex);
}
static void spin_late (void) {
  if (solves > 60) spin ();
}
static void sleep_late (void) {
  if (solves > 60) sleep_forever ();
}
static void sleep_mostly (void) {
  static unsigned state;
  if (!state) state = (unsigned) getpid ();
  state = state * 1103515245u + 12345u;
  if (state >> 16 & 1) sleep_forever ();
}
static void spin_deaf (void) {
  sigset_t all;
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, 0);
  spin ();
}
static void *spin_here (void *unused) {
  spin ();
  return unused;
}
static void spin_in_threads (void) {
  pthread_t thread;
  for (int i = 0; i < 8; i++) pthread_create (&thread, 0, spin_here, 0);
  spin ();
}
static void eat (void) {
  for (;;) {
    char *more = malloc (1 << 20);
    if (!more) abort ();
    memset (more, 1, 1 << 20);
  }
}
static void reserve (void) {
  for (int i = 0; i < 64; i++)
    mmap (0, (size_t) 1 << 36, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
static void leak (void) {
  void *volatile lost = malloc (1 << 16);
  memset (lost, 1, 1 << 16);
}
static void flood_stdout (void) {
  for (;;) puts ("c flood");
}
static void flood_stderr (void) {
  for (;;) fputs ("c flood\n", stderr);
}
static void write_escapes (void) {
  fputs ("\033]0;pwned\007\033[2J\033[31mgone\n", stderr);
  abort ();
}
static void write_escapes_at_load (void) {
  fputs ("\033]0;pwned\007\033[2J\033[31mgone\n", stderr);
  exit (1);
}
static void close_everything (void) {
  for (int fd = 0; fd < 1024; fd++) close (fd);
}
static void limit (int what, rlim_t most) {
  const struct rlimit value = {most, most};
  setrlimit (what, &value);
}
static void limit_files (void) { limit (RLIMIT_NOFILE, 0); }
static void limit_time (void) {
  limit (RLIMIT_CPU, 1);
  spin ();
}
static void limit_output (void) {
  limit (RLIMIT_FSIZE, 16);
  fputs ("c a line that is longer than sixteen bytes\n", stderr);
}
static void limit_memory (void) { limit (RLIMIT_AS, 1 << 20); }
static void round_up (void) { fesetround (FE_UPWARD); }
static void forget_environment (void) { clearenv (); }
static void scribble (void) {
  FILE *maps = fopen ("/proc/self/maps", "r");
  char line[512];
  while (maps && fgets (line, sizeof line, maps)) {
    unsigned long from, to;
    char rights[8];
    if (!strstr (line, "memfd:ipafuzz") || sscanf (line, "%lx-%lx %7s", &from, &to, rights) != 3)
      continue;
    mprotect ((void *) from, to - from, PROT_READ | PROT_WRITE);
    if (rights[1] == 'w') memset ((void *) from, 0xa5, to - from);
  }
  if (maps) fclose (maps);
}

const struct behaviour resources[] = {{"spins", AT_SOLVE, spin},
                                      {"sleeps", AT_SOLVE, sleep_forever},
                                      {"deadlocks", AT_SOLVE, deadlock},
                                      {"spins-late", AT_SOLVE, spin_late},
                                      {"sleeps-late", AT_SOLVE, sleep_late},
                                      {"sleeps-mostly", AT_SOLVE, sleep_mostly},
                                      {"spins-deaf", AT_SOLVE, spin_deaf},
                                      {"spins-in-threads", AT_SOLVE, spin_in_threads},
                                      {"spins-in-signature", AT_SIGNATURE, spin},
                                      {"spins-at-exit", AT_EXIT, spin},
                                      {"eats-memory", AT_SOLVE, eat},
                                      {"reserves-addresses", AT_SOLVE, reserve},
                                      {"leaks", AT_SOLVE, leak},
                                      {"floods-stdout", AT_SOLVE, flood_stdout},
                                      {"floods-stderr", AT_SOLVE, flood_stderr},
                                      {"escapes", AT_SOLVE, write_escapes},
                                      {"escapes-at-load", AT_LOAD, write_escapes_at_load},
                                      {"closes-files", AT_SOLVE, close_everything},
                                      {"limits-files", AT_SOLVE, limit_files},
                                      {"limits-time", AT_SOLVE, limit_time},
                                      {"limits-output", AT_SOLVE, limit_output},
                                      {"limits-memory", AT_SOLVE, limit_memory},
                                      {"rounds-up", AT_SOLVE, round_up},
                                      {"forgets-environment", AT_SOLVE, forget_environment},
                                      {"scribbles", AT_SOLVE, scribble},
                                      {0, AT_SOLVE, 0}};
