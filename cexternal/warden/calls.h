/* The system calls that wait for a decision of the warden. */
#ifndef IPAFUZZ_CALLS_H
#define IPAFUZZ_CALLS_H

/* The meaning of a call's argument. THREAD and PROCESS_FD name a process, too, and FILE_FD a
 * file, in calls that only a library always waits for. PRIORITY is a process, a group or a user, as
 * the argument before says. ADDRESS is the address of a socket, and MESSAGE a struct msghdr with
 * such an address. IOCTL and OWNER are requests of ioctl and fcntl that change a file, or say who
 * gets signals. GET makes an object of System V; OBJECT is the number of one. */
enum {
  NONE,
  PATH,
  PATH_AT,
  FILE_FD,
  PROCESS,
  THREAD,
  PRIORITY,
  PROCESS_FD,
  ALWAYS,
  IOCTL,
  OWNER,
  FAMILY,
  ADDRESS,
  MESSAGE,
  GET,
  OBJECT,
  COUNT
};

enum { IPAFUZZ_MOST_WATCHED = 96 };

/* flags is the argument that says whether open writes. second is the second path, which the
 * warden checks, too. */
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

/* Whether the call is about its descriptor if its path is empty or missing. */
int ipafuzz_takes_descriptor (int number);

/* Whether a call with one path makes a file, always. */
int ipafuzz_makes (int number);

/* Whether Landlock of that version refuses, without the warden, what the call may not do. */
int ipafuzz_is_refused (const struct ipafuzz_call *, int landlock);

/* Whether the call waits, in a library or a program, with that version of Landlock in force. */
int ipafuzz_waits (const struct ipafuzz_call *, int is_library, int landlock);

#endif
