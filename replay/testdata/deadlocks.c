#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;

#ifdef THREADS
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void *lock_both (void *barrier) {
  pthread_mutex_lock (&second);
  pthread_barrier_wait (barrier);
  pthread_mutex_lock (&first);
  return 0;
}
#endif

static void lock (void) {
#ifdef THREADS /* the other one waits for the first, and the caller waits for the other to end */
  pthread_barrier_t both;
  pthread_barrier_init (&both, 0, 2);
  pthread_t other;
  pthread_create (&other, 0, lock_both, &both);
  pthread_mutex_lock (&first);
  pthread_barrier_wait (&both);
  pthread_join (other, 0);
#else
  pthread_mutex_lock (&first);
  pthread_mutex_lock (&first);
#endif
}

#define AT_SOLVE lock ()
#include "honest.h"
