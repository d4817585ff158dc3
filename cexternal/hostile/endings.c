/* Ways to end, or to be ended, beside the call that runs. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

static void crash (void) { *(volatile int *) 8 = 1; }
static void spin (void) {
  for (volatile int i = 0;; i++) continue;
}
static void start (void *(*run) (void *) ) {
  pthread_t thread;
  if (!pthread_create (&thread, 0, run, 0)) pthread_detach (thread);
}
static void *exit_here (void *unused) {
  exit (3);
  return unused;
}
static void exit_in_thread (void) { start (exit_here), pause (); }
static void *wait_here (void *unused) {
  pause ();
  return unused;
}
/* The process goes on without its first thread. */
static void leave_main_thread (void) { start (wait_here), syscall (SYS_exit, 0); }
static int deeper (volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper (here) + here[0];
}
static void *overflow_here (void *unused) {
  volatile char here[1] = {0};
  solves += deeper (here);
  return unused;
}
static void overflow_in_thread (void) { start (overflow_here), pause (); }
static void overflow_soon (void) { start (overflow_here); }
static void kill_by_timer (void) {
  timer_t timer;
  struct sigevent event;
  memset (&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  const struct itimerspec soon = {{0, 0}, {0, 50000000}};
  if (timer_create (CLOCK_MONOTONIC, &event, &timer) || timer_settime (timer, 0, &soon, 0))
    abort ();
  pause ();
}
static void count_processor_time (void) {
  const struct itimerval soon = {{0, 0}, {0, 10000}};
  setitimer (ITIMER_VIRTUAL, &soon, 0);
  spin ();
}
static void signal_in_child (int number) {
  const pid_t above = getpid ();
  if (!fork ()) usleep (30000), kill (above, number), _exit (0);
}
static void be_killed (void) { signal_in_child (SIGKILL), pause (); }
static void be_stopped (void) { signal_in_child (SIGSTOP), pause (); }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void lock_twice (void) { pthread_mutex_lock (&lock), pthread_mutex_lock (&lock); }
static void register_deadlock (void) {
  static int registered;
  if (!registered++) atexit (lock_twice);
}
static void exit_badly (void) { _exit (5); }
static void fork_without_end (void) {
  for (;;) fork ();
}
static void return_after_vfork (void) {
  if (solves == 1) vfork ();
}

/* Crashes once no solve has begun for 0.1 ms: between two traces, perhaps of two batches. */
static void *crash_if_idle (void *unused) {
  for (int before = -1; solves != before; usleep (100)) before = solves;
  crash ();
  return unused;
}
static void crash_idle (void) {
  if (solves == 1) start (crash_if_idle);
}

/* In the worker of a search, the process has loaded the library itself. */
static pid_t loaded_in;
__attribute__ ((constructor)) static void note_process (void) { loaded_in = getpid (); }
static void die_otherwise (void) {
  if (getpid () == loaded_in) crash ();
  abort ();
}

const struct behaviour endings[] = {{"exits-in-thread", AT_SOLVE, exit_in_thread},
                                    {"leaves-main-thread", AT_SOLVE, leave_main_thread},
                                    {"overflow-in-thread", AT_SOLVE, overflow_in_thread},
                                    {"overflow-soon", AT_LOAD, overflow_soon},
                                    {"kills-by-timer", AT_SOLVE, kill_by_timer},
                                    {"counts-time", AT_SOLVE, count_processor_time},
                                    {"is-killed", AT_SOLVE, be_killed},
                                    {"is-stopped", AT_SOLVE, be_stopped},
                                    {"deadlock-in-atexit", AT_SOLVE, register_deadlock},
                                    {"exits-in-destructor", AT_EXIT, exit_badly},
                                    {"forks-in-destructor", AT_EXIT, fork_without_end},
                                    {"returns-after-vfork", AT_SOLVE, return_after_vfork},
                                    {"crashes-idle", AT_SOLVE, crash_idle},
                                    {"dies-otherwise", AT_SOLVE, die_otherwise},
                                    {0, AT_SOLVE, 0}};
