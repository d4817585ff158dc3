/* Waits for a semaphore that something outside its threads posts after half a second. */
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sem_t private_semaphore, *woken = &private_semaphore;

static void wake (int signal) {
  (void) signal;
  sem_post (woken);
}

static void wake_by_thread (union sigval unused) {
  (void) unused;
  sem_post (woken);
}

static void begin (void) {
#ifdef ALARM
  signal (SIGALRM, wake);
  struct itimerval soon = {{0, 0}, {0, 500000}};
  setitimer (ITIMER_REAL, &soon, 0);
#elif defined TIMER
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = wake_by_thread};
  struct itimerspec soon = {{0, 0}, {0, 500000000}};
  timer_t timer;
  timer_create (CLOCK_MONOTONIC, &event, &timer);
  timer_settime (timer, 0, &soon, 0);
#elif defined CHILD
  woken = mmap (0, sizeof *woken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init (woken, 1, 0);
  if (!fork ()) {
    usleep (500000);
    sem_post (woken);
    _exit (0);
  }
#endif
}

static void wait_for_it (void) {
  (void) wake, (void) wake_by_thread;
  begin ();
#ifdef LIMITED
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  sem_timedwait (woken, &until);
#else
  while (sem_wait (woken)) continue;
#endif
}

#define AT_SOLVE wait_for_it ()
#include "honest.h"
