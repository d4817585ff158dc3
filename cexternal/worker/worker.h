/* The worker: a process that runs traces for ipafuzz.
 *
 * ipafuzz (the parent) and the worker share one memory file. The parent posts
 * batches of traces in a ring of slots and the worker answers them in order;
 * both sleep on futexes in the shared memory, so a target that closes every
 * descriptor does not cut the connection. The layout, from the start:
 *
 *   struct ipafuzz_control          one page group, written by both
 *   slot 0: struct ipafuzz_job[jobs_per_slot], then the space for answers
 *   slot 1: ...
 *   traces of slot 0, traces of slot 1, ...   (read only in the worker)
 *
 * The parent believes nothing that stands here without checking it: the target
 * may have written over all but the traces.
 */
#ifndef IPAFUZZ_WORKER_H
#define IPAFUZZ_WORKER_H

#include <stdint.h>

#include "exec.h"

#define IPAFUZZ_CONTROL_MAGIC 0x4b575049u /* "IPWK" */

/* The environment variable that makes a process a worker: the number of the
 * descriptor of the shared memory. */
#define IPAFUZZ_WORKER_VARIABLE "IPAFUZZ_WORKER_FD"

/* Exit codes of a worker that failed for a reason of its own. None of them is
 * ever taken for an act of the target unless a call was in progress. */
enum { IPAFUZZ_EXIT_QUIT = 0, IPAFUZZ_EXIT_SETUP = 125 };

enum ipafuzz_hello { IPAFUZZ_STARTING, IPAFUZZ_READY, IPAFUZZ_REFUSED };

enum ipafuzz_mode { IPAFUZZ_PERSISTENT, IPAFUZZ_FORK };

enum ipafuzz_source { IPAFUZZ_LIBRARY, IPAFUZZ_BUILT_IN, IPAFUZZ_STATIC };

/* What of the target is there, for the description. */
enum {
  IPAFUZZ_HAS_TERMINATE = 1,
  IPAFUZZ_HAS_LEARN = 2,
  IPAFUZZ_HAS_OPTIONS = 4,
  IPAFUZZ_HAS_HAVOC = 8
};

enum {
  IPAFUZZ_MAX_SETTINGS = 64,
  IPAFUZZ_TEXT_BYTES = 4096,
  IPAFUZZ_DESCRIBE_BYTES = 65536,
  IPAFUZZ_FRAMES = 24,
  IPAFUZZ_MODULE_BYTES = 104
};

struct ipafuzz_frame {
  uint64_t offset;
  char module[IPAFUZZ_MODULE_BYTES];
};

/* One trace of a batch: the parent's words, then the worker's. */
struct ipafuzz_job {
  uint64_t trace_offset; /* bytes from the start of the slot's traces */
  uint64_t trace_words;
  uint64_t answer_offset; /* bytes from the start of the slot */
  uint64_t answer_room;   /* words */
  uint64_t seed;

  struct ipafuzz_progress progress;
  uint32_t finished; /* ipafuzz_exec returned */
  int32_t result;    /* and what it returned */
  int32_t wait_status; /* fork mode: how the child ended */
  uint32_t num_frames;
  int32_t signal, code; /* a crash that was caught, 0 when none */
  uint64_t address;
  uint64_t nanos;
  uint64_t output_from, output_to; /* fork mode: where its output lies in the output file */
  int64_t heap_growth;
  struct ipafuzz_frame frames[IPAFUZZ_FRAMES];
};

struct ipafuzz_control {
  uint32_t magic;
  uint32_t bytes; /* of this struct, so that two builds never misread each other */

  /* Set by the parent before the worker starts. */
  uint32_t mode, source, model;
  uint32_t slots, jobs_per_slot;
  uint32_t measure_heap;
  uint64_t slot_bytes, slot_offset;     /* of slot 0, from the start of the memory */
  uint64_t traces_bytes, traces_offset; /* of slot 0's traces */
  uint64_t total_bytes;
  uint64_t limit_address_space, limit_file_size; /* 0: none */
  uint32_t num_settings;
  uint32_t setting_name[IPAFUZZ_MAX_SETTINGS], setting_value[IPAFUZZ_MAX_SETTINGS]; /* into text */
  uint32_t path; /* into text */
  char text[IPAFUZZ_TEXT_BYTES];

  /* The doorbells: both count batches. */
  _Alignas (64) volatile uint32_t posted;
  _Alignas (64) volatile uint32_t done;
  volatile uint32_t quit; /* set before the last ring of posted */

  /* Where the worker is. */
  _Alignas (64) volatile uint32_t hello;
  volatile uint32_t running; /* 1 while a trace runs */
  volatile uint32_t batch;   /* number of the batch in progress, counted as done is */
  volatile uint32_t job;     /* number of the trace in the batch */
  volatile int32_t child;    /* fork mode: the process that runs the trace */
  volatile uint64_t serial;  /* traces begun so far */

  /* What the target is. */
  uint32_t capabilities;
  char message[IPAFUZZ_TEXT_BYTES]; /* why it was refused */
  char signature[IPAFUZZ_SIGNATURE_BYTES];
  char describe[IPAFUZZ_DESCRIBE_BYTES];
};

/* Runs the worker on the shared memory behind fd; does not return. The target
 * is already filled in when the library is linked statically, else NULL. */
_Noreturn void ipafuzz_worker (int fd, const struct ipafuzz_target *linked);

#endif
