/* Checks a proof in LRAT text over at most 16 variables; a clause is a set of literals in
 * one word. Independent of the solver. */
#ifndef LRAT_H
#define LRAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { LRAT_INPUTS = 2048, LRAT_CLAUSES = 1 << 15, LRAT_HINTS = 256 };

struct lrat {
  uint32_t clauses[LRAT_CLAUSES]; /* by id, from 1 */
  bool is_live[LRAT_CLAUSES];
  int32_t inputs;
  size_t read; /* characters of the text */
  int lines;
  int32_t id, hints[LRAT_HINTS]; /* of the line */
  int hint_count;
};

static inline void lrat_open (struct lrat *lrat) {
  lrat->inputs = lrat->lines = 0;
  lrat->read = 0;
  for (int i = 0; i < LRAT_CLAUSES; i++) lrat->is_live[i] = false;
}

static inline void lrat_input (struct lrat *lrat, uint32_t clause) {
  if (++lrat->inputs >= LRAT_INPUTS) abort ();
  lrat->clauses[lrat->inputs] = clause;
  lrat->is_live[lrat->inputs] = true;
}

/* Reads numbers up to a zero. */
static inline int lrat_numbers (char **text, int32_t *numbers, int limit) {
  int count = 0;
  for (;;) {
    int32_t number = (int32_t) strtol (*text, text, 10);
    if (!number) return count;
    if (count == limit) abort ();
    numbers[count++] = number;
  }
}

/* Reads a line. Returns the number of literals, or -1 for a deletion. */
static inline int lrat_next_lemma (struct lrat *lrat, const char *text, int32_t literals[64]) {
  char *next = (char *) text + lrat->read;
  lrat->lines++;
  lrat->id = (int32_t) strtol (next, &next, 10);
  bool is_deletion = next[1] == 'd';
  next += is_deletion ? 2 : 0;
  int count = is_deletion ? -1 : lrat_numbers (&next, literals, 64);
  lrat->hint_count = lrat_numbers (&next, lrat->hints, LRAT_HINTS);
  for (int i = 0; is_deletion && i < lrat->hint_count; i++) lrat->is_live[lrat->hints[i]] = false;
  lrat->read = (size_t) (next + 1 - text);
  return count;
}

/* Returns NULL and adds the clause if it follows by the hints of the line. */
static inline const char *lrat_check_lemma (struct lrat *lrat, uint32_t lemma) {
  const uint32_t positive = 0x55555555;
  uint32_t falsified = lemma;
  bool conflict = false;
  for (int i = 0; i < lrat->hint_count; i++) {
    int32_t id = lrat->hints[i];
    if (id < 1 || id >= LRAT_CLAUSES || !lrat->is_live[id]) return "unknown hint";
    if (conflict) return "hint after the conflict";
    uint32_t rest = lrat->clauses[id] & ~falsified;
    uint32_t negation = (rest & positive) << 1 | (rest & ~positive) >> 1;
    if (rest & (rest - 1)) return "hint is not a unit";
    if (negation & falsified) return "hint is satisfied";
    conflict = !rest;
    falsified |= negation;
  }
  if (!conflict) return "no conflict";
  if (lrat->id <= LRAT_INPUTS || lrat->id >= LRAT_CLAUSES || lrat->is_live[lrat->id])
    return "bad id";
  lrat->clauses[lrat->id] = lemma;
  lrat->is_live[lrat->id] = true;
  return NULL;
}

#endif
