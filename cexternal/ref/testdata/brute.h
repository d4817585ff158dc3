/* Correct answers, by enumerating all assignments of at most 12 variables, 64 at a time.
 * Independent of the solver. */
#ifndef BRUTE_H
#define BRUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { MAX_VARIABLES = 12, WORDS = 1 << (MAX_VARIABLES - 6) };

/* A set of assignments: bit a tells whether it contains assignment a, in which variable v
 * is true if bit v of a is set. Literals are 2 * v + sign. */
struct set {
  uint64_t words[WORDS];
};

static inline struct set set_of_literal (int literal) {
  static const uint64_t patterns[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                       0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
  struct set set;
  int variable = literal >> 1;
  for (int i = 0; i < WORDS; i++) {
    uint64_t word = variable < 6 ? patterns[variable] : (i >> (variable - 6) & 1 ? UINT64_MAX : 0);
    set.words[i] = literal & 1 ? ~word : word;
  }
  return set;
}

static inline void set_fill (struct set *set) { memset (set, 0xff, sizeof *set); }

static inline void set_keep (struct set *set, const struct set *other) {
  for (int i = 0; i < WORDS; i++) set->words[i] &= other->words[i];
}

static inline void set_keep_literal (struct set *set, int literal) {
  struct set of_literal = set_of_literal (literal);
  set_keep (set, &of_literal);
}

/* Returns the assignments that satisfy the clause. */
static inline struct set set_of_clause (const int *literals, int count) {
  struct set falsified;
  set_fill (&falsified);
  for (int i = 0; i < count; i++) set_keep_literal (&falsified, literals[i] ^ 1);
  for (int i = 0; i < WORDS; i++) falsified.words[i] = ~falsified.words[i];
  return falsified;
}

static inline bool set_is_empty (const struct set *set) {
  for (int i = 0; i < WORDS; i++)
    if (set->words[i]) return false;
  return true;
}

static inline bool set_has (const struct set *set, unsigned assignment) {
  return set->words[assignment >> 6] >> (assignment & 63) & 1;
}

static inline bool set_implies (const struct set *set, const int *literals, int count) {
  struct set clause = set_of_clause (literals, count);
  for (int i = 0; i < WORDS; i++)
    if (set->words[i] & ~clause.words[i]) return false;
  return true;
}

static inline uint64_t cost_of (const uint64_t *weights, int variables, unsigned assignment) {
  uint64_t cost = 0;
  for (int v = 0; v < variables; v++) cost += weights[2 * v + !(assignment >> v & 1)];
  return cost;
}

/* Returns the least cost in a nonempty set; only the used variables count. */
static inline uint64_t least_cost (const struct set *set, const uint64_t *weights, int variables) {
  uint64_t least = UINT64_MAX;
  for (unsigned a = 0; a < 1u << variables; a++)
    if (set_has (set, a)) {
      uint64_t cost = cost_of (weights, variables, a);
      least = cost < least ? cost : least;
    }
  return least;
}

#endif
