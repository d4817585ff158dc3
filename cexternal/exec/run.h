/* A run of the executor: what the files of this folder share. */
#ifndef IPAFUZZ_RUN_H
#define IPAFUZZ_RUN_H

#include <stdint.h>

#include "exec.h"
#include "layout.h"

/* The value of run.only that stands for all instances. */
#define IPAFUZZ_EVERY UINT32_MAX

struct run;

/* One solver of the trace. It is also the state of the callbacks, so a callback that
 * a library calls late or for the wrong solver is counted there. The answer of the solve
 * that called it for the wrong solver says so, too. */
struct instance {
  void *solver;
  struct run *run;      /* the one that makes its calls */
  const uint32_t *vars; /* in order of first occurrence */
  uint32_t num_vars;
  uint8_t state;
  uint8_t touched; /* a call has named it; the first call implies init */
  uint8_t stop_armed, learn_armed;
  uint32_t stop_at; /* the callback asks to stop from this call on; 0: never */
  uint32_t polls, polls_after;
  uint32_t learn_bound, learned, odd;
};

/* The state of the executor, or of one of its threads, while it makes calls. */
struct run {
  const struct ipafuzz_target *target;
  const struct ipafuzz_setting *settings;
  uint32_t num_settings;
  const uint32_t *end; /* of the calls */
  uint32_t calls, num_instances;
  uint32_t only; /* the instance whose calls are made, or IPAFUZZ_EVERY */
  uint32_t call; /* in progress */
  uint32_t *answers;
  uint32_t used, room, learn_room;
  const struct instance *solving; /* the only one whose learned clauses are captured */
  struct ipafuzz_progress *progress;
};

/* A call of the trace. */
struct place {
  const uint32_t *p;
  uint32_t call;
};

int ipafuzz_walk (struct place from, struct run *as);

/* The same, with the calls of each instance in a thread of its own. */
int ipafuzz_walk_in_threads (struct place from, struct run *as, struct instance *instances);

/* Waits a moment for another thread before a call, so that calls overlap. */
void ipafuzz_meet (const struct run *run);

/* Reports whether the operation accepts the argument words. */
int ipafuzz_is_well_formed (uint32_t op, uint32_t flags, const uint32_t *args, uint32_t count,
                            const struct instance *in);

/* Returns the number of payload words for that many values of two bits. */
static inline uint32_t ipafuzz_value_words (uint32_t count) {
  return (count + IPAFUZZ_VALUES_PER_WORD - 1) / IPAFUZZ_VALUES_PER_WORD;
}

/* Returns the maximal number of words of an answer. They must be free before the call. */
uint32_t ipafuzz_answer_bound (uint32_t op, const uint32_t *args, uint32_t count);

#endif
