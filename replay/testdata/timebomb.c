/* A thread kills the process long after the solver was released: END says how. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef END
#define END _exit (9)
#endif

static void *wait_and_kill (void *nothing) {
  (void) nothing;
  usleep (DELAY);
  END;
}

static void light (void) {
  pthread_t thread;
  pthread_create (&thread, 0, wait_and_kill, 0);
}

#define AT_SOLVE light ()
#include "honest.h"
