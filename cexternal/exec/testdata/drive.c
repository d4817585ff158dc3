/* Runs binary traces through the executor on the built-in library: each as it is,
 * truncated, and with flipped bits. Built with sanitizers, whose reports are the
 * only failures.
 *
 *   drive [-m MUTANTS] FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec.h"
#include "ref.h"

enum { MOST_ANSWERS = 1 << 20 };

static uint64_t state = 0x9e3779b97f4a7c15u; /* fixed, so every run is the same */
static unsigned long runs, refused;

static uint32_t draw (uint32_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t) (state >> 32) % below;
}

/* Every trace, and its answers, have memory of exactly their size, so an access beyond
 * either is detected. */
static void run (const uint32_t *words, size_t count, int strict) {
  if (!strict && count > IPAFUZZ_HEAD_ANSWERS && words[IPAFUZZ_HEAD_ANSWERS] > MOST_ANSWERS) return;
  const size_t room = count > IPAFUZZ_HEAD_ANSWERS ? words[IPAFUZZ_HEAD_ANSWERS] : 0;
  const uint32_t model = count > IPAFUZZ_HEAD_MODEL ? words[IPAFUZZ_HEAD_MODEL] : 0;
  uint32_t *trace = malloc (count * sizeof *trace + !count);
  uint32_t *answers = malloc (room * sizeof *answers + !room);
  struct ipafuzz_progress progress;
  if (!trace || !answers) abort ();
  if (count) memcpy (trace, words, count * sizeof *trace);
  const int result =
    ipafuzz_exec (ref_target (model), 0, 0, trace, count, answers, room, &progress);
  runs++;
  refused += result != IPAFUZZ_OK;
  if (strict && result != IPAFUZZ_OK) {
    fprintf (stderr, "drive: a generated trace is refused with %d\n", result);
    exit (1);
  }
  for (uint32_t i = 0; result == IPAFUZZ_OK && i < progress.answer_words;)
    i += 1 + (answers[i] >> 8);
  free (trace);
  free (answers);
}

static void mutate (const uint32_t *words, size_t count) {
  uint32_t *copy = malloc (count * sizeof *copy);
  if (!copy) abort ();
  memcpy (copy, words, count * sizeof *copy);
  if (draw (3)) {
    for (uint32_t flips = 1 + draw (4); flips; flips--)
      copy[draw ((uint32_t) count)] ^= 1u << draw (32);
    run (copy, count, 0);
  } else {
    run (copy, draw ((uint32_t) count), 0);
  }
  free (copy);
}

static void file (const char *path, int mutants) {
  FILE *in = fopen (path, "rb");
  uint32_t *words = malloc (1 << 22);
  if (!in || !words) {
    perror (path);
    exit (1);
  }
  const size_t count = fread (words, sizeof *words, (1 << 22) / sizeof *words, in);
  fclose (in);
  if (count < IPAFUZZ_HEAD_WORDS) {
    fprintf (stderr, "drive: %s is not a binary trace\n", path);
    exit (1);
  }
  run (words, count, 1);
  for (int i = 0; i < mutants; i++) mutate (words, count);
  free (words);
}

int main (int argc, char **argv) {
  int mutants = 4;
  for (int i = 1; i < argc; i++)
    if (!strcmp (argv[i], "-m") && i + 1 < argc)
      mutants = atoi (argv[++i]);
    else
      file (argv[i], mutants);
  printf ("%lu runs, %lu refused\n", runs, refused);
  return 0;
}
