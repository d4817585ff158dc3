/* The system calls that wait for a decision of the warden. */
#ifndef IPAFUZZ_CALLS_H
#define IPAFUZZ_CALLS_H

/* The meaning of a call's argument. THREAD is PROCESS, FILE_FD is PATH and PROCESS_FD is PROCESS
 * in a call that only a library waits for. */
enum { NONE, PATH, PATH_AT, FILE_FD, PROCESS, THREAD, PROCESS_FD, ALWAYS, FAMILY, COUNT };

enum { IPAFUZZ_MOST_WATCHED = 64 };

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

/* Whether the call waits, in a library or a program, with that version of Landlock in force. */
int ipafuzz_waits (const struct ipafuzz_call *, int is_library, int landlock);

#endif
