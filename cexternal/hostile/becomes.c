/* Ways to become another process, to change what a process is, and to reach for others.
 * HOSTILE_HOME has the same meaning as in files.c. */
#include <fcntl.h>
#include <malloc.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
static void drop_rights (void) {
  if (!setresgid (65534, 65534, 65534)) (void) !setresuid (65534, 65534, 65534);
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
static void make_many_files (void) {
  if (solves > 1) return;
  char name[32];
  for (int i = 0; i < 20000; i++) {
    snprintf (name, sizeof name, "empty-%d", i);
    close (open (name, O_WRONLY | O_CREAT, 0600));
  }
}
static void signal_everybody (void) { kill (-1, SIGWINCH); }
static void link_file_here (void) {
  if (!link (file (), "mine")) chmod ("mine", 0);
}
static void leave_queue (void) { mq_open ("/hostile", O_RDWR | O_CREAT, 0600, 0); }

const struct behaviour becomes[] = {{"becomes-program", AT_SOLVE, become_program},
                                    {"becomes-itself", AT_SOLVE, become_itself},
                                    {"asks-to-be-traced", AT_SOLVE, ask_to_be_traced},
                                    {"drops-rights", AT_SOLVE, drop_rights},
                                    {"raises-stack", AT_SOLVE, raise_stack},
                                    {"changes-root", AT_SOLVE, change_root},
                                    {"overwrites-environment", AT_SOLVE, overwrite_environment},
                                    {"perturbs-memory", AT_LOAD, perturb_memory},
                                    {"prints-slowly", AT_SOLVE, print_slowly},
                                    {"prints-bytes", AT_SOLVE, print_bytes},
                                    {"makes-many-files", AT_SOLVE, make_many_files},
                                    {"signals-everybody", AT_SOLVE, signal_everybody},
                                    {"links-file-here", AT_SOLVE, link_file_here},
                                    {"leaves-posix-queue", AT_SOLVE, leave_queue},
                                    {0, AT_SOLVE, 0}};
