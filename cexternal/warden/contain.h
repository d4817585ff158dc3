/* Keeping a target to its own files and processes. */
#ifndef IPAFUZZ_CONTAIN_H
#define IPAFUZZ_CONTAIN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Contains this process and what it starts: they may write only in the directory and in /dev/shm,
 * and cannot gain privileges. Returns a descriptor that delivers the system calls that wait for a
 * decision, or -1 if the kernel has none. Processes of a library wait before they start others;
 * those of a program do not, nor before they signal others, except its parent (the warden), the
 * process ipafuzz, or all. sendmsg does not wait if the upper half of its flags, which the kernel
 * ignores, is the token: in this way the process can pass the descriptor to its warden. */
int ipafuzz_contain (const char *directory, int is_library, uint32_t token, pid_t ipafuzz);

/* Whether the kernel has Landlock, which keeps a process from writing elsewhere. */
int ipafuzz_can_contain (void);

/* Returns the version of Landlock that the kernel has, or a number below 1. */
int ipafuzz_landlock_version (void);

#endif
