/* Decisions about the system calls of a contained target. */
#ifndef IPAFUZZ_DECIDE_H
#define IPAFUZZ_DECIDE_H

#include <stddef.h>
#include <sys/types.h>

/* What a target may do. The processes below the warden may signal one another; those that run a
 * library may not signal what is fewer than first generations below the warden. */
struct ipafuzz_rules {
  pid_t above; /* the warden */
  const char *directory;
  int is_library, first;
};

/* Decides about the system call that has waited longest. If the call is forbidden, writes its
 * description into text, leaves it waiting, and returns IPAFUZZ_VIOLATED. If ipafuzz shall know
 * that the call has failed, writes its description, too, and returns IPAFUZZ_REFUSED. Else returns
 * 0. */
int ipafuzz_decide (int calls, const struct ipafuzz_rules *, char *text, size_t size);

#endif
