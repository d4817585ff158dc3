/* The system calls that wait for a decision of the warden. */
#ifndef IPAFUZZ_CALLS_H
#define IPAFUZZ_CALLS_H

/* The meaning of a call's argument. THREAD is PROCESS, FILE_FD is PATH and PROCESS_FD is PROCESS
 * in a call that only a library waits for. ADDRESS is the address of a socket, and MESSAGE a
 * struct msghdr that names one. GET makes an object of System V, OBJECT is the number of one. */
enum {
  NONE,
  PATH,
  PATH_AT,
  FILE_FD,
  PROCESS,
  THREAD,
  PROCESS_FD,
  ALWAYS,
  FAMILY,
  ADDRESS,
  MESSAGE,
  GET,
  OBJECT,
  COUNT
};

enum { IPAFUZZ_MOST_WATCHED = 96 };

/* flags is the argument that says whether open writes. Of calls with two paths, the warden
 * checks the second one, too. */
struct ipafuzz_call {
  int number;
  const char *name;
  int kind, argument, flags, second;
};

extern const struct ipafuzz_call ipafuzz_watched[];
extern const int ipafuzz_num_watched;

/* Returns the call with that number, or 0. */
const struct ipafuzz_call *ipafuzz_call_of (int number);

/* Whether the call follows symbolic links; other calls are about the link itself. */
int ipafuzz_follows (int number);

/* Whether a call with one path makes a file, always. */
int ipafuzz_makes (int number);

/* Whether Landlock of that version alone refuses what the call may not do. */
int ipafuzz_is_refused (const struct ipafuzz_call *, int landlock);

/* Whether the call waits, in a library or a program, with that version of Landlock in force. */
int ipafuzz_waits (const struct ipafuzz_call *, int is_library, int landlock);

#endif
