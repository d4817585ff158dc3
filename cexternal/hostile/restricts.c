/* What correct libraries may do to themselves: restrict the process, or steer it. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"

/* Installs a filter for this thread, as sandboxes do, that refuses calls no solver needs. */
static void filter_calls (void) {
  if (solves > 1) return;
  struct sock_filter code[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 2, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) abort ();
}
/* Keeps this process from opening any more files. */
static void lock_files (void) {
  if (solves > 1) return;
  const struct landlock_ruleset_attr all = {.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE |
                                                                 LANDLOCK_ACCESS_FS_READ_FILE |
                                                                 LANDLOCK_ACCESS_FS_READ_DIR};
  const int rules = (int) syscall (SYS_landlock_create_ruleset, &all, sizeof all, 0);
  if (rules < 0) return; /* the kernel has no Landlock */
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (syscall (SYS_landlock_restrict_self, rules, 0)) abort ();
  close (rules);
}
static void steer_the_process (void) {
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl (PR_SET_PDEATHSIG, 0, 0, 0, 0);
  prctl (PR_SET_NAME, "x) S 1 (", 0, 0, 0);
}
/* Computes in the threads of OpenMP, if the machine has its library. */
static void compute (void *sum) { __atomic_fetch_add ((int *) sum, 1, __ATOMIC_SEQ_CST); }
static void use_openmp (void) {
  void (*parallel) (void (*) (void *), void *, unsigned, unsigned);
  void *library = dlopen ("libgomp.so.1", RTLD_NOW);
  if (!library) return;
  void *found = dlsym (library, "GOMP_parallel");
  if (!found) return;
  *(void **) &parallel = found;
  int sum = 0;
  parallel (compute, &sum, 4, 0);
  if (!sum) abort ();
}

const struct behaviour restricts[] = {{"filters-calls", AT_SOLVE, filter_calls},
                                      {"locks-files", AT_SOLVE, lock_files},
                                      {"steers-the-process", AT_SOLVE, steer_the_process},
                                      {"uses-openmp", AT_SOLVE, use_openmp},
                                      {0, AT_SOLVE, 0}};
