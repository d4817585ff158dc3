#include "filter.h"

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef NATIVE_ARCH

/* A filter that is being written, and whom it is for. */
struct filter {
  struct sock_filter code[16 * IPAFUZZ_MOST_WATCHED + 64];
  unsigned length;
  int is_library, landlock;
  pid_t ipafuzz;
};

static void append (struct filter *f, struct sock_filter instruction) {
  f->code[f->length++] = instruction;
}
static void load (struct filter *f, size_t at) {
  append (f, (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (unsigned) at));
}
static void load_argument (struct filter *f, int n) {
  load (f, offsetof (struct seccomp_data, args) + 8u * (unsigned) n);
}
static void load_upper_half (struct filter *f, int n) {
  load (f, offsetof (struct seccomp_data, args) + 8u * (unsigned) n + 4u);
}
static void answer (struct filter *f, unsigned what) {
  append (f, (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, what));
}
/* Skips that many instructions if the loaded value is, or is not, the given one. */
static void equal (struct filter *f, unsigned value, uint8_t yes, uint8_t no) {
  append (f, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, value, yes, no));
}
/* Skips that many instructions if one of the bits is set, or none. */
static void set (struct filter *f, unsigned bits, uint8_t yes, uint8_t no) {
  append (f, (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, bits, yes, no));
}

/* Whether a call signals the process that its first argument names. */
static int is_signal (const struct ipafuzz_call *c) {
  switch (c->number) {
  case __NR_kill:
  case __NR_tkill:
  case __NR_tgkill:
  case __NR_rt_sigqueueinfo:
  case __NR_rt_tgsigqueueinfo: return 1;
  default: return 0;
  }
}

/* Appends what becomes of the call c. The number of a call is loaded before, and after if it is
 * another one. */
static void judge (struct filter *f, const struct ipafuzz_call *c) {
  const unsigned call = (unsigned) c->number;
  if (!ipafuzz_waits (c, f->is_library, f->landlock)) {
    if (is_signal (c)) { /* Landlock keeps signals inside; to these, they are a violation */
      equal (f, call, 0, 6);
      load_argument (f, 0);
      equal (f, (unsigned) getppid (), 2, 0);
      equal (f, (unsigned) f->ipafuzz, 1, 0);
      equal (f, (unsigned) -1, 0, 1);
      answer (f, SECCOMP_RET_USER_NOTIF);
      answer (f, SECCOMP_RET_ALLOW);
    } else if (c->flags) { /* waits with the flags by which shm_open and sem_open make files */
      equal (f, call, 0, 5);
      load_argument (f, c->flags);
      set (f, O_CREAT, 0, 2);
      set (f, O_EXCL | O_NOFOLLOW, 0, 1);
      answer (f, SECCOMP_RET_USER_NOTIF);
      answer (f, SECCOMP_RET_ALLOW);
    }
  } else if (c->flags) { /* open waits only if it writes */
    equal (f, call, 0, 4);
    load_argument (f, c->flags);
    set (f, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
    answer (f, SECCOMP_RET_USER_NOTIF);
    answer (f, SECCOMP_RET_ALLOW);
  } else if (c->kind == ADDRESS) { /* a call on a connection has no address */
    equal (f, call, 0, 6);
    load_argument (f, c->argument);
    equal (f, 0, 0, 2);
    load_upper_half (f, c->argument);
    equal (f, 0, 1, 0);
    answer (f, SECCOMP_RET_USER_NOTIF);
    answer (f, SECCOMP_RET_ALLOW);
  } else if (c->kind == PROCESS || c->kind == THREAD) { /* 0 is the caller or its group */
    equal (f, call, 0, 4);
    load_argument (f, c->argument);
    equal (f, 0, 0, 1);
    answer (f, SECCOMP_RET_ALLOW);
    answer (f, SECCOMP_RET_USER_NOTIF);
  } else if (c->kind == IOCTL) { /* what changes a file or types at a terminal */
    equal (f, call, 0, 6);
    load_argument (f, 1);
    equal (f, FS_IOC_SETFLAGS, 2, 0);
    equal (f, FS_IOC_FSSETXATTR, 1, 0);
    equal (f, TIOCSTI, 0, 1);
    answer (f, SECCOMP_RET_USER_NOTIF);
    answer (f, SECCOMP_RET_ALLOW);
  } else if (c->kind == OWNER) { /* who gets the signals of a descriptor */
    equal (f, call, 0, 5);
    load_argument (f, 1);
    equal (f, F_SETOWN, 1, 0);
    equal (f, F_SETOWN_EX, 0, 1);
    answer (f, SECCOMP_RET_USER_NOTIF);
    answer (f, SECCOMP_RET_ALLOW);
  } else if (c->kind == FAMILY) {
    equal (f, call, 0, 7);
    load_argument (f, c->argument);
    equal (f, AF_INET, 3, 0);
    equal (f, AF_INET6, 2, 0);
    equal (f, AF_PACKET, 1, 0);
    equal (f, AF_VSOCK, 0, 1);
    answer (f, SECCOMP_RET_USER_NOTIF);
    answer (f, SECCOMP_RET_ALLOW);
  } else {
    equal (f, call, 0, 1);
    answer (f, SECCOMP_RET_USER_NOTIF);
  }
}

/* Appends that the loaded call fails with that error. */
static void refuse (struct filter *f, int number, int error) {
  equal (f, (unsigned) number, 0, 1);
  answer (f, SECCOMP_RET_ERRNO | (unsigned) error);
}

/* Appends what becomes of the calls of a 32-bit program, which have other numbers. A library has no
 * 32-bit code. A program has no sockets, traces nobody, changes no mode or date of a file, and has
 * nothing that would outlive it. */
static void judge_32 (struct filter *f) {
  if (f->is_library) {
    answer (f, SECCOMP_RET_ERRNO | ENOSYS);
    return;
  }
#ifdef __x86_64__
  enum { PTRACE = 26, SOCKETCALL = 102, IPC = 117, KEYCTL = 288, WRITE_MEMORY = 348, SOCKET = 359 };
  load (f, offsetof (struct seccomp_data, nr));
  refuse (f, SOCKET, EACCES);
  refuse (f, SOCKETCALL, EACCES);
  refuse (f, PTRACE, EPERM);
  refuse (f, WRITE_MEMORY, EPERM);
  refuse (f, IPC, ENOSYS);
  for (int number = KEYCTL - 2; number <= KEYCTL; number++) refuse (f, number, ENOSYS);
  for (int number = 393; number <= 402; number++) refuse (f, number, ENOSYS); /* System V objects */
  refuse (f, __NR_io_uring_setup, ENOSYS);
  /* Modes and dates of files: chmod, utime, fchmod, utimes, futimesat, fchmodat, utimensat twice,
   * fchmodat2. */
  const int files[] = {15, 30, 94, 271, 299, 306, 320, 412, 452};
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++) refuse (f, files[i], EPERM);
#endif
  answer (f, SECCOMP_RET_ALLOW);
}

/* Appends what becomes of all other calls. */
static void judge_native (struct filter *f, uint32_t token) {
  load (f, offsetof (struct seccomp_data, nr));
#ifdef __x86_64__
  set (f, 0x40000000, 0, 1); /* x32, which most kernels do not have */
  answer (f, SECCOMP_RET_ERRNO | ENOSYS);
#endif
  refuse (f, __NR_io_uring_setup, ENOSYS); /* no filter sees the work that a ring does */
  /* Answers as kernels without keys do. A key would stay in the user's keyring. */
  refuse (f, __NR_bpf, EPERM); /* what it makes may outlive the process */
  refuse (f, __NR_add_key, ENOSYS);
  refuse (f, __NR_request_key, ENOSYS);
  refuse (f, __NR_keyctl, ENOSYS);
  /* Answers as older kernels do, since the filter cannot see flags in memory. */
  if (f->is_library || f->landlock < 3) refuse (f, __NR_openat2, ENOSYS);
  /* The C library then calls clone, which the filter can judge. */
  if (f->is_library) refuse (f, __NR_clone3, ENOSYS);
  /* Landlock would refuse to make a message queue. */
  if (!f->landlock) refuse (f, __NR_mq_open, EACCES);
  equal (f, __NR_sendmsg, 0, 4);
  load_upper_half (f, 2);
  equal (f, token, 0, 1);
  answer (f, SECCOMP_RET_ALLOW);
  load (f, offsetof (struct seccomp_data, nr));
  for (int i = 0; i < ipafuzz_num_watched; i++) judge (f, ipafuzz_watched + i);
  answer (f, SECCOMP_RET_ALLOW);
}

int ipafuzz_watch (int is_library, int landlock, uint32_t token, pid_t ipafuzz) {
  struct filter f = {.is_library = is_library, .landlock = landlock, .ipafuzz = ipafuzz};
  load (&f, offsetof (struct seccomp_data, arch));
  equal (&f, NATIVE_ARCH, 1, 0);
  const unsigned jump = f.length;
  append (&f, (struct sock_filter) BPF_STMT (BPF_JMP | BPF_JA, 0));
  judge_native (&f, token);
  f.code[jump].k = f.length - jump - 1;
  judge_32 (&f);
  const struct sock_fprog program = {(unsigned short) f.length, f.code};
  /* In newer kernels, signals do not end the wait once a decision is being made. */
  const unsigned listener = SECCOMP_FILTER_FLAG_NEW_LISTENER, killable = 1u << 5;
  int fd = (int) syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, listener | killable, &program);
  if (fd < 0 && errno == EINVAL)
    fd = (int) syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, listener, &program);
  /* The warden decides while the caller waits, so it best runs on the same processor. To wake
   * another one takes long if a library starts a thread in every solve. Kernels before 6.6 refuse
   * this. */
  const uint64_t same_processor = 1;
  if (fd >= 0) ioctl (fd, _IOW ('!', 4, uint64_t), same_processor);
  return fd;
}

#else
int ipafuzz_watch (int is_library, int landlock, uint32_t token, pid_t ipafuzz) {
  (void) is_library, (void) landlock, (void) token, (void) ipafuzz;
  return -1;
}
#endif
