#include "calls.h"

#include <sys/syscall.h>

#ifndef __NR_fchmodat2 /* older headers lack it */
#define __NR_fchmodat2 452
#endif

const struct ipafuzz_call ipafuzz_watched[] = {
#ifdef __NR_open
  {__NR_open, "open", PATH, 0, 1, 0},
#endif
#ifdef __NR_creat
  {__NR_creat, "creat", PATH, 0, 0, 0},
#endif
  {__NR_openat, "openat", PATH_AT, 0, 2, 0},
  {__NR_truncate, "truncate", PATH, 0, 0, 0},
#ifdef __NR_unlink
  {__NR_unlink, "unlink", PATH, 0, 0, 0},
#endif
#ifdef __NR_rmdir
  {__NR_rmdir, "rmdir", PATH, 0, 0, 0},
#endif
  {__NR_unlinkat, "unlinkat", PATH_AT, 0, 0, 0},
#ifdef __NR_rename
  {__NR_rename, "rename", PATH, 0, 0, 1},
#endif
#ifdef __NR_renameat
  {__NR_renameat, "renameat", PATH_AT, 0, 0, 2},
#endif
  {__NR_renameat2, "renameat2", PATH_AT, 0, 0, 2},
#ifdef __NR_mkdir
  {__NR_mkdir, "mkdir", PATH, 0, 0, 0},
#endif
  {__NR_mkdirat, "mkdirat", PATH_AT, 0, 0, 0},
#ifdef __NR_symlink
  {__NR_symlink, "symlink", PATH, 1, 0, 0},
#endif
  {__NR_symlinkat, "symlinkat", PATH_AT, 1, 0, 0},
#ifdef __NR_link
  {__NR_link, "link", PATH, 1, 0, 0},
#endif
  {__NR_linkat, "linkat", PATH_AT, 2, 0, 0},
#ifdef __NR_chmod
  {__NR_chmod, "chmod", PATH, 0, 0, 0},
#endif
  {__NR_fchmodat, "fchmodat", PATH_AT, 0, 0, 0},
#ifdef __NR_chown
  {__NR_chown, "chown", PATH, 0, 0, 0},
#endif
  {__NR_fchownat, "fchownat", PATH_AT, 0, 0, 0},
#ifdef __NR_mknod
  {__NR_mknod, "mknod", PATH, 0, 0, 0},
  {__NR_lchown, "lchown", PATH, 0, 0, 0},
  {__NR_utime, "utime", PATH, 0, 0, 0},
  {__NR_utimes, "utimes", PATH, 0, 0, 0},
  {__NR_futimesat, "futimesat", PATH_AT, 0, 0, 0},
#endif
  {__NR_mknodat, "mknodat", PATH_AT, 0, 0, 0},
  {__NR_utimensat, "utimensat", PATH_AT, 0, 0, 0},
  {__NR_fchmodat2, "fchmodat2", PATH_AT, 0, 0, 0},
  {__NR_fchmod, "fchmod", FILE_FD, 0, 0, 0},
  {__NR_fchown, "fchown", FILE_FD, 0, 0, 0},
  {__NR_ioctl, "ioctl", IOCTL, 0, 0, 0},
  {__NR_fcntl, "fcntl", OWNER, 2, 0, 0},
  {__NR_kill, "kill", PROCESS, 0, 0, 0},
  {__NR_tkill, "tkill", PROCESS, 0, 0, 0},
  {__NR_tgkill, "tgkill", PROCESS, 0, 0, 0},
  {__NR_rt_sigqueueinfo, "rt_sigqueueinfo", PROCESS, 0, 0, 0},
  {__NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", PROCESS, 0, 0, 0},
  {__NR_prlimit64, "prlimit64", PROCESS, 0, 0, 0},
  {__NR_setpriority, "setpriority", PRIORITY, 1, 0, 0},
  {__NR_sched_setaffinity, "sched_setaffinity", THREAD, 0, 0, 0},
  {__NR_sched_setscheduler, "sched_setscheduler", THREAD, 0, 0, 0},
  {__NR_sched_setparam, "sched_setparam", THREAD, 0, 0, 0},
  {__NR_sched_setattr, "sched_setattr", THREAD, 0, 0, 0},
  {__NR_ioprio_set, "ioprio_set", PRIORITY, 1, 0, 0},
  {__NR_pidfd_send_signal, "pidfd_send_signal", PROCESS_FD, 0, 0, 0},
  {__NR_pidfd_getfd, "pidfd_getfd", PROCESS_FD, 0, 0, 0},
  {__NR_process_vm_writev, "process_vm_writev", PROCESS, 0, 0, 0},
  {__NR_ptrace, "ptrace", PROCESS, 1, 0, 0},
  {__NR_mount, "mount", ALWAYS, 0, 0, 0},
  {__NR_umount2, "umount2", ALWAYS, 0, 0, 0},
  {__NR_reboot, "reboot", ALWAYS, 0, 0, 0},
  {__NR_clock_settime, "clock_settime", ALWAYS, 0, 0, 0},
  {__NR_socket, "socket", FAMILY, 0, 0, 0},
  {__NR_connect, "connect", ADDRESS, 1, 0, 0},
  {__NR_bind, "bind", ADDRESS, 1, 0, 0},
  {__NR_sendto, "sendto", ADDRESS, 4, 0, 0},
  {__NR_sendmsg, "sendmsg", MESSAGE, 1, 0, 0},
  {__NR_sendmmsg, "sendmmsg", MESSAGE, 1, 0, 0},
  {__NR_shmget, "shmget", GET, 0, 0, 0},
  {__NR_semget, "semget", GET, 0, 0, 0},
  {__NR_msgget, "msgget", GET, 0, 0, 0},
  {__NR_shmat, "shmat", OBJECT, 0, 0, 0},
  {__NR_shmctl, "shmctl", OBJECT, 0, 0, 0},
  {__NR_semctl, "semctl", OBJECT, 0, 0, 0},
  {__NR_semop, "semop", OBJECT, 0, 0, 0},
  {__NR_semtimedop, "semtimedop", OBJECT, 0, 0, 0},
  {__NR_msgsnd, "msgsnd", OBJECT, 0, 0, 0},
  {__NR_msgrcv, "msgrcv", OBJECT, 0, 0, 0},
  {__NR_msgctl, "msgctl", OBJECT, 0, 0, 0},
  {__NR_clone, "clone", COUNT, 0, 0, 0},
#ifdef __NR_fork
  {__NR_fork, "fork", COUNT, 0, 0, 0},
  {__NR_vfork, "vfork", COUNT, 0, 0, 0},
#endif
};

const int ipafuzz_num_watched = sizeof ipafuzz_watched / sizeof *ipafuzz_watched;
_Static_assert(sizeof ipafuzz_watched / sizeof *ipafuzz_watched <= IPAFUZZ_MOST_WATCHED, "more");

const struct ipafuzz_call *ipafuzz_call_of (int number) {
  for (int i = 0; i < ipafuzz_num_watched; i++)
    if (ipafuzz_watched[i].number == number) return ipafuzz_watched + i;
  return 0;
}

int ipafuzz_follows (int number) {
  switch (number) {
#ifdef __NR_open
  case __NR_open:
#endif
#ifdef __NR_creat
  case __NR_creat:
#endif
#ifdef __NR_chmod
  case __NR_chmod:
  case __NR_chown:
  case __NR_utime:
  case __NR_utimes:
  case __NR_futimesat:
#endif
  case __NR_openat:
  case __NR_truncate:
  case __NR_fchmodat:
  case __NR_fchmodat2:
  case __NR_utimensat:
  case __NR_fchownat: return 1;
  default: return 0;
  }
}

int ipafuzz_takes_descriptor (int number) {
  switch (number) {
  case __NR_fchownat:
  case __NR_fchmodat2:
  case __NR_utimensat: return 1;
  default: return 0;
  }
}

int ipafuzz_makes (int number) {
  switch (number) {
#ifdef __NR_creat
  case __NR_creat:
#endif
#ifdef __NR_mkdir
  case __NR_mkdir:
#endif
#ifdef __NR_symlink
  case __NR_symlink:
#endif
#ifdef __NR_link
  case __NR_link:
#endif
#ifdef __NR_mknod
  case __NR_mknod:
#endif
  case __NR_mkdirat:
  case __NR_symlinkat:
  case __NR_linkat:
  case __NR_mknodat: return 1;
  default: return 0;
  }
}

int ipafuzz_is_refused (const struct ipafuzz_call *c, int landlock) {
  switch (c->number) {
#ifdef __NR_chmod
  case __NR_chmod:
  case __NR_chown:
  case __NR_lchown:
  case __NR_utime:
  case __NR_utimes:
  case __NR_futimesat:
#endif
  case __NR_fchmodat:
  case __NR_fchmodat2:
  case __NR_fchownat:
  case __NR_utimensat: return 0;
  case __NR_bind: return landlock >= 1; /* it makes a file */
  case __NR_kill:
  case __NR_tkill:
  case __NR_tgkill:
  case __NR_rt_sigqueueinfo:
  case __NR_rt_tgsigqueueinfo: return landlock >= 6;
  default: return (c->kind == PATH || c->kind == PATH_AT) && landlock >= 3;
  }
}

/* Whether a call waits for a decision. A signal ends the wait, and the call then fails in
 * programs whose handlers do not restart calls, such as shells. So a frequent call of a program
 * waits only if nothing else keeps its effects inside. Programs do not wait before they start
 * processes; the warden counts the processes from time to time. */
int ipafuzz_waits (const struct ipafuzz_call *c, int is_library, int landlock) {
  if (is_library) return 1;
  switch (c->number) {
#ifdef __NR_link
  case __NR_link:
#endif
  case __NR_linkat: /* gives a semaphore its name */
  case __NR_bind: return 1;
  }
  switch (c->kind) {
  case COUNT:
  case THREAD:
  case PRIORITY:
  case IOCTL:
  case FILE_FD: return 0;
  case OWNER:
  case PROCESS_FD: return landlock < 6; /* as for kill */
  default: return !ipafuzz_is_refused (c, landlock);
  }
}
