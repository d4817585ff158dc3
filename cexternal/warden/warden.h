/* The warden: the parent of a process that ipafuzz starts.
 *
 * ipafuzz does not start a target itself. It starts this program again with a socket, and
 * the program becomes a warden before any of its other code runs. The warden adopts whatever
 * is orphaned below it and starts the target. It ends everything below it when the target
 * has ended, when ipafuzz says so, or when ipafuzz is gone: even after a SIGKILL, the socket
 * is closed then. Finally the warden ends as the target did.
 *
 * The first message on the socket is a struct ipafuzz_ward. Every later one to the warden
 * is a byte, the number of a signal for the target. The warden sends structs ipafuzz_word.
 */
#ifndef IPAFUZZ_WARDEN_H
#define IPAFUZZ_WARDEN_H

#include <stdint.h>

/* The environment variable that makes a process a warden: the number of the socket. */
#define IPAFUZZ_WARDEN_VARIABLE "IPAFUZZ_WARDEN_FD"

#define IPAFUZZ_WARDEN_MAGIC 0x52415749u /* "IWAR" */

enum { IPAFUZZ_WARD_TEXT = 16384, IPAFUZZ_WORD_TEXT = 232, IPAFUZZ_WARD_PATH = 4096 };

/* How a warden treats its target. */
enum {
  IPAFUZZ_WARD_SELF = 1,    /* the target is this program, which goes on in a child */
  IPAFUZZ_WARD_GROUP = 2,   /* the target has a process group of its own */
  IPAFUZZ_WARD_CONTAIN = 4, /* the target may harm only itself: contain.h says what it may do */
  IPAFUZZ_WARD_LIBRARY = 8, /* it is a library, which must not even try to write elsewhere */
  IPAFUZZ_WARD_ENTER = 16,  /* the target works in the directory */
  IPAFUZZ_WARD_FORKS = 32 /* the library runs in children of the target, which it must not signal */
};

struct ipafuzz_ward {
  uint32_t magic, flags;
  uint64_t cpu_seconds;              /* limit of each process; 0: none */
  uint64_t shared_bytes;             /* that objects of System V and files in /dev/shm may take; 0:
                                        any number */
  uint32_t num_variables;            /* how many environment variables text sets for the target */
  char directory[IPAFUZZ_WARD_PATH]; /* of the target alone, without symbolic links */
  char text[IPAFUZZ_WARD_TEXT];      /* the variables as NAME=VALUE, each with its NUL */
};

enum ipafuzz_word_kind {
  IPAFUZZ_STARTED = 1, /* number: an error of exec, or 0; pid: the target */
  IPAFUZZ_ENDED,       /* number: the wait status of the target */
  IPAFUZZ_VIOLATED,  /* text: a system call that is forbidden; it waits until the target is ended */
  IPAFUZZ_SIGNALLED, /* number: a signal to the warden from pid, a process below it */
  IPAFUZZ_REFUSED    /* text: a system call that failed because targets may not make it */
};

struct ipafuzz_word {
  uint32_t kind;
  int32_t pid, number;
  uint64_t cpu_nanos; /* that the target and everything below it have used; IPAFUZZ_ENDED */
  char text[IPAFUZZ_WORD_TEXT];
};

#endif
