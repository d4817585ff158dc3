/* The baseline of speed measurements: the executor in a plain C loop, without fork or
 * checks. Usage: cloop FILE ROUNDS; FILE is a sequence of binary traces, each after its
 * number of words. Prints the nanoseconds of all rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "exec.h"
#include "ref.h"

static double now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

int main (int argc, char **argv) {
  FILE *file = argc == 3 ? fopen (argv[1], "rb") : 0;
  if (!file) return 2;
  fseek (file, 0, SEEK_END);
  const long size = ftell (file);
  rewind (file);
  uint32_t *words = malloc ((size_t) size), *answers = malloc (1 << 22);
  if (!words || !answers || fread (words, 1, (size_t) size, file) != (size_t) size) return 2;
  const uint32_t *end = words + size / 4;
  struct ipafuzz_progress progress;
  const double begin = now ();
  for (int round = atoi (argv[2]); round > 0; round--)
    for (const uint32_t *p = words; p < end; p += 1 + *p) {
      const struct ipafuzz_target *target =
        p[1 + IPAFUZZ_HEAD_MODEL] == IPAFUZZ_IPASIR ? &ref_ipasir_target : &ref_ipamir_target;
      if (ipafuzz_exec (target, 0, 0, p + 1, *p, answers, 1 << 20, &progress)) return 3;
    }
  printf ("%.0f\n", now () - begin);
  return 0;
}
