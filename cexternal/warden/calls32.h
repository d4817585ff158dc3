/* The system calls of 32-bit programs, which have other numbers. */
#ifndef IPAFUZZ_CALLS32_H
#define IPAFUZZ_CALLS32_H

/* A call of a 32-bit program. */
struct ipafuzz_call32 {
  int number;
  const char *name;
  /* The call of calls.h whose arguments mean the same, by its name. 0: the call reaches what a
   * 32-bit program does without, since no filter sees its arguments. */
  const char *like;
};

/* The calls that wait for a decision if those that they are like do. */
extern const struct ipafuzz_call32 ipafuzz_watched32[];
extern const int ipafuzz_num_watched32;

/* The calls that a kernel need not have, and which no 32-bit program gets. */
extern const int ipafuzz_missing32[];
extern const int ipafuzz_num_missing32;

/* The call that makes all calls on sockets. Its first argument is which one. */
extern const int ipafuzz_socketcall;

/* Returns the call with that number, or 0. */
const struct ipafuzz_call32 *ipafuzz_call32_of (int number);

#endif
