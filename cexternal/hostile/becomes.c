/* Ways to become another process, and to change what a process is. HOSTILE_HOME has the same
 * meaning as in files.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static const char *file (void) {
  static char path[4096];
  const char *home = getenv ("HOSTILE_HOME");
  snprintf (path, sizeof path, "%s/precious.txt", home ? home : "/nonexistent");
  return path;
}

static void become_program (void) { execlp ("true", "true", (char *) 0); }
static void become_itself (void) {
  static char text[4096], *arguments[64];
  const int fd = open ("/proc/self/cmdline", O_RDONLY);
  const ssize_t n = read (fd, text, sizeof text - 1);
  int count = 0;
  for (ssize_t at = 0; at < n && count < 63; at += (ssize_t) strlen (text + at) + 1)
    arguments[count++] = text + at;
  execv ("/proc/self/exe", arguments);
}
static void ask_to_be_traced (void) { ptrace (PTRACE_TRACEME, 0, 0, 0); }
static void filter_strictly (void) { prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0); }
static void drop_rights (void) {
  if (setresgid (65534, 65534, 65534) || setresuid (65534, 65534, 65534)) errno = 0;
}
static void demand_processor (void) {
  const struct sched_param first = {50};
  sched_setscheduler (0, SCHED_FIFO, &first);
}
static void raise_stack (void) {
  struct rlimit stack;
  getrlimit (RLIMIT_STACK, &stack);
  stack.rlim_cur = stack.rlim_max;
  setrlimit (RLIMIT_STACK, &stack);
}
static void change_root (void) { (void) !chroot ("."); }
extern char **environ;
static void overwrite_environment (void) {
  for (char **at = environ; at && *at; at++) memset (*at, 'A', strlen (*at));
}
static void perturb_memory (void) {
  mallopt (M_PERTURB, 0xa5);
  mallopt (M_MMAP_THRESHOLD, 1024);
  malloc_trim (0);
}
static void print_slowly (void) {
  static const char line[] = "c restart 17 conflicts 2345 learned 6789 lits\n";
  for (int i = 0; i < 20; i++) (void) !write (1, line, sizeof line - 1), usleep (500);
}
static void print_bytes (void) {
  (void) !write (2, "error: \0\0\xff\xfe\xed\xa0\x80 <script>\"'`$(x)\\u0000\n", 35);
  abort ();
}
static void turn_around (void) {
#if defined __x86_64__
  __asm__ volatile("std"); /* the next copy of memory runs backwards */
#endif
}
static void make_many_files (void) {
  if (solves > 1) return;
  char name[32];
  for (int i = 0; i < 20000; i++) {
    snprintf (name, sizeof name, "empty-%d", i);
    close (open (name, O_WRONLY | O_CREAT, 0600));
  }
}
/* Changes the priority of all processes of a user: of one who has none but this child, in case it
 * is allowed. */
static void slow_user (int reading) {
  const pid_t child = fork ();
  if (!child) {
    if (setresuid (65533, 65533, 65533)) _exit (0);
    if (reading)
      syscall (SYS_ioprio_set, 3 /* a user */, 0, 2 << 13 | 5);
    else
      setpriority (PRIO_USER, 0, 5);
    _exit (0);
  }
  waitpid (child, 0, 0);
}
static void slow_everybody (void) { slow_user (0); }
static void slow_reading (void) { slow_user (1); }
static void signal_everybody (void) { kill (-1, SIGWINCH); }
static void link_file_here (void) {
  if (!link (file (), "mine")) chmod ("mine", 0);
}
/* Another thread changes the name between its check and its use. */
static char raced[4096];
static volatile int racing;
static void *race (void *unused) {
  for (int i = 0; racing; i++) strcpy (raced, i & 1 ? file () : "own");
  return unused;
}
static void race_for_mode (void) {
  pthread_t thread;
  close (open ("own", O_WRONLY | O_CREAT, 0600));
  strcpy (raced, "own");
  racing = 1;
  if (pthread_create (&thread, 0, race, 0)) return;
  for (int i = 0; i < 200; i++) chmod (raced, 0600 + (i & 077));
  racing = 0;
  pthread_join (thread, 0);
}
static void leave_key (void) {
  syscall (SYS_add_key, "user", "hostile", "x", 1, KEY_SPEC_USER_KEYRING);
}
static void leave_queue (void) { mq_open ("/hostile", O_RDWR | O_CREAT, 0600, 0); }

const struct behaviour becomes[] = {{"becomes-program", AT_SOLVE, become_program},
                                    {"becomes-itself", AT_SOLVE, become_itself},
                                    {"asks-to-be-traced", AT_SOLVE, ask_to_be_traced},
                                    {"filters-strictly", AT_SOLVE, filter_strictly},
                                    {"drops-rights", AT_SOLVE, drop_rights},
                                    {"demands-processor", AT_SOLVE, demand_processor},
                                    {"raises-stack", AT_SOLVE, raise_stack},
                                    {"changes-root", AT_SOLVE, change_root},
                                    {"overwrites-environment", AT_SOLVE, overwrite_environment},
                                    {"perturbs-memory", AT_LOAD, perturb_memory},
                                    {"prints-slowly", AT_SOLVE, print_slowly},
                                    {"prints-bytes", AT_SOLVE, print_bytes},
                                    {"turns-around", AT_SOLVE, turn_around},
                                    {"makes-many-files", AT_SOLVE, make_many_files},
                                    {"slows-everybody", AT_SOLVE, slow_everybody},
                                    {"slows-reading", AT_SOLVE, slow_reading},
                                    {"signals-everybody", AT_SOLVE, signal_everybody},
                                    {"links-file-here", AT_SOLVE, link_file_here},
                                    {"races-for-mode", AT_SOLVE, race_for_mode},
                                    {"leaves-key", AT_SOLVE, leave_key},
                                    {"leaves-posix-queue", AT_SOLVE, leave_queue},
                                    {0, AT_SOLVE, 0}};
