/* A thread kills the process long after the solver was released. */
#include <pthread.h>
#include <unistd.h>

static void *wait_and_kill (void *nothing) {
  (void) nothing;
  usleep (DELAY);
  _exit (9);
}

static void light (void) {
  pthread_t thread;
  pthread_create (&thread, 0, wait_and_kill, 0);
}

#define AT_SOLVE light ()
#include "honest.h"
