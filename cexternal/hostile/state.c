/* What a library leaves changed in the process, its registers or its parent, and what surprises
 * those who watch it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static void spin (void) {
  for (volatile int i = 0;; i++) continue;
}
static void ignore_children (void) { signal (SIGCHLD, SIG_IGN); }
static void reap (int signal) {
  (void) signal;
  const int error = errno;
  while (waitpid (-1, 0, WNOHANG) > 0) continue;
  errno = error;
}
static void reap_by_handler (void) { signal (SIGCHLD, reap); }
static void *reap_here (void *unused) {
  for (;;)
    if (wait (0) < 0) usleep (100);
  return unused;
}
static void reap_in_thread (void) {
  pthread_t thread;
  pthread_create (&thread, 0, reap_here, 0);
}
static void set_alarm_at_load (void) { alarm (1); }
/* From here on, nobody can read the clock of the processor, as clock_gettime does. */
static void forbid_clock (void) { prctl (PR_SET_TSC, PR_TSC_SIGSEGV); }
static void check_alignment (void) {
#if defined __x86_64__
  __asm__ volatile("pushfq; orl $0x40000, (%%rsp); popfq" ::: "memory", "cc");
#endif
}
static void count_backwards (void) {
#if defined __x86_64__
  __asm__ volatile("std" ::: "cc");
#endif
}
/* Changes the registers that belong to the caller. */
static void change_registers (void) {
#if defined __x86_64__
  __asm__ volatile(
    "movq $-1, %rbx; movq $-1, %r12; movq $-1, %r13; movq $-1, %r14; movq $-1, %r15");
#endif
}
__attribute__ ((noinline)) static void overwrite_callers (void) {
  volatile char *at = __builtin_frame_address (0);
  for (int i = 0; i < 1500; i++) at[i] = 0x41;
}
static void make_immutable (void) {
  int flags = FS_IMMUTABLE_FL;
  const int fd = open ("kept", O_RDWR | O_CREAT, 0644);
  ioctl (fd, FS_IOC_SETFLAGS, &flags);
  close (fd);
}
/* Starts processes whose parent is that of this process. */
static void start_siblings (void) {
  for (int i = 0; i < 2; i++) {
    const long pid = syscall (SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (!pid && i) spin ();
    if (!pid) _exit (7);
  }
}
/* Names a file by a text that nobody can read: the kernel waits for a thread to provide it. */
static void block_readers (void) {
  const int fd = (int) syscall (SYS_userfaultfd, O_CLOEXEC);
  if (fd < 0) return;
  struct uffdio_api api = {.api = UFFD_API};
  ioctl (fd, UFFDIO_API, &api);
  char *page = mmap (0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register all = {{(unsigned long) page, 4096}, UFFDIO_REGISTER_MODE_MISSING, 0};
  if (ioctl (fd, UFFDIO_REGISTER, &all)) return;
  close (open (page, O_WRONLY));
}
static void spin_here (int signal) { (void) signal, spin (); }
static void spin_in_handler (void) {
  signal (SIGSEGV, spin_here);
  *(volatile int *) 8 = 1;
}
/* Sends itself all signals that no handler expects. */
static void raise_unusual (void) {
  for (int s = SIGRTMIN; s <= SIGRTMAX; s++) raise (s);
}
static void *wait_here (void *unused) {
  pause ();
  return unused;
}
static void leave_threads (void) {
  pthread_t thread;
  pthread_create (&thread, 0, wait_here, 0);
}
static void forge_report (void) {
  fprintf (stderr,
           "==%d==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x1 in "
           "\033[31mmain /etc/passwd:1\n",
           (int) getpid ());
}
static void exit_quickly (void) { quick_exit (0); }
static void lower_stack (void) {
  const struct rlimit little = {65536, 65536};
  setrlimit (RLIMIT_STACK, &little);
}
static void forget_data (void) {
  const struct rlimit little = {0, 0};
  setrlimit (RLIMIT_DATA, &little);
}

const struct behaviour state[] = {{"ignores-children", AT_LOAD, ignore_children},
                                  {"reaps-by-handler", AT_LOAD, reap_by_handler},
                                  {"reaps-in-thread", AT_LOAD, reap_in_thread},
                                  {"alarm-at-load", AT_LOAD, set_alarm_at_load},
                                  {"forbids-clock", AT_SOLVE, forbid_clock},
                                  {"checks-alignment", AT_SOLVE, check_alignment},
                                  {"counts-backwards", AT_SOLVE, count_backwards},
                                  {"changes-registers", AT_SOLVE, change_registers},
                                  {"overwrites-callers", AT_SOLVE, overwrite_callers},
                                  {"makes-immutable", AT_SOLVE, make_immutable},
                                  {"starts-siblings", AT_SOLVE, start_siblings},
                                  {"blocks-readers", AT_SOLVE, block_readers},
                                  {"spins-in-handler", AT_SOLVE, spin_in_handler},
                                  {"raises-unusual", AT_SOLVE, raise_unusual},
                                  {"leaves-threads", AT_SOLVE, leave_threads},
                                  {"forges-report", AT_SOLVE, forge_report},
                                  {"exits-quickly", AT_SOLVE, exit_quickly},
                                  {"lowers-stack", AT_SOLVE, lower_stack},
                                  {"forgets-data", AT_SOLVE, forget_data},
                                  {0, AT_SOLVE, 0}};
