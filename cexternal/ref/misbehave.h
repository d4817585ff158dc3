/* What planted defects do to the process. A solver without defects never calls
 * these functions. */
#ifndef REF_MISBEHAVE_H
#define REF_MISBEHAVE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

void ref_free_twice (void);   /* glibc aborts */
void ref_corrupt_heap (void); /* glibc aborts, or the process dies later */
void ref_leak (void);         /* 4 KiB */
void ref_index_below_zero (int32_t name);
void ref_read_null (void);
void ref_divide_by_zero (void);
void ref_touch_beyond_file (void); /* SIGBUS */
void ref_overflow_stack (void);
void ref_eat_memory (void); /* 64 MiB a step, endlessly */
void ref_loop_forever (void);
void ref_kill_self (void);                       /* SIGKILL */
void ref_exit_quietly (void);                    /* exit code 0 */
void ref_exit_complaining (const char *message); /* exit code 3 */
void ref_fail_assertion (const char *file, int line, const char *text);
void ref_complain (int64_t solves); /* writes to stderr and returns */
int ref_call_null (void *state);    /* as the terminate callback */

#pragma GCC visibility pop

#endif
