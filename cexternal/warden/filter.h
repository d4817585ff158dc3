/* The filter that lets system calls wait for a decision. */
#ifndef IPAFUZZ_FILTER_H
#define IPAFUZZ_FILTER_H

#include <stdint.h>
#include <sys/types.h>

/* Installs the filter for this process and what it starts; landlock is the version of Landlock in
 * force. See ipafuzz_contain for the other arguments and the result. */
int ipafuzz_watch (int is_library, int landlock, uint32_t token, pid_t ipafuzz);

#endif
