/* How processes are related, and what their descriptors are. */
#ifndef IPAFUZZ_DESCENT_H
#define IPAFUZZ_DESCENT_H

#include <sys/types.h>

/* Returns how many generations a process is below another one, 0 for that one itself, or -1 if it
 * is not below it. */
int ipafuzz_depth (pid_t pid, pid_t above);

/* Whether two numbers are threads of one process. */
int ipafuzz_same_process (pid_t one, pid_t other);

/* Returns the process that a pidfd of a process names; 0 if that one has ended. */
pid_t ipafuzz_process_of (pid_t pid, int fd);

#endif
