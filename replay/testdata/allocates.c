/* An IPASIR library that allocates memory. The variable of a unit clause chooses how. If it gets
 * no memory, the next solve returns 0, which reports the error. With variable 9, it copies a text
 * by strdup, whose memory the C library allocates, and uses memory without a check. If there is no
 * memory for a solver, init returns NULL. */
#define _GNU_SOURCE 1
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int failed; /* not for solvers in other threads */

static void take (void *memory) {
  if (!memory) failed = 1;
  free (memory);
}

const char *ipasir_signature (void) { return "allocates"; }

void *ipasir_init (void) {
  failed = 0;
  char *memory = malloc (100);
  if (!memory) return 0;
  memset (memory, 1, 100);
  return memory;
}

void ipasir_release (void *solver) { free (solver); }

void ipasir_add (void *solver, int32_t lit) {
  (void) solver;
  void *memory = 0;
  switch (lit) {
  case 1: take (malloc (10)); break;
  case 2: take (calloc (3, 10)); break;
  case 3: {
    char *small = malloc (1);
    if (!small) abort ();
    void *large = realloc (small, 1000);
    if (!large) {
      failed = 1;
      large = small;
    }
    free (large);
    break;
  }
  case 4:
    if (posix_memalign (&memory, 64, 64)) failed = 1;
    free (memory);
    break;
  case 5: take (aligned_alloc (64, 64)); break;
  case 6: take (memalign (64, 64)); break;
  case 7: take (reallocarray (0, 3, 10)); break;
  case 9:
    free (strdup ("a copy"));
    memory = malloc (10);
    *(volatile char *) memory = 1;
    free (memory);
    break;
  default: break;
  }
}

void ipasir_assume (void *solver, int32_t lit) { (void) solver, (void) lit; }

int ipasir_solve (void *solver) {
  (void) solver;
  const int was = failed;
  failed = 0;
  return was ? 0 : 10;
}

int32_t ipasir_val (void *solver, int32_t lit) {
  (void) solver;
  return lit;
}

int ipasir_failed (void *solver, int32_t lit) {
  (void) solver, (void) lit;
  return 0;
}
