/* An IPASIR library with two defects: two threads of each solve write to one variable, and each
 * solve gives up. */
#include <pthread.h>
#define ipafuzz_describe unused /* giving up is not allowed */
#include "inert.h"

static int shared;

static void *count (void *unused) {
  shared++;
  return unused;
}

const char *ipasir_signature (void) { return "racer"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  pthread_t one, other;
  pthread_create (&one, 0, count, 0), pthread_create (&other, 0, count, 0);
  pthread_join (one, 0), pthread_join (other, 0);
  return 0;
}
