/* Ways around what contains a target, and around what ipafuzz expects of a process. HOSTILE_HOME
 * and HOSTILE_PID have the same meaning as in files.c and neighbours.c. */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static pid_t neighbour (void) {
  const char *text = getenv ("HOSTILE_PID");
  const pid_t pid = text ? atoi (text) : 0;
  if (pid <= 1) _exit (99);
  return pid;
}
static const char *file (void) {
  static char path[4096];
  const char *home = getenv ("HOSTILE_HOME");
  snprintf (path, sizeof path, "%s/precious.txt", home ? home : "/nonexistent");
  return path;
}

static void change_mode_by_proc (void) {
  char name[64];
  snprintf (name, sizeof name, "/proc/self/fd/%d", open (file (), O_RDONLY));
  chmod (name, 0);
}
static void change_mode_by_thread (void) {
  char name[64];
  snprintf (name, sizeof name, "/proc/thread-self/fd/%d", open (file (), O_RDONLY));
  chmod (name, 0);
}
static void change_mode_by_link (void) {
  char name[64];
  snprintf (name, sizeof name, "/dev/fd/%d", open (file (), O_RDONLY));
  (void) !symlink (name, "link");
  chmod ("link", 0);
}
static void change_date_by_descriptor (void) { futimens (open (file (), O_RDONLY), 0); }
static void change_flags (void) {
  const int fd = open (file (), O_RDONLY);
  int flags = 0;
  ioctl (fd, FS_IOC_GETFLAGS, &flags);
  ioctl (fd, FS_IOC_SETFLAGS, &flags);
}
static void write_through_link (void) {
  (void) !symlink (file (), "result");
  close (open ("result", O_WRONLY | O_CREAT | O_TRUNC, 0644));
}
static void hide_and_change_mode (void) {
  prctl (PR_SET_DUMPABLE, 0, 0, 0, 0);
  chmod (file (), 0);
}
/* The kernel sends the owner of a pipe a signal when something is written. */
static void own_signals (void) {
  int ends[2];
  if (pipe (ends)) abort ();
  fcntl (ends[0], F_SETOWN, neighbour ());
  fcntl (ends[0], F_SETSIG, SIGTERM);
  fcntl (ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  (void) !write (ends[1], "x", 1);
  close (ends[0]), close (ends[1]);
}
/* Opens a setting of the kernel, which root may write, and does not change it. */
static void open_setting (void) { close (open ("/proc/sys/vm/overcommit_memory", O_WRONLY)); }
static void spare_neighbour (void) {
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/oom_score_adj", (int) neighbour ());
  const int fd = open (name, O_WRONLY);
  if (fd < 0) return;
  (void) !write (fd, "500", 3);
  close (fd);
}
static void spare_itself (void) {
  const int fd = open ("/proc/self/oom_score_adj", O_WRONLY);
  if (fd < 0 || write (fd, "500", 3) != 3) abort ();
  close (fd);
}
int find_shared (unsigned long *from, unsigned long *to) {
  FILE *maps = fopen ("/proc/self/maps", "r");
  char line[512];
  int n = 0;
  while (maps && n < SHARED_AREAS && fgets (line, sizeof line, maps))
    if (strstr (line, "memfd:") && sscanf (line, "%lx-%lx", from + n, to + n) == 2) n++;
  fclose (maps);
  return n;
}
static void unmap_shared (void) {
  unsigned long from[SHARED_AREAS], to[SHARED_AREAS];
  const int n = find_shared (from, to);
  for (int i = 0; i < n; i++) munmap ((void *) from[i], to[i] - from[i]);
}
static void shrink_shared (void) {
  char name[128];
  unsigned long from[SHARED_AREAS], to[SHARED_AREAS];
  const int n = find_shared (from, to);
  for (int i = 0; i < n; i++) {
    snprintf (name, sizeof name, "/proc/self/map_files/%lx-%lx", from[i], to[i]);
    const int fd = open (name, O_RDWR);
    if (fd >= 0) (void) !ftruncate (fd, 0), close (fd);
  }
}
static void write_everywhere (void) {
  char junk[100];
  memset (junk, 0xa5, sizeof junk);
  signal (SIGPIPE, SIG_IGN);
  for (int fd = 0; fd < 256; fd++)
    if (fd != 1 && fd != 2) (void) !write (fd, junk, sizeof junk);
}
static void replace_descriptors (void) {
  const int nothing = open ("/dev/null", O_RDWR);
  for (int fd = 0; fd < 256; fd++)
    if (fd != nothing) dup2 (nothing, fd);
}
static void open_all (void) {
  while (open ("/dev/null", O_RDONLY) >= 0) continue;
}
/* Each process starts the next and waits for it. There is an end, in case nothing stops them. */
enum { LONG_CHAIN = 3000 };
static void vfork_without_end (void) {
  static volatile int chain; /* which all share */
  while (chain < LONG_CHAIN) chain++, vfork ();
  _exit (0);
}
static void fork_in_chain (void) {
  for (int chain = 0; chain < LONG_CHAIN; chain++)
    if (fork ()) pause ();
  _exit (0);
}
static void spin (void) {
  for (volatile int i = 0;; i++) continue;
}
static void leave_namespace (void) {
  if (solves > 1) return;
  if (unshare (CLONE_NEWUSER)) return;
  unshare (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID);
  if (!fork ()) {
    if (!fork ()) spin ();
    spin ();
  }
}
/* Throws an int of C++. */
static void throw_number (void) {
  void *runtime = dlopen ("libstdc++.so.6", RTLD_NOW);
  if (!runtime) abort ();
  void *(*allocate) (size_t);
  void (*throw_it) (void *, void *, void *);
  *(void **) &allocate = dlsym (runtime, "__cxa_allocate_exception");
  *(void **) &throw_it = dlsym (runtime, "__cxa_throw");
  int *number = allocate (sizeof *number);
  *number = 1;
  throw_it (number, dlsym (runtime, "_ZTIi"), 0);
}
__attribute__ ((noinline)) static void skip_guard (void) {
  volatile char *deep = alloca ((size_t) 256 << 20);
  for (size_t i = 0; i < (size_t) 256 << 20; i += 4096) deep[i] = 1;
}
static void register_spin (void) {
  static int registered;
  if (!registered++) atexit (spin);
}
/* The child returns the answer, and this process waits for it. */
static void let_child_answer (void) {
  const pid_t child = fork ();
  if (child <= 0) return;
  waitpid (child, 0, 0);
  pause ();
}
static volatile sig_atomic_t called;
static void note_call (int signal) { (void) signal, called = 1; }
static void be_called (void) {
  called = 0;
  signal (SIGUSR1, note_call);
  const pid_t above = getpid (), child = fork ();
  if (!child) _exit (kill (above, SIGUSR1) != 0);
  int status;
  while (waitpid (child, &status, 0) < 0 && errno == EINTR) continue;
  if (status || !called) abort ();
}
/* A child stops this process and lets it go on, as a debugger does. */
static void stop_and_go (void) {
  const pid_t above = getpid (), child = fork ();
  if (!child) {
    for (int i = 0; i < 5; i++) kill (above, SIGSTOP), kill (above, SIGCONT);
    _exit (0);
  }
  while (waitpid (child, 0, 0) < 0 && errno == EINTR) continue;
}
/* A child attaches to this process, as programs do that hide from debuggers. */
static void be_traced (void) {
  const pid_t above = getpid (), child = fork ();
  if (!child) {
    ptrace (PTRACE_ATTACH, above, 0, 0);
    waitpid (above, 0, 0);
    ptrace (PTRACE_DETACH, above, 0, 0);
    _exit (0);
  }
  while (waitpid (child, 0, 0) < 0 && errno == EINTR) continue;
}
static void *spin_here (void *unused) {
  spin ();
  return unused;
}
static void leave_busy_thread (void) {
  pthread_t thread;
  if (solves == 1) pthread_create (&thread, 0, spin_here, 0);
}
static void make_sparse_file (void) {
  const int fd = open ("sparse", O_WRONLY | O_CREAT, 0644);
  (void) !ftruncate (fd, (off_t) 1 << 40);
  close (fd);
}
static void make_deep_directory (void) {
  if (solves > 1) return;
  char name[201];
  memset (name, 'd', sizeof name - 1);
  name[sizeof name - 1] = 0;
  for (int i = 0; i < 500; i++)
    if (mkdir (name, 0755) || chdir (name)) return;
}
static void make_odd_names (void) {
  close (open ("a\nb", O_WRONLY | O_CREAT, 0));
  close (open ("\033]0;pwned\007", O_WRONLY | O_CREAT, 0));
  close (open ("\xff\xfe", O_WRONLY | O_CREAT, 0));
  (void) !mkfifo ("pipe", 0);
}
static void dump_core (void) {
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit (RLIMIT_CORE, &all);
  abort ();
}
static void write_to_terminal (void) {
  const int fd = open ("/dev/tty", O_WRONLY);
  if (fd < 0) return;
  (void) !write (fd, "\033]0;pwned\007", 10);
  close (fd);
}

const struct behaviour tricks[] = {
  {"changes-mode-by-proc", AT_SOLVE, change_mode_by_proc},
  {"changes-mode-by-thread", AT_SOLVE, change_mode_by_thread},
  {"changes-mode-by-link", AT_SOLVE, change_mode_by_link},
  {"changes-date-by-descriptor", AT_SOLVE, change_date_by_descriptor},
  {"changes-flags", AT_SOLVE, change_flags},
  {"writes-through-link", AT_SOLVE, write_through_link},
  {"forks-in-chain", AT_SOLVE, fork_in_chain},
  {"hides-and-changes-mode", AT_SOLVE, hide_and_change_mode},
  {"owns-signals", AT_SOLVE, own_signals},
  {"opens-setting", AT_SOLVE, open_setting},
  {"spares-neighbour", AT_SOLVE, spare_neighbour},
  {"spares-itself", AT_SOLVE, spare_itself},

  {"unmaps-shared", AT_SOLVE, unmap_shared},
  {"shrinks-shared", AT_SOLVE, shrink_shared},
  {"writes-everywhere", AT_SOLVE, write_everywhere},
  {"replaces-descriptors", AT_SOLVE, replace_descriptors},
  {"opens-all", AT_SOLVE, open_all},
  {"vforks-without-end", AT_SOLVE, vfork_without_end},
  {"leaves-namespace", AT_SOLVE, leave_namespace},
  {"throws", AT_SOLVE, throw_number},
  {"skips-guard", AT_SOLVE, skip_guard},
  {"spins-in-atexit", AT_SOLVE, register_spin},
  {"lets-child-answer", AT_SOLVE, let_child_answer},
  {"is-called", AT_SOLVE, be_called},
  {"stops-and-goes", AT_SOLVE, stop_and_go},
  {"is-traced", AT_SOLVE, be_traced},
  {"leaves-busy-thread", AT_SOLVE, leave_busy_thread},

  {"makes-sparse-file", AT_SOLVE, make_sparse_file},
  {"makes-deep-directory", AT_SOLVE, make_deep_directory},
  {"makes-odd-names", AT_SOLVE, make_odd_names},
  {"dumps-core", AT_SOLVE, dump_core},
  {"writes-to-terminal", AT_SOLVE, write_to_terminal},
  {0, AT_SOLVE, 0}};
