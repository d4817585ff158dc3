/* What processes share by name or number, and what would outlive them: objects of System V
 * and files in /dev/shm. */
#ifndef IPAFUZZ_SHARED_H
#define IPAFUZZ_SHARED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes an object of System V for a process that asks for one with that key (shmget, semget or
 * msgget). Its key is private: only processes below the warden find it by the key. Returns its
 * number or a negative error; sets *go_on if the kernel itself must answer the call. */
int64_t ipafuzz_get_object (int call, const uint64_t *args, int *go_on);

/* Whether the call changes an object of System V that the target did not make. */
int ipafuzz_changes_object (int call, const uint64_t *args);

/* Records that the target is about to make a file in /dev/shm. */
void ipafuzz_note_file (const char *path);

/* Forgets files that existed before and still do: the target has opened them, not made them. The
 * user may replace them, so the warden must not remember their names for long. */
void ipafuzz_settle_files (void);

/* Whether the target has made such objects or may have made such files. */
int ipafuzz_has_shared (void);

/* Returns the bytes of memory that these objects and files take, mapped or not. */
uint64_t ipafuzz_shared_bytes (void);

/* Removes the objects and files of the target that still exist. */
void ipafuzz_remove_shared (void);

#endif
