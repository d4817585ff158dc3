/* The executor: walks one binary trace, makes its calls, writes the answers.
 *
 * It checks every length and number of the trace before use. While a trace runs, it
 * allocates only for solvers of IPASIR-2 (ipasir2_layer.h) and for threads. For each
 * instance it tracks the state that the answers led to: it withholds a call that is
 * illegal in that state, and the answer says so.
 *
 * Words are 32 bits, little endian. layout.h has both layouts.
 */
#ifndef IPAFUZZ_EXEC_H
#define IPAFUZZ_EXEC_H

#include <stdint.h>

#include "layout.h"
#include "target.h"

/* An option that the user set for the target; every new solver gets it. */
struct ipafuzz_setting {
  const char *name, *value;
};

/* The progress of a run, for observers. */
struct ipafuzz_progress {
  volatile uint32_t call; /* the call in progress; the number of calls means the final release */
  volatile uint32_t answer_words; /* words of complete answers */
  /* 1 + the call in which the first one failed, or, if threads made calls, 1 + their first call;
   * 0: none */
  volatile uint32_t failed_allocation;
  volatile uint32_t failed_earlier; /* whether one failed in an earlier run of this process */
  volatile uint32_t in_init;        /* 1 + the call that makes the target's init run now; 0: none */
};

/* If left is n, the library's n-th allocation from here on fails; 0: none does. An option of the
 * trace sets left; the library never sees the option. */
#define IPAFUZZ_FAIL_ALLOCATION "ipafuzz.fail-allocation"
extern struct ipafuzz_failing {
  uint64_t left;
  struct ipafuzz_progress *progress;
  uint32_t together; /* 1 + the first call that threads make at the same time; 0: none does now */
  uint32_t ever;     /* whether one failed in this process */
  void (*interpose) (void); /* makes allocations fail; NULL: this process cannot */
} ipafuzz_failing;

/* After this option of a trace, each instance makes its calls in a thread of its own, and all
 * threads run at the same time. The library never sees the option. */
#define IPAFUZZ_THREADS "ipafuzz.threads"

/* Blames the call in progress in this thread, if the executor started the thread. Returns
 * whether it did. */
int ipafuzz_blame_this_thread (void);

enum {
  IPAFUZZ_OK = 0,
  IPAFUZZ_BAD_TRACE = 1,   /* not a trace of this version, or with inconsistent lengths */
  IPAFUZZ_WRONG_MODEL = 2, /* the target has another model */
  IPAFUZZ_NO_ROOM = 3      /* less space for answers than the trace demands */
};

int ipafuzz_exec (const struct ipafuzz_target *target, const struct ipafuzz_setting *settings,
                  uint32_t num_settings, const uint32_t *trace, uint64_t words, uint32_t *answers,
                  uint64_t room, struct ipafuzz_progress *progress);

#endif
