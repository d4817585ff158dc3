/* An IPASIR library that gives a wrong answer in every third process (or as EVERY says): the first,
 * the fourth and so on. It imitates a failure that happens by chance. */
#include "../../testdata/inert.h"
#include <pthread.h>
#include <sys/mman.h>

#ifndef EVERY
#define EVERY 3
#endif

static int *processes; /* of all processes forked from the one that loaded the library */
static pthread_once_t counted = PTHREAD_ONCE_INIT; /* a thread waits for the one that counts */

__attribute__ ((constructor)) static void share (void) {
  processes =
    mmap (0, sizeof *processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void count (void) { ++*processes; }

const char *ipasir_signature (void) { return "thirds"; }
void *ipasir_init (void) {
  pthread_once (&counted, count);
  return malloc (1);
}
int ipasir_solve (void *s) {
  (void) s;
  return *processes % EVERY == 1 ? 20 : 10;
}
