#include "contain.h"

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

/* Returns the Landlock rights without which nobody can write, in that version of Landlock. */
static uint64_t write_rights (int version) {
  uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2) rights |= 1ull << 13; /* REFER */
  if (version >= 3) rights |= 1ull << 14; /* TRUNCATE */
  return rights;
}

int ipafuzz_landlock_version (void) {
  static int version, known;
  if (!known) version = (int) syscall (__NR_landlock_create_ruleset, 0, 0, 1 /* the version */);
  known = 1;
  return version;
}

int ipafuzz_can_contain (void) { return ipafuzz_landlock_version () > 0; }

static void allow (int ruleset, const char *path, uint64_t rights) {
  struct landlock_path_beneath_attr rule = {.allowed_access = rights};
  rule.parent_fd = open (path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;
  syscall (__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close (rule.parent_fd);
}

/* Where everybody may write: devices without memory. */
static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full"};

/* Lets this process write only in the directory, in /dev/shm, in harmless devices and in /proc.
 * Returns the version of Landlock, or 0. */
static int use_landlock (const char *directory, int is_library) {
  const int version = ipafuzz_landlock_version ();
  if (version <= 0) return 0;
  struct {
    uint64_t files, network, scoped;
  } attributes = {write_rights (version), 0, version >= 6 ? 3 /* sockets by name, signals */ : 0};
  const size_t size = version >= 6 ? sizeof attributes : sizeof attributes.files;
  const int ruleset = (int) syscall (__NR_landlock_create_ruleset, &attributes, size, 0);
  if (ruleset < 0) return 0;
  allow (ruleset, directory, attributes.files);
  allow (ruleset, "/dev/shm", attributes.files);
  const uint64_t file = LANDLOCK_ACCESS_FS_WRITE_FILE | (version >= 3 ? 1ull << 14 : 0);
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    allow (ruleset, harmless[i], file);
  /* There a process describes itself. The warden checks whom a library describes; the processes
   * that a program starts have to do without. */
  allow (ruleset, is_library ? "/proc" : "/proc/self", file);
  const int failed = syscall (__NR_landlock_restrict_self, ruleset, 0) != 0;
  close (ruleset);
  return failed ? 0 : version;
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

static int watch_calls (int is_library, int landlock, uint32_t token, pid_t ipafuzz) {
#ifdef NATIVE_ARCH
  struct sock_filter code[8 * IPAFUZZ_MOST_WATCHED + 32];
  unsigned n = 0;
  const unsigned number = offsetof (struct seccomp_data, nr);
#define LOAD(AT) (code[n++] = (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (AT)))
#define RETURN(WHAT) (code[n++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, (WHAT)))
#define EQUAL(VALUE, YES, NO) \
  (code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (VALUE), (YES), (NO)))
#define SET(BITS, YES, NO) \
  (code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, (BITS), (YES), (NO)))
#define LOAD_ARGUMENT(N) \
  LOAD ((unsigned) (offsetof (struct seccomp_data, args) + 8u * (unsigned) (N)))
#define LOAD_UPPER_HALF(N) \
  LOAD ((unsigned) (offsetof (struct seccomp_data, args) + 8u * (unsigned) (N) + 4u))
  LOAD (offsetof (struct seccomp_data, arch));
  EQUAL (NATIVE_ARCH, 1, 0);
  RETURN (is_library ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW); /* a 32-bit call */
  LOAD (number);
#ifdef __x86_64__
  SET (0x40000000, 0, 1); /* x32: a 32-bit call, too */
  RETURN (is_library ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW);
#endif
  EQUAL (__NR_io_uring_setup, 0, 1); /* no filter sees the work that a ring does */
  RETURN (SECCOMP_RET_ERRNO | ENOSYS);
  /* Answers as kernels without keys do. A key would stay in the user's keyring. */
  EQUAL (__NR_add_key, 2, 0);
  EQUAL (__NR_request_key, 1, 0);
  EQUAL (__NR_keyctl, 0, 1);
  RETURN (SECCOMP_RET_ERRNO | ENOSYS);
  /* Answers as older kernels do, since the filter cannot see flags in memory. */
  EQUAL (__NR_openat2, 0, 1);
  RETURN (is_library || landlock < 3 ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW);
  EQUAL (__NR_clone3, 0, 1); /* the C library then calls clone, which the filter can judge */
  RETURN (is_library ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW);
  if (!landlock) { /* Landlock would refuse to make a message queue */
    EQUAL (__NR_mq_open, 0, 1);
    RETURN (SECCOMP_RET_ERRNO | EACCES);
  }
  EQUAL (__NR_sendmsg, 0, 4);
  LOAD_UPPER_HALF (2);
  EQUAL (token, 0, 1);
  RETURN (SECCOMP_RET_ALLOW);
  LOAD (number);
  for (int i = 0; i < ipafuzz_num_watched; i++) {
    const struct ipafuzz_call *c = ipafuzz_watched + i;
    if (!ipafuzz_waits (c, is_library, landlock)) {
      if (is_signal (c)) { /* Landlock keeps signals inside; to these, they are a violation */
        EQUAL ((unsigned) c->number, 0, 6);
        LOAD_ARGUMENT (0);
        EQUAL ((unsigned) getppid (), 2, 0);
        EQUAL ((unsigned) ipafuzz, 1, 0);
        EQUAL ((unsigned) -1, 0, 1);
        RETURN (SECCOMP_RET_USER_NOTIF);
        RETURN (SECCOMP_RET_ALLOW);
      }
      if (!c->flags) continue;
      /* Waits with the flags by which shm_open and sem_open make files. */
      EQUAL ((unsigned) c->number, 0, 5);
      LOAD_ARGUMENT (c->flags);
      SET (O_CREAT, 0, 2);
      SET (O_EXCL | O_NOFOLLOW, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->flags) { /* open waits only if it writes */
      EQUAL ((unsigned) c->number, 0, 4);
      LOAD_ARGUMENT (c->flags);
      SET (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->kind == ADDRESS) { /* a call on a connection has no address */
      EQUAL ((unsigned) c->number, 0, 6);
      LOAD_ARGUMENT (c->argument);
      EQUAL (0, 0, 2);
      LOAD_UPPER_HALF (c->argument);
      EQUAL (0, 1, 0);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->kind == PROCESS || c->kind == THREAD) { /* 0 is the caller or its group */
      EQUAL ((unsigned) c->number, 0, 4);
      LOAD_ARGUMENT (c->argument);
      EQUAL (0, 0, 1);
      RETURN (SECCOMP_RET_ALLOW);
      RETURN (SECCOMP_RET_USER_NOTIF);
    } else if (c->kind == IOCTL) { /* what changes a file or types at a terminal */
      EQUAL ((unsigned) c->number, 0, 6);
      LOAD_ARGUMENT (1);
      EQUAL (FS_IOC_SETFLAGS, 2, 0);
      EQUAL (FS_IOC_FSSETXATTR, 1, 0);
      EQUAL (TIOCSTI, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->kind == OWNER) { /* who gets the signals of a descriptor */
      EQUAL ((unsigned) c->number, 0, 5);
      LOAD_ARGUMENT (1);
      EQUAL (F_SETOWN, 1, 0);
      EQUAL (F_SETOWN_EX, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->kind == FAMILY) {
      EQUAL ((unsigned) c->number, 0, 7);
      LOAD_ARGUMENT (c->argument);
      EQUAL (AF_INET, 3, 0);
      EQUAL (AF_INET6, 2, 0);
      EQUAL (AF_PACKET, 1, 0);
      EQUAL (AF_VSOCK, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else {
      EQUAL ((unsigned) c->number, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
    }
  }
  RETURN (SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {(unsigned short) n, code};
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
#else
  return -1;
#endif
}

int ipafuzz_contain (const char *directory, int is_library, uint32_t token, pid_t ipafuzz) {
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return watch_calls (is_library, use_landlock (directory, is_library), token, ipafuzz);
}
