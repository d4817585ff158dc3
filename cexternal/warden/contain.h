/* Keeping a target to its own files and processes. */
#ifndef IPAFUZZ_CONTAIN_H
#define IPAFUZZ_CONTAIN_H

#include <stddef.h>
#include <sys/types.h>

/* Contains this process and what it starts: it may write only in the directory, and has no
 * privileges to gain. Returns a descriptor of system calls that wait for a decision, or -1
 * if the kernel has no such thing. The processes of a library wait before they start others;
 * those of a program do not. */
int ipafuzz_contain (const char *directory, int is_library);

/* Whether the kernel can keep a process from writing elsewhere (Landlock). */
int ipafuzz_can_contain (void);

/* Decides about the system call that waits longest. If it is forbidden, writes what it is
 * into text, leaves it waiting, and returns 1. The processes below that number may signal
 * one another. */
int ipafuzz_decide (int calls, pid_t above, const char *directory, int is_library, char *text,
                    size_t size);

#endif
