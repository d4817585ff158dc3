/* The worker: a process that runs traces for ipafuzz.
 *
 * ipafuzz (the parent) and the worker share one memory file. The parent posts
 * batches of traces in a ring of slots and the worker answers them in order;
 * both sleep on futexes in the shared memory, so a target that closes every
 * descriptor does not cut the connection. The layout, from the start:
 *
 *   struct ipafuzz_orders                   written by the parent, read only in the worker
 *   tasks and traces of slot 0, of slot 1, ...                        likewise
 *   struct ipafuzz_control                  written by the worker
 *   records and answers of slot 0, of slot 1, ...                     likewise
 *
 * The parent believes nothing of the worker's part without checking it: the
 * target may have written over it. What the worker itself needs in order to go
 * on stands in the part that the target cannot write to by accident.
 */
#ifndef IPAFUZZ_WORKER_H
#define IPAFUZZ_WORKER_H

#include <stdint.h>

#include "exec.h"

#define IPAFUZZ_CONTROL_MAGIC 0x4b575049u /* "IPWK" */
#define IPAFUZZ_BEGUN 0x4e474542u         /* "BEGN" */

/* The environment variable that makes a process a worker: the number of the
 * descriptor of the shared memory. */
#define IPAFUZZ_WORKER_VARIABLE "IPAFUZZ_WORKER_FD"

/* Exit codes of a worker that failed for a reason of its own. None of them is
 * ever taken for an act of the target unless a call was in progress. */
enum { IPAFUZZ_EXIT_QUIT = 0, IPAFUZZ_EXIT_SETUP = 125 };

enum ipafuzz_hello { IPAFUZZ_STARTING, IPAFUZZ_READY, IPAFUZZ_REFUSED };

enum ipafuzz_mode { IPAFUZZ_PERSISTENT, IPAFUZZ_FORK };

enum ipafuzz_source { IPAFUZZ_LIBRARY, IPAFUZZ_BUILT_IN, IPAFUZZ_STATIC };

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

/* One trace of a batch, as the parent orders it. */
struct ipafuzz_task {
  uint64_t trace_offset;  /* bytes from the slot's first task */
  uint64_t trace_words;   /* 0: the batch ends here */
  uint64_t answer_offset; /* bytes from the slot's first record */
  uint64_t answer_room;   /* words */
  uint64_t seed;
};

/* And what the worker leaves of it. */
struct ipafuzz_job {
  struct ipafuzz_progress progress;
  uint32_t begun;      /* IPAFUZZ_BEGUN: the worker has come to it, and nobody wrote over that */
  uint32_t finished;   /* ipafuzz_exec returned */
  int32_t result;      /* and what it returned */
  int32_t wait_status; /* fork mode: how the child ended */
  uint32_t num_frames;
  int32_t signal, code;  /* a crash that was caught, 0 when none */
  uint32_t other_thread; /* 1: it was not in the thread that makes the calls */
  uint64_t address;
  uint64_t nanos;
  uint64_t output_from;   /* where its output begins in the output file */
  uint64_t output_to;     /* fork mode, and the last of a batch: and where it ends */
  uint32_t output_cuts;   /* how often the output file had been cut before */
  uint32_t output_looked; /* 0: output_from was not measured, it is that of the trace before */
  int64_t heap_growth;
  struct ipafuzz_frame frames[IPAFUZZ_FRAMES];
};

struct ipafuzz_orders {
  uint32_t magic;
  uint32_t bytes, control_bytes; /* of the structs, so that two builds never misread each other */

  uint32_t mode, source, model;
  uint32_t slots, jobs_per_slot;
  uint32_t heap_stride; /* every so many traces the heap is measured; 0: never */
  uint64_t tasks_offset,
    tasks_bytes;                    /* of slot 0's tasks and traces, from the start of the memory */
  uint64_t control_offset;          /* from here on the worker may write */
  uint64_t slot_offset, slot_bytes; /* of slot 0's records and answers */
  uint64_t total_bytes;
  uint64_t limit_address_space, limit_file_size; /* 0: none */
  uint32_t num_settings;
  uint32_t setting_name[IPAFUZZ_MAX_SETTINGS], setting_value[IPAFUZZ_MAX_SETTINGS]; /* into text */
  uint32_t path;                                                                    /* into text */
  char text[IPAFUZZ_TEXT_BYTES];

  _Alignas(64) volatile uint32_t posted; /* batches; the worker sleeps on it */
  volatile uint32_t quit;                /* set before the last ring of posted */
};

struct ipafuzz_control {
  _Alignas(64) volatile uint32_t done; /* batches; the parent sleeps on it */

  /* Where the worker is. */
  _Alignas(64) volatile uint32_t hello;
  volatile uint32_t running; /* 1 while a trace runs */
  volatile uint32_t batch;   /* number of the batch in progress, counted as done is */
  volatile uint32_t job;     /* number of the trace in the batch */
  volatile int32_t child;    /* fork mode: the process that runs the trace */
  volatile uint64_t serial;  /* traces begun so far */
  volatile uint64_t
    output_from; /* where the output of the last one begins; written before it is begun */
  volatile uint32_t output_cuts; /* how often the output file has been cut */

  /* What the target is. */
  uint32_t capabilities;            /* bits IPAFUZZ_HAS_... */
  char message[IPAFUZZ_TEXT_BYTES]; /* why it was refused */
  char signature[IPAFUZZ_SIGNATURE_BYTES];
  char describe[IPAFUZZ_DESCRIBE_BYTES];
};

/* Runs the worker on the shared memory behind fd; does not return. The target
 * is already filled in when the library is linked statically, else NULL. */
_Noreturn void ipafuzz_worker (int fd, const struct ipafuzz_target *linked);

#endif
