/* An IPASIR library that a timer interrupts. The handler jumps out of whatever is in progress,
 * often the callback for learned clauses, and solve goes on. With ASIDE, solve interrupts a
 * thread that only delivers clauses, and delivers a clause itself after each jump. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef ASIDE
enum { JUMPS = 100 };
#else
enum { JUMPS = 300 };
#endif

static sigjmp_buf start;
static volatile sig_atomic_t jumps;
static void *volatile learn_state;
static void (*volatile learn) (void *, int32_t *);

static void jump (int number) {
  jumps++;
  siglongjmp (start, number);
}

const char *ipasir_signature (void) { return "jumps"; }
void *ipasir_init (void) { return malloc (1); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int32_t lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int32_t lit) { (void) s, (void) lit; }

static void deliver (void) {
  int32_t clause[] = {1, 0};
  learn (learn_state, clause);
}

#ifndef ASIDE
static void set_timer (int microseconds) {
  struct itimerval timer;
  memset (&timer, 0, sizeof timer);
  timer.it_value.tv_usec = timer.it_interval.tv_usec = microseconds;
  setitimer (ITIMER_REAL, &timer, 0);
}

int ipasir_solve (void *s) {
  (void) s;
  signal (SIGALRM, jump);
  jumps = 0;
  sigsetjmp (start, 1);
  set_timer (jumps < JUMPS ? 200 : 0);
  while (jumps < JUMPS) deliver ();
  return 10;
}

#else
static atomic_int answered; /* jumps after which the other thread has delivered */
static atomic_int ready;    /* the thread knows where to jump */

static void *deliver_aside (void *unused) {
  sigsetjmp (start, 1);
  ready = 1;
  while (answered < jumps) sched_yield ();
  while (jumps < JUMPS) deliver ();
  return unused;
}

int ipasir_solve (void *s) {
  (void) s;
  pthread_t thread;
  jumps = answered = ready = 0;
  signal (SIGALRM, jump);
  if (pthread_create (&thread, 0, deliver_aside, 0)) abort ();
  while (!ready) sched_yield ();
  while (answered < JUMPS) {
    usleep (200);
    pthread_kill (thread, SIGALRM);
    while (jumps == answered) sched_yield ();
    deliver ();
    answered++;
  }
  pthread_join (thread, 0);
  return 10;
}
#endif

int32_t ipasir_val (void *s, int32_t lit) {
  (void) s;
  return lit;
}
int ipasir_failed (void *s, int32_t lit) {
  (void) s, (void) lit;
  return 0;
}
void ipasir_set_terminate (void *s, void *state, int (*terminate) (void *)) {
  (void) s, (void) state, (void) terminate;
}
void ipasir_set_learn (void *s, void *state, int most, void (*to) (void *, int32_t *)) {
  (void) s, (void) most;
  learn_state = state;
  learn = to;
}
