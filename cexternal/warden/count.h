/* How many processes a target may have. RLIMIT_NPROC would count those of the user, and
 * does not bind root. */
#ifndef IPAFUZZ_COUNT_H
#define IPAFUZZ_COUNT_H

#include <stddef.h>

/* Of all processes below a warden together. Those of a program do not wait to be counted, so
 * its limit leaves room for what it starts meanwhile. */
enum { IPAFUZZ_MOST_THREADS = 1024, IPAFUZZ_MOST_OF_PROGRAM = 512 };

/* Whether a process below this one may start another process or thread. */
int ipafuzz_may_start (void);

/* Whether there are more processes and threads of a program below this one than there may be. */
int ipafuzz_is_full (void);

/* Writes what the call started, or would have started. */
void ipafuzz_say_too_many (const char *call, int most, char *text, size_t size);

#endif
