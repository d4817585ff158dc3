#include "contain.h"

#include "filter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#ifndef CAP_BPF /* older headers lack it */
#define CAP_BPF 39
#endif

/* What only root may do, and no solver needs. Else a target that runs as root could make files that
 * nobody can remove, freeze a file system, change the network by a local socket, or keep others
 * from a processor. */
static const unsigned char powers[] = {
  CAP_LINUX_IMMUTABLE, CAP_NET_ADMIN,      CAP_NET_RAW,       CAP_SYS_MODULE,   CAP_SYS_RAWIO,
  CAP_SYS_PACCT,       CAP_SYS_ADMIN,      CAP_SYS_BOOT,      CAP_SYS_NICE,     CAP_SYS_RESOURCE,
  CAP_SYS_TIME,        CAP_SYS_TTY_CONFIG, CAP_LEASE,         CAP_MAC_OVERRIDE, CAP_MAC_ADMIN,
  CAP_SYSLOG,          CAP_WAKE_ALARM,     CAP_BLOCK_SUSPEND, CAP_BPF};

/* Gives up these powers, for this process and what it starts. */
static void drop_powers (void) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];
  if (syscall (__NR_capget, &head, has)) return;
  for (size_t i = 0; i < sizeof powers; i++) {
    const uint32_t others = ~CAP_TO_MASK (powers[i]);
    struct __user_cap_data_struct *of = has + CAP_TO_INDEX (powers[i]);
    of->effective &= others, of->permitted &= others, of->inheritable &= others;
  }
  syscall (__NR_capset, &head, has);
}

int ipafuzz_contain (const char *directory, int is_library, uint32_t token, pid_t ipafuzz) {
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const int landlock = use_landlock (directory, is_library);
  drop_powers ();
  return ipafuzz_watch (is_library, landlock, token, ipafuzz);
}
