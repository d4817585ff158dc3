/* Random sessions with one or more solvers; every answer is checked. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct random {
  uint64_t state;
};

static inline uint64_t draw (struct random *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* Returns a number from 0 to count - 1. */
static inline int pick (struct random *random, int count) {
  return (int) (draw (random) % (uint64_t) count);
}

/* The first fault of the session: its class and a description. */
extern char session_fault[256];
extern bool session_verbose;

/* Runs a session; returns false on a fault. models: bit 0 IPASIR, bit 1 IPAMIR. */
bool run_session (uint64_t seed, const char *defect, unsigned models);

#endif
