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

#include "target.h"

#define IPAFUZZ_TRACE_MAGIC 0x5a465049u /* "IPFZ" */
#define IPAFUZZ_TRACE_VERSION 1u

/* Words of a trace's header. */
enum {
  IPAFUZZ_H_MAGIC,
  IPAFUZZ_H_VERSION,
  IPAFUZZ_H_MODEL,
  IPAFUZZ_H_WORDS,     /* of the part that the executor walks, this header included */
  IPAFUZZ_H_CALLS,     /* number of calls */
  IPAFUZZ_H_INSTANCES, /* number of instances */
  IPAFUZZ_H_VARS,      /* words of the tables of variables behind this header */
  IPAFUZZ_H_ANSWERS,   /* words that the answers take at the most */
  IPAFUZZ_H_LEARNED,   /* of these, the room for learned clauses */
  IPAFUZZ_H_NOTES,     /* bytes of notes behind the executor's part */
  IPAFUZZ_H_WANT,      /* words of expectations behind the notes */
  IPAFUZZ_H_RESERVED,
  IPAFUZZ_HEADER_WORDS
};

/* Word 0 of a call: operation | flags << 8 | instance << 16; word 1: the number
 * of argument words that follow. */
enum { IPAFUZZ_FLAG_OPEN = 1, IPAFUZZ_FLAG_OFF = 2 };

/* Word 0 of an answer: kind | strange << 4 | payload words << 8. */
enum { IPAFUZZ_ANSWERED = 1, IPAFUZZ_WITHHELD = 2, IPAFUZZ_UNSUPPORTED = 3, IPAFUZZ_STRANGE = 16 };

/* Words of a solve's payload, before the captured learned clauses. */
enum {
  IPAFUZZ_S_STATUS,
  IPAFUZZ_S_NANOS_LOW,
  IPAFUZZ_S_NANOS_HIGH,
  IPAFUZZ_S_POLLS,       /* calls of the terminate callback */
  IPAFUZZ_S_POLLS_AFTER, /* of these, after it had first said stop */
  IPAFUZZ_S_LEARNED,     /* calls of the learn callback */
  IPAFUZZ_S_ODD,         /* of these, with a clause longer than allowed */
  IPAFUZZ_S_WORDS
};

enum { IPAFUZZ_SIGNATURE_BYTES = 256, IPAFUZZ_MAX_INSTANCES = 4096 };

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
