/* An IPASIR library whose timer interrupts it: the handler leaves by longjmp whatever is in
 * progress, often the callback for learned clauses, and solve goes on. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { JUMPS = 300 };

static sigjmp_buf start;
static volatile sig_atomic_t jumps;
static void *volatile learn_state;
static void (*volatile learn) (void *, int32_t *);

static void jump (int number) {
  jumps++;
  siglongjmp (start, number);
}

static void set_timer (int microseconds) {
  struct itimerval timer;
  memset (&timer, 0, sizeof timer);
  timer.it_value.tv_usec = timer.it_interval.tv_usec = microseconds;
  setitimer (ITIMER_REAL, &timer, 0);
}

const char *ipasir_signature (void) { return "jumps"; }
void *ipasir_init (void) { return malloc (1); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int32_t lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int32_t lit) { (void) s, (void) lit; }

int ipasir_solve (void *s) {
  (void) s;
  signal (SIGALRM, jump);
  jumps = 0;
  sigsetjmp (start, 1);
  set_timer (jumps < JUMPS ? 200 : 0);
  while (jumps < JUMPS) {
    int32_t clause[] = {1, 0};
    learn (learn_state, clause);
  }
  return 10;
}

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
