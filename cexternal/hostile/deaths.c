/* Ways to die, and to pretend to die. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hostile.h"

static void crash (void) { *(volatile int *) 8 = 1; }
static void die_by_abort (void) { abort (); }
static void divide (void) {
  volatile int zero = 0;
  solves /= zero;
}
static void run_illegal_code (void) { __builtin_trap (); }
static void trap (void) { raise (SIGTRAP); }
static void meet_bus_error (void) {
  FILE *file = tmpfile ();
  char *page = file ? mmap (0, 4096, PROT_READ, MAP_SHARED, fileno (file), 0) : MAP_FAILED;
  if (page == MAP_FAILED) raise (SIGBUS);
  solves += page[0]; /* the file is empty */
}
static int deeper (volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper (here) + here[0];
}
static void overflow_the_stack (void) {
  volatile char here[1] = {0};
  solves += deeper (here);
}
static void free_twice (void) {
  void *volatile p = malloc (40);
  free (p);
  free (p);
}
static void exit_well (void) { exit (0); }
static void exit_badly (void) { exit (7); }
static void exit_at_once (void) { _exit (0); }
static void exit_as_worker (void) { _exit (125); }
static void kill_itself (void) { kill (getpid (), SIGKILL); }
static void terminate_itself (void) { kill (getpid (), SIGTERM); }
static void stop_itself (void) { kill (getpid (), SIGSTOP); }
static void hang_up (void) { kill (getpid (), SIGHUP); }
static void set_alarm (void) { alarm (1), pause (); }
static void *crash_here (void *unused) {
  crash ();
  return unused;
}
static void crash_in_thread (void) {
  pthread_t thread;
  if (!pthread_create (&thread, 0, crash_here, 0)) pthread_join (thread, 0);
}
static void end_the_thread (void) { pthread_exit (0); }
static void handle (int signal) { (void) signal, _exit (0); }
static void hide_crash (void) {
  signal (SIGSEGV, handle);
  crash ();
}
static void return_forever (int signal) { (void) signal; }
static void crash_forever (void) {
  signal (SIGSEGV, return_forever);
  crash ();
}

const struct behaviour deaths[] = {{"segfault", AT_SOLVE, crash},
                                   {"abort", AT_SOLVE, die_by_abort},
                                   {"division", AT_SOLVE, divide},
                                   {"illegal-code", AT_SOLVE, run_illegal_code},
                                   {"trap", AT_SOLVE, trap},
                                   {"bus-error", AT_SOLVE, meet_bus_error},
                                   {"stack-overflow", AT_SOLVE, overflow_the_stack},
                                   {"double-free", AT_SOLVE, free_twice},
                                   {"exit-0", AT_SOLVE, exit_well},
                                   {"exit-7", AT_SOLVE, exit_badly},
                                   {"exit-at-once", AT_SOLVE, exit_at_once},
                                   {"exit-as-worker", AT_SOLVE, exit_as_worker},
                                   {"kills-itself", AT_SOLVE, kill_itself},
                                   {"terminates-itself", AT_SOLVE, terminate_itself},
                                   {"stops-itself", AT_SOLVE, stop_itself},
                                   {"hangs-up", AT_SOLVE, hang_up},
                                   {"alarm", AT_SOLVE, set_alarm},
                                   {"thread-crash", AT_SOLVE, crash_in_thread},
                                   {"thread-exit", AT_SOLVE, end_the_thread},
                                   {"hidden-crash", AT_SOLVE, hide_crash},
                                   {"endless-crash", AT_SOLVE, crash_forever},
                                   {"crash-at-load", AT_LOAD, crash},
                                   {"exit-at-load", AT_LOAD, exit_well},
                                   {"crash-at-exit", AT_EXIT, crash},
                                   {"abort-at-exit", AT_EXIT, die_by_abort},
                                   {"crash-in-signature", AT_SIGNATURE, crash},
                                   {"crash-in-init", AT_INIT, crash},
                                   {"crash-in-release", AT_RELEASE, crash},
                                   {0, AT_SOLVE, 0}};
