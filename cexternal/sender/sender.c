#include "sender.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 65, DEEPEST = 64 };

static struct sigaction before[SIGNALS];
static struct ipafuzz_sender first;
static atomic_int taken, ready;

/* Writes "/proc/PID/stat". A signal handler must not call printf. */
static void stat_path (char *path, pid_t pid) {
  char digits[16];
  int n = 0;
  do digits[n++] = (char) ('0' + pid % 10);
  while (pid /= 10);
  memcpy (path, "/proc/", 6);
  path += 6;
  while (n) *path++ = digits[--n];
  memcpy (path, "/stat", 6);
}

/* Returns the parent of a process, or -1 if the process is gone. A zombie still has a parent. The
 * name of the program stands in parentheses and may contain anything. */
static pid_t parent_of (pid_t pid) {
  char path[32], text[512];
  stat_path (path, pid);
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t n = read (file, text, sizeof text - 1);
  close (file);
  if (n <= 0) return -1;
  text[n] = 0;
  const char *p = strrchr (text, ')');
  if (!p || strlen (p) < 5) return -1;
  pid_t parent = 0;
  for (p += 4; *p >= '0' && *p <= '9'; p++) parent = 10 * parent + (*p - '0');
  return parent;
}

/* Relates a process to this one. The handler calls it at once, because a process that has sent a
 * signal may end next. */
static int origin_of (pid_t pid) {
  const pid_t self = getpid ();
  for (int depth = 0; depth < DEEPEST && pid > 1; depth++) {
    if (pid == self) return depth ? IPAFUZZ_BELOW : IPAFUZZ_OUTSIDE;
    pid = parent_of (pid);
    if (pid < 0) return depth ? IPAFUZZ_OUTSIDE : IPAFUZZ_GONE;
  }
  return IPAFUZZ_OUTSIDE; /* 0: the kernel, or a process of another namespace */
}

static void note (int signal, siginfo_t *info, void *context) {
  const int saved = errno;
  if (!atomic_exchange (&taken, 1)) {
    const int from_process = info->si_code <= 0;
    first.signal = signal;
    first.pid = from_process ? info->si_pid : 0;
    first.origin = origin_of (first.pid);
    atomic_store (&ready, 1);
  }
  errno = saved;
  const struct sigaction *usual = before + signal;
  if (usual->sa_flags & SA_SIGINFO)
    usual->sa_sigaction (signal, info, context);
  else if (usual->sa_handler != SIG_DFL && usual->sa_handler != SIG_IGN)
    usual->sa_handler (signal);
}

int ipafuzz_watch_sender (int signal) {
  if (signal <= 0 || signal >= SIGNALS) return EINVAL;
  struct sigaction own; /* keeps the mask and the flags that the Go runtime set */
  if (sigaction (signal, 0, &own)) return errno;
  if (own.sa_sigaction == note) return 0;
  before[signal] = own;
  own.sa_sigaction = note;
  own.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  return sigaction (signal, &own, 0) ? errno : 0;
}

struct ipafuzz_sender ipafuzz_first_sender (void) {
  const struct ipafuzz_sender nobody = {IPAFUZZ_NOBODY, 0, 0};
  return atomic_load (&ready) ? first : nobody;
}
