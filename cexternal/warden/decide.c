#include "decide.h"

#include "calls.h"
#include "contain.h"
#include "count.h"
#include "descent.h"
#include "memory.h"
#include "shared.h"
#include "sockets.h"
#include "warden.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { IOPRIO_WHO_USER = 3 }; /* of ioprio_set */

/* Whether the path is in a cache of Java or Python. Programs write there incidentally and work
 * without it, so a refused write is not a failure. */
static int is_cache (const char *path) {
  return strstr (path, "/hsperfdata_") || strstr (path, "/__pycache__") ||
         strstr (path, "/.java") || strstr (path, "/.cache");
}

/* Whether a process may not do something to another one, or to a group, whose number is negative.
 * 0 is the caller or its group. */
static int wrong_process (pid_t caller, pid_t pid, const struct ipafuzz_rules *r) {
  if (!pid) return 0;
  if (pid == -1) return 1;
  const pid_t whose = pid < 0 ? -pid : pid;
  const int depth = ipafuzz_depth (whose, r->above);
  if (depth <= 0) return 1;
  return r->is_library && depth < r->first && !ipafuzz_same_process (caller, whose);
}

/* Whether a path of /proc describes the caller, or another process of the target. */
static int is_own_proc (const char *path, pid_t caller, const struct ipafuzz_rules *r) {
  const size_t n = strlen ("/proc/");
  if (strncmp (path, "/proc/", n) || !isdigit ((unsigned char) path[n])) return 0;
  return !wrong_process (caller, (pid_t) atoi (path + n), r);
}

/* Whether a call that names the path is forbidden. A library must not even try to create
 * something elsewhere; a program may try that, but must not touch what exists. Landlock decides
 * about devices, except for what it does not know, such as their mode. */
static int is_forbidden (const char *path, pid_t caller, const struct ipafuzz_call *c,
                         const struct ipafuzz_rules *r) {
  if (ipafuzz_is_below (path, r->directory) || is_own_proc (path, caller, r) || is_cache (path) ||
      ipafuzz_is_below (path, "/dev/shm") ||
      (ipafuzz_is_below (path, "/dev") && ipafuzz_is_refused (c, INT_MAX)))
    return 0;
  struct stat is;
  return r->is_library || !stat (path, &is);
}

/* Whether the call may make the file that its argument names. */
static int may_make (const struct ipafuzz_call *c, const uint64_t *args, int argument) {
  if (c->flags) return (args[c->flags] & O_CREAT) != 0;
  return c->second ? argument == c->second : ipafuzz_makes (c->number);
}

/* Decides about the file that a descriptor of the process names. Returns 0 if the call is allowed,
 * 1 if it is forbidden, or the negative error that it must return. */
static int wrong_descriptor (pid_t pid, int fd, const struct ipafuzz_call *c,
                             const struct ipafuzz_rules *r, char *path) {
  char name[64];
  struct stat is;
  snprintf (name, sizeof name, "/proc/%d/fd/%d", (int) pid, fd);
  const ssize_t n = readlink (name, path, PATH_MAX - 1);
  if (n <= 0) return errno == EACCES ? -EPERM : 0;
  path[n] = 0;
  /* Pipes, memory and files without a name belong to the process. */
  return *path == '/' && !stat (path, &is) && is_forbidden (path, pid, c, r);
}

/* Decides about the file that a path names, as wrong_descriptor does. */
static int wrong_path (const struct seccomp_notif *of, const struct ipafuzz_call *c, int argument,
                       const struct ipafuzz_rules *r, char *path) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  const pid_t pid = (pid_t) of->pid;
  const int at = c->kind == PATH_AT ? (int) args[argument] : AT_FDCWD;
  char text[PATH_MAX];
  if (!ipafuzz_read_text (pid, args[argument + (c->kind == PATH_AT)], text, sizeof text)) {
    /* Landlock sees the paths of a process that hides its memory, but not each of these calls. */
    if (!ipafuzz_is_refused (c, INT_MAX) && ipafuzz_is_hidden (pid)) return -EPERM;
    return ipafuzz_takes_descriptor (c->number) ? wrong_descriptor (pid, at, c, r, path) : 0;
  }
  if (!ipafuzz_resolve (pid, at, text, ipafuzz_follows (c->number), path)) return 0;
  if (ipafuzz_is_below (path, "/dev/shm") && may_make (c, args, argument)) ipafuzz_note_file (path);
  return is_forbidden (path, pid, c, r);
}

/* Decides about the address of a socket. Returns 0 if the call is allowed, 1 if it is forbidden,
 * or the negative error that it must return. */
static int wrong_address (const struct seccomp_notif *of, const struct ipafuzz_call *c,
                          uint64_t address, uint64_t size, const struct ipafuzz_rules *r,
                          char *path) {
  const int binds = c->number == __NR_bind;
  switch (ipafuzz_reach ((pid_t) of->pid, address, size, binds, r->directory, path, PATH_MAX)) {
  case IPAFUZZ_REACH_OWN: return 0;
  case IPAFUZZ_REACH_SYSTEM: return -ECONNREFUSED;
  case IPAFUZZ_REACH_FOREIGN:
    return r->is_library || !ipafuzz_is_refused (c, ipafuzz_landlock_version ());
  }
  return 1;
}

/* Decides about the addresses of messages. */
static int wrong_message (const struct seccomp_notif *of, const struct ipafuzz_call *c,
                          const struct ipafuzz_rules *r, char *path) {
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
    const int wrong = wrong_address (of, c, (uint64_t) head->msg_name, head->msg_namelen, r, path);
    if (wrong) return wrong;
  }
  return 0;
}

/* Whether a call only asks: signal 0, prlimit64 without a new limit, a child that asks its parent
 * to trace it. */
static int only_asks (const struct seccomp_notif *of, const struct ipafuzz_call *c) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  switch (c->number) {
  case __NR_prlimit64: return !args[2];
  case __NR_kill:
  case __NR_pidfd_send_signal: return !args[1];
  case __NR_ptrace: return !args[0]; /* PTRACE_TRACEME */
  default: return 0;
  }
}

/* Returns the process that shall get the signals of a descriptor, 0 if that is nobody. */
static pid_t owner_of (const struct seccomp_notif *of) {
  const uint64_t *args = (const uint64_t *) of->data.args;
  struct f_owner_ex owner = {0, 0};
  if (args[1] == F_SETOWN) return (pid_t) args[2];
  ipafuzz_read ((pid_t) of->pid, args[2], &owner, sizeof owner);
  return owner.type == F_OWNER_PGRP ? -owner.pid : owner.pid;
}

int ipafuzz_decide (int calls, const struct ipafuzz_rules *r, char *text, size_t size) {
  union {
    struct seccomp_notif of;
    char space[512];
  } got = {0};
  union {
    struct seccomp_notif_resp response;
    char space[512];
  } answer = {0};
  if (ioctl (calls, SECCOMP_IOCTL_NOTIF_RECV, &got.of)) return 0;
  static const struct ipafuzz_call unknown = {-1, "", NONE, 0, 0, 0};
  const struct ipafuzz_call *c = ipafuzz_call_of (got.of.data.nr);
  if (!c) c = &unknown;
  const uint64_t *args = (const uint64_t *) got.of.data.args;
  const pid_t caller = (pid_t) got.of.pid;
  const int landlock = ipafuzz_landlock_version ();
  char path[PATH_MAX] = "";
  int wrong = 0, go_on = 1; /* 1: the call is forbidden; negative: the error that it must return */
  const char *what = path;  /* the description says that the call is of this */
  switch (only_asks (&got.of, c) ? NONE : c->kind) {
  case PATH:
  case PATH_AT:
    wrong = wrong_path (&got.of, c, c->argument, r, path);
    if (!wrong && c->second) wrong = wrong_path (&got.of, c, c->second, r, path);
    /* Landlock itself refuses what a program may not do. The program waits only so that the warden
     * can note the files that it makes. */
    if (!r->is_library && ipafuzz_is_refused (c, landlock)) wrong = 0;
    break;
  case FILE_FD: wrong = wrong_descriptor (caller, (int) args[c->argument], c, r, path); break;
  case IOCTL:
    wrong = args[1] == TIOCSTI ? 1 : wrong_descriptor (caller, (int) args[0], c, r, path);
    if (args[1] == TIOCSTI) what = "typing at a terminal";
    break;
  case PRIORITY:
    if (args[0] == (c->number == __NR_setpriority ? (uint64_t) PRIO_USER : IOPRIO_WHO_USER)) {
      wrong = 1;
      what = "all processes of a user";
      break;
    } /* fall through */
  case THREAD:
  case PROCESS:
  case PROCESS_FD:
  case OWNER: {
    const pid_t pid = c->kind == OWNER        ? owner_of (&got.of)
                      : c->kind == PROCESS_FD ? ipafuzz_process_of (caller, (int) args[c->argument])
                                              : (pid_t) args[c->argument];
    wrong = wrong_process (caller, pid, r);
    what = pid == -1 ? "every process" : "a process outside";
    break;
  }
  case ALWAYS:
    wrong = 1;
    what = "";
    break;
  case FAMILY: /* only calls for the network pass the filter to here */
    /* The virtual machines of programs open sockets when they start, and work without them. */
    wrong = r->is_library ? 1 : -EACCES;
    what = "the network";
    break;
  case ADDRESS:
    wrong =
      wrong_address (&got.of, c, args[c->argument], (uint32_t) args[c->argument + 1], r, path);
    break;
  case MESSAGE: wrong = wrong_message (&got.of, c, r, path); break;
  case GET: {
    const int64_t made = ipafuzz_get_object (c->number, args, &go_on);
    if (made < 0)
      wrong = (int) made;
    else
      answer.response.val = made;
    break;
  }
  case OBJECT:
    wrong = ipafuzz_changes_object (c->number, args);
    what = "an object of another process";
    break;
  case COUNT:
    if (ipafuzz_may_start ()) break;
    ipafuzz_say_too_many (c->name, IPAFUZZ_MOST_THREADS, text, size);
    return IPAFUZZ_VIOLATED;
  }
  const int is_told = wrong > 0 || (wrong && c->kind == FAMILY);
  if (is_told) snprintf (text, size, *what ? "%s of %s" : "%s", c->name, what);
  if (wrong > 0) return IPAFUZZ_VIOLATED; /* the call never returns: the target is ended */
  if (wrong < 0) answer.response.error = wrong, go_on = 0;
  answer.response.id = got.of.id;
  if (go_on) answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ioctl (calls, SECCOMP_IOCTL_NOTIF_SEND, &answer.response);
  return is_told ? IPAFUZZ_REFUSED : 0;
}
