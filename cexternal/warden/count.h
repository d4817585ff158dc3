/* How many processes a target may have. RLIMIT_NPROC would count those of the user, and
 * does not bind root. */
#ifndef IPAFUZZ_COUNT_H
#define IPAFUZZ_COUNT_H

#include <stddef.h>

/* Of all processes below a warden together. */
enum { IPAFUZZ_MOST_THREADS = 1024 };

/* Whether a process below this one may start another process or thread. */
int ipafuzz_may_start (void);

/* Whether there are as many as there may be below this process. */
int ipafuzz_is_full (void);

/* Writes what the call would have started. */
void ipafuzz_say_too_many (const char *call, char *text, size_t size);

#endif
