/* The baseline of speed measurements: the executor in a plain C loop, without fork or
 * checks. Usage: cloop LIBRARY FILE ROUNDS; LIBRARY is a path or "ref", FILE a sequence of
 * binary traces, each after its number of words. Prints the nanoseconds of all rounds, by
 * the clock and of the CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec.h"
#include "load.h"
#include "ref.h"

static double now (clockid_t clock) {
  struct timespec t;
  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

int main (int argc, char **argv) {
  FILE *file = argc == 4 ? fopen (argv[2], "rb") : 0;
  if (!file) return 2;
  fseek (file, 0, SEEK_END);
  const long size = ftell (file);
  rewind (file);
  uint32_t *words = malloc ((size_t) size), *answers = malloc (1 << 22);
  if (!words || !answers || fread (words, 1, (size_t) size, file) != (size_t) size) return 2;
  const uint32_t *end = words + size / 4, model = words[1 + IPAFUZZ_HEAD_MODEL];
  struct ipafuzz_target target = {0};
  memset (&target, 0, sizeof target);
  char buffer[4096];
  if (!strcmp (argv[1], "ref"))
    target = *ref_target (model);
  else if (ipafuzz_load (argv[1], model, "", &target, buffer, sizeof buffer))
    return 4;
  struct ipafuzz_progress progress;
  const double begin = now (CLOCK_MONOTONIC), begin_cpu = now (CLOCK_PROCESS_CPUTIME_ID);
  for (int round = atoi (argv[3]); round > 0; round--)
    for (const uint32_t *p = words; p < end; p += 1 + *p)
      if (ipafuzz_exec (&target, 0, 0, p + 1, *p, answers, 1 << 20, &progress)) return 3;
  printf ("\n%.0f %.0f\n", now (CLOCK_MONOTONIC) - begin,
          now (CLOCK_PROCESS_CPUTIME_ID) - begin_cpu);
  return 0;
}
