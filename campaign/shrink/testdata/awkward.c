// An IPAMIR library with faults that are hard to reduce. SLOW: two soft literals make a
// solve endless, an assumption makes it slow. CHANCE: a solve with a hard clause aborts
// in about one of ODDS runs, after NAP microseconds, and with FIXED in all runs where the
// addresses (1), the contents of new memory (2) or the processor (3) are fixed.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <time.h>
#include <unistd.h>

struct solver {
  int softs, assumptions, clauses;
};

const char *ipamir_signature (void) { return "awkward"; }
void *ipamir_init (void) { return calloc (1, sizeof (struct solver)); }
void ipamir_release (void *s) { free (s); }
void ipamir_add_hard (void *s, int32_t lit) { ((struct solver *) s)->clauses += !lit; }
void ipamir_add_soft_lit (void *s, int32_t lit, uint64_t weight) {
  (void) lit, (void) weight;
  ((struct solver *) s)->softs++;
}
void ipamir_assume (void *s, int32_t lit) {
  (void) lit;
  ((struct solver *) s)->assumptions++;
}
uint64_t ipamir_val_obj (void *s) {
  (void) s;
  return 0;
}
int32_t ipamir_val_lit (void *s, int32_t lit) {
  (void) s;
  return -lit;
}
void ipamir_set_terminate (void *s, void *data, int (*terminate) (void *)) {
  (void) s, (void) data, (void) terminate;
}

#ifdef CHANCE
// True in one of ODDS calls, always in the same order: the length of a file counts the
// earlier calls of all processes.
static int chance (void) {
  int file = open (CHANCE, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || write (file, "", 1) != 1) _exit (99);
  uint32_t calls = lseek (file, 0, SEEK_END) * 0x9e3779b9u;
  close (file);
  return ((calls ^ calls >> 15) * 0x85ebca6bu >> 16) % ODDS == 0;
}
#endif

#ifdef FIXED
static int is_fixed (void) {
#if FIXED == 1
  return !!(personality (0xffffffff) & ADDR_NO_RANDOMIZE);
#elif FIXED == 2
  unsigned char *fresh = malloc (64);
  __asm__ volatile("" : : "r"(fresh) : "memory"); // as if it were written to
  int patterned = fresh[48] == 0xaa && fresh[60] == 0xaa;
  free (fresh);
  return patterned;
#else
  cpu_set_t set;
  return !sched_getaffinity (0, sizeof set, &set) && CPU_COUNT (&set) == 1;
#endif
}
#endif

int ipamir_solve (void *solver) {
  struct solver *s = solver;
#ifdef SLOW
  static volatile int busy;
  while (s->softs > 1) busy++;
  if (s->assumptions)
    for (clock_t end = clock () + 3 * CLOCKS_PER_SEC / 10; clock () < end;) busy++;
#endif
#ifdef CHANCE
  if (s->clauses && chance ()) {
#ifdef NAP
    usleep (NAP);
#endif
    abort ();
  }
#endif
#ifdef FIXED
  if (s->clauses && is_fixed ()) abort ();
#endif
  s->assumptions = 0;
  return 0; // gave up
}
