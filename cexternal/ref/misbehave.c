/* Crashes, hangs and leaks on demand. Variables are volatile, because a compiler that
 * sees undefined behaviour may omit the crash. */
#include "misbehave.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vector.h"

static int volatile endless = 1; /* never changes */

void ref_free_twice (void) {
  char *memory = ref_allocate_zeroed (24);
  char *volatile again = memory;
  free (memory);
  free (again);
}

void ref_corrupt_heap (void) {
  /* Too large for the thread's cache, so the second follows the first in memory
   * and glibc checks both when they are freed. */
  char *volatile buffer = ref_allocate_zeroed (2000);
  char *volatile neighbour = ref_allocate_zeroed (2000);
  size_t volatile too_much = 2000 + 64;
  memset (buffer, 0xff, too_much);
  free (neighbour);
  free (buffer);
}

void ref_leak (void) {
  char *volatile lost = ref_allocate_zeroed (4096);
  lost[0] = 1;
  lost = NULL;
}

void ref_index_below_zero (int32_t name) {
  int64_t volatile index = (int32_t) (2u * (uint32_t) name);
  int64_t *table = ref_allocate_zeroed (64);
  /* An index of -2 would still be on the heap. */
  if (index > -1024) index = INT32_MIN;
  *(volatile int64_t *) ((uintptr_t) table + (uintptr_t) (index * (int64_t) sizeof *table)) = 1;
  free (table);
}

void ref_read_null (void) {
  const int *volatile nothing = NULL;
  // cppcheck-suppress nullPointer
  (void) *(const volatile int *) nothing;
}

void ref_divide_by_zero (void) {
  int volatile sum = 1, zero = 0;
#if defined __x86_64__ || defined __i386__
  // cppcheck-suppress zerodiv
  int volatile average = sum / zero;
  (void) average;
#else
  if (!zero) raise (SIGFPE); /* other processors divide by zero silently */
#endif
}

void ref_touch_beyond_file (void) {
  FILE *spill = tmpfile ();
  if (!spill) abort ();
  char volatile *pages = mmap (NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno (spill), 0);
  if (pages == MAP_FAILED) abort ();
  pages[0] = 1;
}

static int descend (int volatile *above) {
  int volatile frame[256];
  frame[0] = *above + 1;
  return (endless ? descend (frame) : 0) + frame[0]; /* work after the call: no tail call */
}

void ref_overflow_stack (void) {
  int volatile bottom = 0;
  descend (&bottom);
}

void ref_eat_memory (void) {
  enum { STEP = 64 << 20 };
  for (;;) memset (ref_resize (NULL, STEP, 1), 0x55, STEP);
}

void ref_loop_forever (void) {
  while (endless) continue;
}

void ref_kill_self (void) { kill (getpid (), SIGKILL); }

void ref_exit_quietly (void) { exit (0); }

void ref_exit_complaining (const char *message) {
  fprintf (stderr, "c ERROR: %s\n", message);
  exit (3);
}

void ref_complain (int64_t solves) {
  fprintf (stderr, "ERROR: conflict at the root, but solve %lld began\n", (long long) solves);
}

void ref_fail_assertion (const char *file, int line, const char *text) {
  const char *slash = strrchr (file, '/');
  fprintf (stderr, "%s:%d: assertion `%s' failed\n", slash ? slash + 1 : file, line, text);
  abort ();
}

int ref_call_null (void *state) {
  int (*volatile nobody) (void *) = NULL;
  // cppcheck-suppress nullPointer
  return nobody (state);
}
