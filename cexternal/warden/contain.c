#include "contain.h"

#include "calls.h"
#include "count.h"
#include "memory.h"
#include "shared.h"
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
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

static int landlock_version (void) {
  return (int) syscall (__NR_landlock_create_ruleset, 0, 0, 1 /* the version */);
}

int ipafuzz_can_contain (void) { return landlock_version () > 0; }

static void allow (int ruleset, const char *path, uint64_t rights) {
  struct landlock_path_beneath_attr rule = {.allowed_access = rights};
  rule.parent_fd = open (path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;
  syscall (__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close (rule.parent_fd);
}

/* Where everybody may write: devices without memory, and files in which a process describes
 * itself. */
static const char *const harmless[] = {"/dev/null", "/dev/zero", "/dev/full",
                                       "/dev/tty",  "/dev/shm",  "/proc"};

/* Lets this process write only in the directory. Returns the version of Landlock, or 0. */
static int use_landlock (const char *directory) {
  const int version = landlock_version ();
  if (version <= 0) return 0;
  struct {
    uint64_t files, network, scoped;
  } attributes = {write_rights (version), 0, version >= 6 ? 3 /* sockets by name, signals */ : 0};
  const size_t size = version >= 6 ? sizeof attributes : sizeof attributes.files;
  const int ruleset = (int) syscall (__NR_landlock_create_ruleset, &attributes, size, 0);
  if (ruleset < 0) return 0;
  allow (ruleset, directory, attributes.files);
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
    struct stat is;
    const uint64_t file = LANDLOCK_ACCESS_FS_WRITE_FILE | (version >= 3 ? 1ull << 14 : 0);
    if (stat (harmless[i], &is)) continue;
    allow (ruleset, harmless[i], S_ISDIR (is.st_mode) && i == 4 ? attributes.files : file);
  }
  const int failed = syscall (__NR_landlock_restrict_self, ruleset, 0) != 0;
  close (ruleset);
  return failed ? 0 : version;
}

static int watch_calls (int is_library, int landlock, uint32_t token) {
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
  const int fd =
    (int) syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, listener | killable, &program);
  if (fd >= 0 || errno != EINVAL) return fd;
  return (int) syscall (__NR_seccomp, SECCOMP_SET_MODE_FILTER, listener, &program);
#else
  return -1;
#endif
}

int ipafuzz_contain (const char *directory, int is_library, uint32_t token) {
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return watch_calls (is_library, use_landlock (directory), token);
}

/* Whether the first process is the second one or below it. */
static int descends (pid_t pid, pid_t above) {
  for (int depth = 0; depth < 64 && pid > 1; depth++) {
    if (pid == above) return 1;
    char path[64], text[512];
    snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
    const int file = open (path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t n = read (file, text, sizeof text - 1);
    close (file);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *end = strrchr (text, ')');
    int parent;
    if (!end || sscanf (end, ") %*c %d", &parent) != 1) return 0;
    pid = parent;
  }
  return 0;
}

/* Whether two numbers are threads of one process. */
static int same_process (pid_t one, pid_t other) {
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/task/%d", (int) one, (int) other);
  return !access (path, F_OK);
}

/* Whether the path is in a cache of Java or Python. Programs write there incidentally and work
 * without it, so a refused write is not a failure. */
static int is_cache (const char *path) {
  return strstr (path, "/hsperfdata_") || strstr (path, "/__pycache__") ||
         strstr (path, "/.java") || strstr (path, "/.cache");
}

/* Whether a call that names the path is forbidden. A library must not even try to create
 * something elsewhere; a program may try that, but must not touch what exists. */
static int is_forbidden (const char *path, const char *directory, int is_library) {
  if (ipafuzz_is_below (path, directory) || ipafuzz_is_below (path, "/proc") ||
      ipafuzz_is_below (path, "/dev") || is_cache (path))
    return 0;
  struct stat is;
  return is_library || !stat (path, &is);
}

/* Whether the call may make the file that its argument names. */
static int may_make (const struct ipafuzz_call *c, const uint64_t *args, int argument) {
  if (c->flags) return (args[c->flags] & O_CREAT) != 0;
  return c->second ? argument == c->second : ipafuzz_makes (c->number);
}

static int wrong_path (const struct seccomp_notif *of, const struct ipafuzz_call *c, int argument,
                       const char *directory, int is_library, char *path) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  const int at = c->kind == PATH_AT ? (int) args[argument] : AT_FDCWD;
  char text[PATH_MAX];
  if (!ipafuzz_read_text ((pid_t) of->pid, args[argument + (c->kind == PATH_AT)], text,
                          sizeof text) ||
      !ipafuzz_resolve ((pid_t) of->pid, at, text, ipafuzz_follows (c->number), path))
    return 0;
  if (ipafuzz_is_below (path, "/dev/shm") && may_make (c, args, argument)) ipafuzz_note_file (path);
  return is_forbidden (path, directory, is_library);
}

/* Decides about the address of a socket. Returns 0 if the call is allowed, 1 if it is forbidden,
 * or the negative error that it must return. */
static int wrong_address (const struct seccomp_notif *of, const struct ipafuzz_call *c,
                          uint64_t address, uint64_t size, const char *directory, int is_library,
                          char *path) {
  const int binds = c->number == __NR_bind;
  switch (ipafuzz_reach ((pid_t) of->pid, address, size, binds, directory, path, PATH_MAX)) {
  case IPAFUZZ_REACH_OWN: return 0;
  case IPAFUZZ_REACH_SYSTEM: return -ECONNREFUSED;
  case IPAFUZZ_REACH_FOREIGN: return is_library || !ipafuzz_is_refused (c, landlock_version ());
  }
  return 1;
}

/* Decides about the addresses of messages. */
static int wrong_message (const struct seccomp_notif *of, const struct ipafuzz_call *c,
                          const char *directory, int is_library, char *path) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  const int many = c->number == __NR_sendmmsg;
  const uint64_t most = 1024,
                 count = many ? (uint32_t) args[2] : 1; /* the kernel sends at most 1024 */
  for (uint64_t i = 0; i < count && i < most; i++) {
    struct mmsghdr message = {0};
    const size_t size = many ? sizeof message : sizeof message.msg_hdr;
    if (ipafuzz_read ((pid_t) of->pid, args[1] + i * size, &message, size) != size) break;
    const struct msghdr *head = &message.msg_hdr;
    if (!head->msg_name || !head->msg_namelen) continue;
    const int wrong = wrong_address (of, c, (uint64_t) head->msg_name, head->msg_namelen, directory,
                                     is_library, path);
    if (wrong) return wrong;
  }
  return 0;
}

/* Decides about the file that a descriptor of the process names. */
static int wrong_descriptor (pid_t pid, int fd, const char *directory, int is_library, char *path) {
  char name[64];
  struct stat is;
  snprintf (name, sizeof name, "/proc/%d/fd/%d", (int) pid, fd);
  const ssize_t n = readlink (name, path, PATH_MAX - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  /* Pipes, memory and files without a name belong to the process. */
  return *path == '/' && !stat (path, &is) && is_forbidden (path, directory, is_library);
}

/* Returns the process that a pidfd of a process names; 0 if that one has ended. */
static pid_t process_of (pid_t pid, int fd) {
  char name[64], text[1024];
  snprintf (name, sizeof name, "/proc/%d/fdinfo/%d", (int) pid, fd);
  const int file = open (name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read (file, text, sizeof text - 1);
  close (file);
  text[n > 0 ? n : 0] = 0;
  const char *line = strstr (text, "\nPid:");
  const int of = line ? atoi (line + sizeof "\nPid:" - 1) : 0;
  return of > 0 ? of : 0;
}

int ipafuzz_decide (int calls, pid_t above, const char *directory, int is_library, char *text,
                    size_t size) {
  union {
    struct seccomp_notif of;
    char space[512];
  } got = {0};
  union {
    struct seccomp_notif_resp response;
    char space[512];
  } answer = {0};
  if (ioctl (calls, SECCOMP_IOCTL_NOTIF_RECV, &got.of)) return 0;
  const struct ipafuzz_call *c = ipafuzz_call_of (got.of.data.nr);
  const uint64_t *args = (const uint64_t *) got.of.data.args;
  char path[PATH_MAX] = "";
  int forbidden = 0, go_on = 1;
  switch (c ? c->kind : NONE) {
  case PATH:
  case PATH_AT:
    forbidden = wrong_path (&got.of, c, c->argument, directory, is_library, path);
    if (!forbidden && c->second)
      forbidden = wrong_path (&got.of, c, c->second, directory, is_library, path);
    /* Landlock itself refuses what a program may not do. The program waits only so that the warden
     * can note the files that it makes. */
    if (!is_library && ipafuzz_is_refused (c, landlock_version ())) forbidden = 0;
    if (forbidden) snprintf (text, size, "%s of %s", c->name, path);
    break;
  case FILE_FD:
    forbidden =
      wrong_descriptor ((pid_t) got.of.pid, (int) args[c->argument], directory, is_library, path);
    if (forbidden) snprintf (text, size, "%s of %s", c->name, path);
    break;
  case THREAD:
  case PROCESS:
  case PROCESS_FD: {
    const int argument = (int) args[c->argument];
    const pid_t pid =
      c->kind == PROCESS_FD ? process_of ((pid_t) got.of.pid, argument) : (pid_t) argument;
    /* 0 is the caller or its group; a group belongs to a process below. prlimit64 without a
     * new limit only asks, as signal 0 does. */
    const int asks = (c->number == __NR_prlimit64 && !args[2]) ||
                     ((c->number == __NR_kill || c->number == __NR_pidfd_send_signal) && !args[1]);
    if (c->number == __NR_ptrace && args[0] == 0 /* TRACEME */) break;
    const pid_t whose = pid < 0 ? -pid : pid;
    /* A library has no business with the processes that started its own. */
    const int upward = is_library && whose != (pid_t) got.of.pid &&
                       descends ((pid_t) got.of.pid, whose) &&
                       !same_process ((pid_t) got.of.pid, whose);
    forbidden = !asks && pid && (pid == -1 || whose == above || upward || !descends (whose, above));
    if (forbidden)
      snprintf (text, size, "%s of process %s", c->name, pid == -1 ? "every" : "outside");
    break;
  }
  case ALWAYS:
    forbidden = 1;
    snprintf (text, size, "%s", c->name);
    break;
  case FAMILY: /* only calls for the network pass the filter to here */
    forbidden = 1;
    snprintf (text, size, "socket of the network");
    break;
  case ADDRESS:
  case MESSAGE: {
    const int wrong = c->kind == MESSAGE ? wrong_message (&got.of, c, directory, is_library, path)
                                         : wrong_address (&got.of, c, args[c->argument],
                                                          (uint32_t) args[c->argument + 1],
                                                          directory, is_library, path);
    if (wrong < 0) answer.response.error = wrong, go_on = 0;
    forbidden = wrong > 0;
    if (forbidden) snprintf (text, size, "%s of %s", c->name, path);
    break;
  }
  case GET: {
    const int64_t made = ipafuzz_get_object (c->number, args, &go_on);
    if (made < 0)
      answer.response.error = (int) made;
    else
      answer.response.val = made;
    break;
  }
  case OBJECT:
    forbidden = ipafuzz_changes_object (c->number, args);
    if (forbidden) snprintf (text, size, "%s of an object of another process", c->name);
    break;
  case COUNT:
    forbidden = !ipafuzz_may_start ();
    if (forbidden) ipafuzz_say_too_many (c->name, IPAFUZZ_MOST_THREADS, text, size);
    break;
  }
  if (forbidden) return 1; /* the call never returns: the target is ended */
  answer.response.id = got.of.id;
  if (go_on) answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl (calls, SECCOMP_IOCTL_NOTIF_SEND, &answer.response);
  return 0;
}
