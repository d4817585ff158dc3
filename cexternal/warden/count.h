/* Limits on the processes of a target. RLIMIT_NPROC would count all processes of the user,
 * and does not bind root. */
#ifndef IPAFUZZ_COUNT_H
#define IPAFUZZ_COUNT_H

#include <stddef.h>

/* The limits, for all processes below a warden together. Processes of a program do not wait
 * to be counted, so its limit leaves room for those that it starts before the next count. */
enum { IPAFUZZ_MOST_THREADS = 1024, IPAFUZZ_MOST_OF_PROGRAM = 512 };

/* Whether a process below this one may start another process or thread. */
int ipafuzz_may_start (void);

/* Whether a program has all the processes and threads below this one that it may have. */
int ipafuzz_is_full (void);

/* Writes into text that the call started, or would have started, too many processes. */
void ipafuzz_say_too_many (const char *call, int most, char *text, size_t size);

#endif
