/* The worker: a process that runs traces for ipafuzz.
 *
 * ipafuzz (the parent) and the worker share one memory file. The parent posts
 * batches of traces in a ring of slots, and the worker answers them in order. Both
 * sleep on futexes in the shared memory, so a target that closes every descriptor
 * does not break the connection. The layout, from the start:
 *
 *   struct ipafuzz_orders                   written by the parent, read-only in the worker
 *   tasks and traces of slot 0, of slot 1, ...                        likewise
 *   struct ipafuzz_control                  written by the worker
 *   records, stacks and answers of slot 0, of slot 1, ...             likewise
 *
 * The parent checks everything that it reads from the worker's part, because the
 * target may have overwritten it. What the worker needs in order to continue is in
 * the part that the target cannot overwrite by accident.
 */
#ifndef IPAFUZZ_WORKER_H
#define IPAFUZZ_WORKER_H

#include <stdint.h>

#include "exec.h"

#define IPAFUZZ_CONTROL_MAGIC 0x4b575049u /* "IPWK" */
#define IPAFUZZ_BEGUN 0x4e474542u         /* "BEGN" */

/* The environment variable that makes a process a worker: the file descriptor of the
 * shared memory. */
#define IPAFUZZ_WORKER_VARIABLE "IPAFUZZ_WORKER_FD"
/* Fork mode: the target has introduced itself, and every trace loads it. */
#define IPAFUZZ_LOADS_VARIABLE "IPAFUZZ_WORKER_LOADS"

/* Exit codes of the worker itself. The parent blames the target for them only if a call
 * was in progress. */
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

/* Where a thread was when it crashed. */
struct ipafuzz_stack {
  struct ipafuzz_frame frames[IPAFUZZ_FRAMES];
};

/* One trace of a batch, written by the parent. */
struct ipafuzz_task {
  uint64_t trace_offset;  /* bytes from the slot's first task */
  uint64_t trace_words;   /* 0: the batch ends here */
  uint64_t answer_offset; /* bytes from the slot's first record */
  uint64_t answer_room;   /* words */
  uint64_t seed;
};

/* The record of one trace, written by the worker. Its stack is elsewhere: few traces need one, and
 * without it the records of a batch are close together. */
struct ipafuzz_job {
  struct ipafuzz_progress progress;
  uint32_t begun; /* IPAFUZZ_BEGUN: the worker began the trace, and nothing wrote over this word */
  uint32_t finished;   /* ipafuzz_exec returned */
  int32_t result;      /* what it returned */
  int32_t wait_status; /* fork mode: how the child ended */
  uint32_t num_frames;
  int32_t signal, code;  /* of the crash that the handler caught; 0: none */
  uint32_t other_thread; /* 1: in a thread that does not make the calls */
  uint64_t address;
  uint64_t nanos;
  uint64_t output_from;   /* where its output begins in the output file */
  uint64_t output_to;     /* where it ends; fork mode and the last of a batch only */
  uint32_t output_cuts;   /* how often the output file was truncated before */
  uint32_t output_looked; /* 0: output_from was not measured; it is the previous trace's */
  int64_t heap_growth;
  uint64_t stack_offset; /* bytes from the record to its stack; written by the parent */
};

struct ipafuzz_orders {
  uint32_t magic;
  uint32_t bytes,
    control_bytes; /* sizes of the structs, so that different builds never misread each other */

  uint32_t mode, source, model;
  uint32_t bears_fork; /* 1: an earlier worker of the target has tried it */
  uint32_t slots, jobs_per_slot;
  uint32_t heap_stride; /* the heap is measured once in that many traces; 0: never */
  /* Of slot 0's tasks and traces, from the start of the memory. */
  uint64_t tasks_offset, tasks_bytes;
  uint64_t control_offset;          /* the worker may write from here on */
  uint64_t slot_offset, slot_bytes; /* of slot 0's records and answers */
  uint64_t total_bytes;
  uint64_t limit_file_size; /* 0: none */
  uint64_t limit_output;    /* of a trace; 0: none */
  uint32_t num_settings;
  uint32_t setting_name[IPAFUZZ_MAX_SETTINGS], setting_value[IPAFUZZ_MAX_SETTINGS]; /* into text */
  uint32_t path, setter; /* into text; setter: the function that sets options, or empty */
  uint32_t takes;        /* how to call the setter: an ipafuzz_takes */
  char text[IPAFUZZ_TEXT_BYTES];

  _Alignas(64) volatile uint32_t posted; /* number of batches; the worker sleeps on it */
  volatile uint32_t waiting;             /* 1: the parent sleeps on done, or is about to */
};

struct ipafuzz_control {
  _Alignas(64) volatile uint32_t done; /* number of batches; the parent sleeps on it */
  volatile uint32_t asleep;            /* 1: the worker sleeps on posted, or is about to */

  /* The progress of the worker. */
  _Alignas(64) volatile uint32_t hello;
  volatile uint32_t running; /* 1 while a trace runs */
  volatile uint32_t batch;   /* number of the batch in progress */
  volatile uint32_t job;     /* number of the trace in the batch */
  volatile int32_t child;    /* fork mode: the process that runs the trace */
  volatile uint64_t serial;  /* traces begun so far */
  /* Where the output of the trace in progress begins; written before the trace begins. */
  volatile uint64_t output_from;
  volatile uint32_t output_cuts; /* how often the output file was truncated */
  struct ipafuzz_job idle;       /* only of a crash between two batches */
  struct ipafuzz_stack idle_stack;

  /* The target. */
  uint32_t loads_each;              /* fork mode: every trace loads it anew */
  uint32_t capabilities;            /* bits IPAFUZZ_HAS_... */
  char message[IPAFUZZ_TEXT_BYTES]; /* why it was refused */
  char signature[IPAFUZZ_SIGNATURE_BYTES];
  char describe[IPAFUZZ_DESCRIBE_BYTES];
};

/* Runs the worker on the shared memory of descriptor fd; does not return. linked is the
 * table of a statically linked library, otherwise NULL. */
_Noreturn void ipafuzz_worker (int fd, const struct ipafuzz_target *linked);

#endif
