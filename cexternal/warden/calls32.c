#include "calls32.h"

#ifdef __x86_64__
#include <asm/unistd_32.h> /* and nothing that includes sys/syscall.h, which gives these names to other numbers */

#include "newer_calls.h"

#define SAME(NAME) \
  { __NR_##NAME, #NAME, #NAME }
#define LIKE(NAME, OTHER) \
  { __NR_##NAME, #NAME, #OTHER }
#define WITHOUT(NAME) \
  { __NR_##NAME, #NAME, 0 }

const struct ipafuzz_call32 ipafuzz_watched32[] = {
  SAME (open),
  SAME (creat),
  SAME (openat),
  SAME (truncate),
  LIKE (truncate64, truncate),
  SAME (unlink),
  SAME (rmdir),
  SAME (unlinkat),
  SAME (rename),
  SAME (renameat),
  SAME (renameat2),
  SAME (mkdir),
  SAME (mkdirat),
  SAME (symlink),
  SAME (symlinkat),
  SAME (link),
  SAME (linkat),
  SAME (chmod),
  SAME (fchmodat),
  SAME (fchmodat2),
  SAME (chown),
  LIKE (chown32, chown),
  SAME (lchown),
  LIKE (lchown32, lchown),
  SAME (fchownat),
  SAME (mknod),
  SAME (mknodat),
  SAME (utime),
  SAME (utimes),
  SAME (futimesat),
  SAME (utimensat),
  LIKE (utimensat_time64, utimensat),
  SAME (setxattr),
  SAME (lsetxattr),
  SAME (removexattr),
  SAME (lremovexattr),
  SAME (setxattrat),
  SAME (removexattrat),
  SAME (file_setattr),
  SAME (fcntl),
  LIKE (fcntl64, fcntl),
  SAME (kill),
  SAME (tkill),
  SAME (tgkill),
  SAME (rt_sigqueueinfo),
  SAME (rt_tgsigqueueinfo),
  SAME (prlimit64),
  SAME (pidfd_send_signal),
  SAME (pidfd_getfd),
  SAME (process_vm_writev),
  SAME (ptrace),
  SAME (mount),
  SAME (umount2),
  LIKE (umount, umount2),
  SAME (reboot),
  SAME (clock_settime),
  LIKE (clock_settime64, clock_settime),
  SAME (settimeofday),
  LIKE (stime, settimeofday),
  SAME (adjtimex),
  SAME (clock_adjtime),
  LIKE (clock_adjtime64, clock_adjtime),
  SAME (mount_setattr),
  SAME (move_mount),
  SAME (pivot_root),
  SAME (setns),
  SAME (quotactl),
  SAME (kexec_load),
  SAME (swapon),
  SAME (swapoff),
  SAME (init_module),
  SAME (finit_module),
  SAME (delete_module),
  SAME (acct),
  SAME (bpf),
  SAME (syslog),
  SAME (vhangup),
  SAME (fanotify_init),
  SAME (iopl),
  SAME (ioperm),
  SAME (sethostname),
  SAME (setdomainname),
  SAME (socket),
  SAME (connect),
  SAME (bind),
  SAME (sendto),
  WITHOUT (sendmsg),
  WITHOUT (sendmmsg),
  WITHOUT (socketcall),
};
const int ipafuzz_num_watched32 = sizeof ipafuzz_watched32 / sizeof *ipafuzz_watched32;

const int ipafuzz_missing32[] = {
  __NR_io_uring_setup, __NR_openat2, __NR_mq_open, __NR_ipc,    __NR_shmget,
  __NR_shmat,          __NR_shmctl,  __NR_semget,  __NR_semctl, __NR_semtimedop_time64,
  __NR_msgget,         __NR_msgctl,  __NR_msgsnd,  __NR_msgrcv, __NR_add_key,
  __NR_request_key,    __NR_keyctl,
};
const int ipafuzz_num_missing32 = sizeof ipafuzz_missing32 / sizeof *ipafuzz_missing32;

const int ipafuzz_socketcall = __NR_socketcall;

#else
const struct ipafuzz_call32 ipafuzz_watched32[] = {{-1, 0, 0}};
const int ipafuzz_num_watched32 = 0, ipafuzz_missing32[] = {-1}, ipafuzz_num_missing32 = 0;
const int ipafuzz_socketcall = -1;
#endif

const struct ipafuzz_call32 *ipafuzz_call32_of (int number) {
  for (int i = 0; i < ipafuzz_num_watched32; i++)
    if (ipafuzz_watched32[i].number == number) return ipafuzz_watched32 + i;
  return 0;
}
