/* Starts a thread as soon as it is loaded. Solve hands its work to that thread, and aborts
 * (clause 666). */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t wanted, done;
static int answer;

static void *work (void *unused) {
  (void) unused;
  for (;;) {
    sem_wait (&wanted);
    answer = 30;
    sem_post (&done);
  }
  return 0;
}

__attribute__ ((constructor)) static void begin (void) {
  pthread_t thread;
  sem_init (&wanted, 0, 0);
  sem_init (&done, 0, 0);
  pthread_create (&thread, 0, work, 0);
}

static int ask (void) {
  sem_post (&wanted);
  sem_wait (&done);
  return answer;
}

#define AT_SOLVE abort ()
#define STATUS ask ()
#include "honest.h"
