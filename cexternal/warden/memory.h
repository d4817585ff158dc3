/* Reads what the arguments of system calls point to. */
#ifndef IPAFUZZ_MEMORY_H
#define IPAFUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads memory of a process; returns how many bytes it could read. */
size_t ipafuzz_read (pid_t pid, uint64_t address, void *to, size_t size);

/* Whether a process has made its memory and its descriptors unreadable for other processes. */
int ipafuzz_is_hidden (pid_t pid);

/* Reads a text of a process, cut to the size. Returns 0 if there is none or it is empty. */
int ipafuzz_read_text (pid_t pid, uint64_t address, char *to, size_t size);

/* Resolves a path as a process does, which may be relative to a directory that it has opened, to
 * one of PATH_MAX bytes. The last part may not exist. Returns 0 if its directory does not exist, or
 * if it leads to a descriptor of something that has no path. */
int ipafuzz_resolve (pid_t pid, int at, const char *path, int follow, char *result);

int ipafuzz_is_below (const char *path, const char *directory);

#endif
