#include "contain.h"

#include "count.h"

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

/* The meaning of a call's argument. */
enum { NONE, PATH, PATH_AT, PROCESS, ALWAYS, FAMILY, COUNT };

/* Whether the call follows symbolic links; other calls are about the link itself. */
static int follows (int number) {
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
#endif
  case __NR_openat:
  case __NR_truncate:
  case __NR_fchmodat:
  case __NR_fchownat: return 1;
  default: return 0;
  }
}

/* The calls that wait for a decision. flags is the argument that says whether open writes.
 * Of calls with two paths, the warden checks the second one, too. */
static const struct call {
  int number;
  const char *name;
  int kind, argument, flags, second;
} watched[] = {
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
  {__NR_kill, "kill", PROCESS, 0, 0, 0},
  {__NR_tkill, "tkill", PROCESS, 0, 0, 0},
  {__NR_tgkill, "tgkill", PROCESS, 0, 0, 0},
  {__NR_rt_sigqueueinfo, "rt_sigqueueinfo", PROCESS, 0, 0, 0},
  {__NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", PROCESS, 0, 0, 0},
  {__NR_prlimit64, "prlimit64", PROCESS, 0, 0, 0},
  {__NR_process_vm_writev, "process_vm_writev", PROCESS, 0, 0, 0},
  {__NR_ptrace, "ptrace", PROCESS, 1, 0, 0},
  {__NR_mount, "mount", ALWAYS, 0, 0, 0},
  {__NR_umount2, "umount2", ALWAYS, 0, 0, 0},
  {__NR_reboot, "reboot", ALWAYS, 0, 0, 0},
  {__NR_socket, "socket", FAMILY, 0, 0, 0},
  {__NR_clone, "clone", COUNT, 0, 0, 0},
#ifdef __NR_fork
  {__NR_fork, "fork", COUNT, 0, 0, 0},
  {__NR_vfork, "vfork", COUNT, 0, 0, 0},
#endif
};

enum { NUM_WATCHED = sizeof watched / sizeof *watched };

/* The rights that writing elsewhere takes, by version of Landlock. */
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

/* Returns the version that is in force, or 0. */
static int use_landlock (const char *directory) {
  const int version = landlock_version ();
  if (version <= 0) return 0;
  struct {
    uint64_t files, network, scoped;
  } attributes = {write_rights (version), 0, version >= 6 ? 2 /* signals */ : 0};
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

/* Whether Landlock of that version alone refuses what the call may not do. */
static int is_refused (const struct call *c, int landlock) {
  switch (c->number) {
#ifdef __NR_chmod
  case __NR_chmod:
  case __NR_chown:
#endif
  case __NR_fchmodat:
  case __NR_fchownat: return 0;
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
static int waits (const struct call *c, int is_library, int landlock) {
  return is_library || (c->kind != COUNT && !is_refused (c, landlock));
}

static int watch_calls (int is_library, int landlock) {
#ifdef NATIVE_ARCH
  struct sock_filter code[6 * NUM_WATCHED + 16];
  unsigned n = 0;
  const unsigned number = offsetof (struct seccomp_data, nr);
#define LOAD(AT) (code[n++] = (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS, (AT)))
#define RETURN(WHAT) (code[n++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, (WHAT)))
#define EQUAL(VALUE, YES, NO) \
  (code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (VALUE), (YES), (NO)))
#define LOAD_ARGUMENT(N) \
  LOAD ((unsigned) (offsetof (struct seccomp_data, args) + 8u * (unsigned) (N)))
  LOAD (offsetof (struct seccomp_data, arch));
  EQUAL (NATIVE_ARCH, 1, 0);
  RETURN (SECCOMP_RET_ALLOW);
  LOAD (number);
  EQUAL (__NR_clone3, 0, 1); /* the C library then calls clone */
  RETURN (is_library ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW);
  for (int i = 0; i < NUM_WATCHED; i++) {
    const struct call *c = watched + i;
    if (!waits (c, is_library, landlock)) continue;
    if (c->flags) { /* open waits only if it writes */
      EQUAL ((unsigned) c->number, 0, 4);
      LOAD_ARGUMENT (c->flags);
      code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K,
                                                 O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
      RETURN (SECCOMP_RET_USER_NOTIF);
      RETURN (SECCOMP_RET_ALLOW);
    } else if (c->kind == PROCESS) { /* 0 is the caller or its group */
      EQUAL ((unsigned) c->number, 0, 4);
      LOAD_ARGUMENT (c->argument);
      EQUAL (0, 0, 1);
      RETURN (SECCOMP_RET_ALLOW);
      RETURN (SECCOMP_RET_USER_NOTIF);
    } else if (c->kind == FAMILY) {
      EQUAL ((unsigned) c->number, 0, 5);
      LOAD_ARGUMENT (c->argument);
      EQUAL (AF_INET, 1, 0);
      EQUAL (AF_INET6, 0, 1);
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

int ipafuzz_contain (const char *directory, int is_library) {
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return watch_calls (is_library, use_landlock (directory));
}

static int is_below (const char *path, const char *directory) {
  const size_t n = strlen (directory);
  return !strncmp (path, directory, n) && (!path[n] || path[n] == '/');
}

/* Resolves the parent directory of a process's path, because the last part may not exist.
 * Returns 0 if there is no such directory. */
static int resolve (pid_t pid, int at, uint64_t address, int follow, char *result) {
  char path[PATH_MAX], whole[2 * PATH_MAX], name[64];
  snprintf (name, sizeof name, "/proc/%d/mem", (int) pid);
  const int memory = open (name, O_RDONLY | O_CLOEXEC);
  if (memory < 0) return 0;
  size_t n = 0; /* a page may be the last one */
  while (n < sizeof path - 1) {
    const size_t piece = 256 - (address + n) % 256;
    const size_t most = piece < sizeof path - 1 - n ? piece : sizeof path - 1 - n;
    const ssize_t got = pread (memory, path + n, most, (off_t) (address + n));
    if (got <= 0) break;
    const int done = memchr (path + n, 0, (size_t) got) != 0;
    n += (size_t) got;
    if (done) break;
  }
  close (memory);
  path[n] = 0;
  if (!*path) return 0;
  if (*path == '/')
    snprintf (whole, sizeof whole, "%s", path);
  else if (at == AT_FDCWD)
    snprintf (whole, sizeof whole, "/proc/%d/cwd/%s", (int) pid, path);
  else
    snprintf (whole, sizeof whole, "/proc/%d/fd/%d/%s", (int) pid, at, path);
  if (follow && realpath (whole, result)) return 1;
  for (size_t end = strlen (whole); end > 1 && whole[end - 1] == '/'; end--) whole[end - 1] = 0;
  char *slash = strrchr (whole, '/');
  char last[PATH_MAX];
  snprintf (last, sizeof last, "%s", slash + 1);
  *slash = 0;
  if (!realpath (*whole ? whole : "/", result)) return 0;
  const size_t length = strlen (result);
  snprintf (result + length, PATH_MAX - length, "/%s", last);
  return 1;
}

/* Whether the process is the other one or below it. */
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

/* Whether the path is in a cache of the Java or Python machine. Programs write there in passing
 * and work without it, so a refused write is not a failure. */
static int is_cache (const char *path) {
  return strstr (path, "/hsperfdata_") || strstr (path, "/__pycache__") ||
         strstr (path, "/.java") || strstr (path, "/.cache");
}

/* Whether a call that names the path is forbidden. A library must not even try to create
 * something elsewhere; a program may try that, but must not touch what exists. */
static int is_forbidden (const char *path, const char *directory, int is_library) {
  if (is_below (path, directory) || is_below (path, "/proc") || is_below (path, "/dev") ||
      is_cache (path))
    return 0;
  struct stat is;
  return is_library || !stat (path, &is);
}

static const struct call *call_of (int number) {
  for (int i = 0; i < NUM_WATCHED; i++)
    if (watched[i].number == number) return watched + i;
  return 0;
}

static int wrong_path (const struct seccomp_notif *of, const struct call *c, int argument,
                       const char *directory, int is_library, char *path) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  const int at = c->kind == PATH_AT ? (int) args[argument] : AT_FDCWD;
  if (!resolve ((pid_t) of->pid, at, args[argument + (c->kind == PATH_AT)], follows (c->number),
                path))
    return 0;
  return is_forbidden (path, directory, is_library);
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
  const struct call *c = call_of (got.of.data.nr);
  const uint64_t *args = (const uint64_t *) got.of.data.args;
  char path[PATH_MAX] = "";
  int forbidden = 0;
  switch (c ? c->kind : NONE) {
  case PATH:
  case PATH_AT:
    forbidden = wrong_path (&got.of, c, c->argument, directory, is_library, path);
    if (!forbidden && c->second)
      forbidden = wrong_path (&got.of, c, c->second, directory, is_library, path);
    if (forbidden) snprintf (text, size, "%s of %s", c->name, path);
    break;
  case PROCESS: {
    const pid_t pid = (pid_t) (int) args[c->argument];
    /* 0 is the caller or its group; a group belongs to a process below. prlimit64 without a
     * new limit only asks, as signal 0 does. */
    const int asks =
      (c->number == __NR_prlimit64 && !args[2]) || (c->number == __NR_kill && !args[1]);
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
  case FAMILY:
    forbidden = (int) args[0] == AF_INET || (int) args[0] == AF_INET6;
    if (forbidden) snprintf (text, size, "socket of the network");
    break;
  case COUNT:
    forbidden = !ipafuzz_may_start ();
    if (forbidden) ipafuzz_say_too_many (c->name, IPAFUZZ_MOST_THREADS, text, size);
    break;
  }
  if (forbidden) return 1; /* the target waits for its end */
  answer.response.id = got.of.id;
  answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl (calls, SECCOMP_IOCTL_NOTIF_SEND, &answer.response);
  return 0;
}
