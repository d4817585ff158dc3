/* The executor: walks one binary trace, makes its calls, writes the answers.
 *
 * It allocates nothing while a trace runs, trusts nothing that the trace says
 * (every length and number is checked before it is used) and keeps, per
 * instance, the state that the answers led to: a call that is illegal in that
 * state is withheld and marked so, never made and never dropped in silence.
 *
 * Words are 32 bits, little endian. docs/trace-format.md has both layouts.
 */
#ifndef IPAFUZZ_EXEC_H
#define IPAFUZZ_EXEC_H

#include <stdint.h>

#include "layout.h"
#include "target.h"

/* Options that the user set for a target, applied to every new solver. */
struct ipafuzz_setting {
  const char *name, *value;
};

/* Where the run is, for whoever watches it from outside. */
struct ipafuzz_progress {
  volatile uint32_t call;         /* the call in progress; the number of calls: the final release */
  volatile uint32_t answer_words; /* the answers that are complete */
};

enum {
  IPAFUZZ_OK = 0,
  IPAFUZZ_BAD_TRACE = 1,   /* not a trace of this version, or its lengths do not add up */
  IPAFUZZ_WRONG_MODEL = 2, /* the target serves another model */
  IPAFUZZ_NO_ROOM = 3      /* the space for answers is smaller than the trace says */
};

int ipafuzz_exec (const struct ipafuzz_target *target, const struct ipafuzz_setting *settings,
                  uint32_t num_settings, const uint32_t *trace, uint64_t words, uint32_t *answers,
                  uint64_t room, struct ipafuzz_progress *progress);

#endif
