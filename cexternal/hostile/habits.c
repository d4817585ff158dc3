/* Rare behaviour that is allowed in a correct library, and for contrast two faults: breaks-pipe and
 * crash-in-atexit. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "hostile.h"

static void ignore (int signal) { (void) signal; }

static sigjmp_buf before;
static void leave_handler (int signal) { siglongjmp (before, signal); }

/* Probes an address, as garbage collectors do. */
static void recover_from_fault (void) {
  struct sigaction action, old;
  memset (&action, 0, sizeof action);
  action.sa_handler = leave_handler;
  sigaction (SIGSEGV, &action, &old);
  if (!sigsetjmp (before, 1)) *(volatile int *) 8 = 1;
  sigaction (SIGSEGV, &old, 0);
}
static void keep_handlers (void) {
  for (int i = 1; i < 32; i++)
    if (i != SIGABRT && i != SIGSEGV) signal (i, ignore);
}
static void ignore_signals (void) {
  for (int i = 1; i < 32; i++) signal (i, SIG_IGN);
}
static void block_signals (void) {
  sigset_t all;
  sigfillset (&all);
  sigprocmask (SIG_BLOCK, &all, 0);
}
static void own_signal_stack (void) {
  stack_t stack;
  memset (&stack, 0, sizeof stack);
  stack.ss_size = 1 << 16;
  stack.ss_sp = malloc (stack.ss_size);
  sigaltstack (&stack, 0);
  stack.ss_flags = SS_DISABLE;
  sigaltstack (&stack, 0);
  free (stack.ss_sp);
}
static void tick (int which, int signal_number) {
  struct sigaction action;
  memset (&action, 0, sizeof action);
  action.sa_handler = ignore; /* without SA_RESTART: system calls are interrupted */
  sigaction (signal_number, &action, 0);
  struct itimerval timer;
  memset (&timer, 0, sizeof timer);
  timer.it_value.tv_usec = timer.it_interval.tv_usec = 500;
  setitimer (which, &timer, 0);
}
static void tick_wall (void) { tick (ITIMER_REAL, SIGALRM); }
static void tick_processor (void) { tick (ITIMER_PROF, SIGPROF); }

static void use_commas (void) {
  if (!setlocale (LC_ALL, "de_DE.UTF-8")) setlocale (LC_ALL, "C.UTF-8");
}
static void change_floats (void) {
  feenableexcept (FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
  fesetround (FE_DOWNWARD);
#if defined __x86_64__
  const unsigned short single = 0x007f; /* precision of the x87 */
  __asm__ volatile("fldcw %0" : : "m"(single));
  unsigned mode;
  __asm__ volatile("stmxcsr %0" : "=m"(mode));
  mode |= 0x8040; /* flush to zero, denormals are zeros */
  __asm__ volatile("ldmxcsr %0" : : "m"(mode));
#endif
}
static void read_input (void) {
  char byte;
  if (read (STDIN_FILENO, &byte, 1) > 0 || getchar () != EOF) abort ();
}
static void replace_output (void) {
  const int file = open ("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++) dup2 (file, fd);
  close (file);
}
static void wait_for_child (void) {
  const pid_t child = fork ();
  if (!child) _exit (3);
  int status;
  if (waitpid (child, &status, 0) != child || WEXITSTATUS (status) != 3) abort ();
}
static void wait_for_all (void) {
  if (!fork ()) _exit (0);
  while (wait (0) > 0) continue;
}
static void run_program (void) {
  static char name[] = "true", *arguments[] = {name, 0}, *environment[] = {0};
  pid_t child;
  int status;
  if (posix_spawnp (&child, "true", 0, 0, arguments, environment) ||
      waitpid (child, &status, 0) != child || status)
    abort ();
}
static void run_shell (void) {
  char line[8] = "";
  FILE *from = popen ("echo out", "r");
  if (!from || !fgets (line, sizeof line, from) || strcmp (line, "out\n")) abort ();
  pclose (from);
}
static void break_pipe (void) {
  int ends[2];
  if (pipe (ends)) abort ();
  close (ends[0]);
  if (write (ends[1], "x", 1) < 0) abort ();
}
static void *fill_stack (void *unused) {
  volatile char frame[6 << 20];
  for (size_t i = 0; i < sizeof frame; i += 4096) frame[i] = 1;
  return unused;
}
static void use_large_frames (void) {
  pthread_t thread;
  pthread_attr_t large;
  pthread_attr_init (&large);
  pthread_attr_setstacksize (&large, 8 << 20);
  if (pthread_create (&thread, &large, fill_stack, 0)) abort ();
  pthread_join (thread, 0);
}

/* A pool of threads, as OpenMP keeps one: the first solve starts it, and all hand work to it. */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER, pool_done = PTHREAD_COND_INITIALIZER;
static int pool_asked, pool_answered;
static _Thread_local char of_thread[1 << 16];
static void *serve (void *unused) {
  pthread_mutex_lock (&pool_lock);
  for (;; pool_answered++, of_thread[pool_answered & 0xffff]++, pthread_cond_signal (&pool_done))
    while (pool_answered == pool_asked) pthread_cond_wait (&pool_work, &pool_lock);
  return unused;
}
static void use_pool (void) {
  static int started;
  pthread_t thread;
  if (!started++)
    for (int i = 0; i < 3; i++) pthread_create (&thread, 0, serve, 0);
  pthread_mutex_lock (&pool_lock);
  pool_asked++;
  pthread_cond_signal (&pool_work);
  while (pool_answered < pool_asked) pthread_cond_wait (&pool_done, &pool_lock);
  pthread_mutex_unlock (&pool_lock);
}
static void map_file (void) {
  const int file = open ("mapped.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate (file, 1 << 16)) abort ();
  char *at = mmap (0, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  if (at == MAP_FAILED) abort ();
  memset (at, 1, 1 << 16);
  munmap (at, 1 << 16);
}
static void share_memory (void) {
  char name[32];
  snprintf (name, sizeof name, "/hostile-%d", (int) getpid ());
  const int file = shm_open (name, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate (file, 4096)) abort ();
  shm_unlink (name);
  close (file);
}
static void make_code (void) {
  unsigned char *page = mmap (0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) abort ();
#if defined __x86_64__
  page[0] = 0xc3; /* ret */
  if (mprotect (page, 4096, PROT_READ | PROT_EXEC)) abort ();
  void (*code) (void);
  memcpy (&code, &page, sizeof code);
  code ();
#endif
  madvise (page, 4096, MADV_DONTNEED);
  munmap (page, 4096);
}
static void grow_heap (void) {
  if (sbrk (1 << 16) == (void *) -1) abort ();
}
static void pin_itself (void) {
  cpu_set_t one;
  CPU_ZERO (&one);
  CPU_SET (0, &one);
  sched_setaffinity (0, sizeof one, &one);
  const struct sched_param none = {0};
  sched_setscheduler (0, SCHED_BATCH, &none);
  setpriority (PRIO_PROCESS, 0, 10);
}
/* Does to its own threads, children and files what it must not do to those of others. Any process
 * may take the priority 19, also one that runs below nice. */
static atomic_int steered, done;
static void *be_steered (void *unused) {
  steered = (int) syscall (SYS_gettid);
  while (!done) usleep (100);
  return unused;
}
static void steer_its_own (void) {
  pthread_t thread;
  steered = done = 0;
  if (pthread_create (&thread, 0, be_steered, 0)) abort ();
  while (!steered) usleep (10);
  cpu_set_t one;
  CPU_ZERO (&one);
  CPU_SET (0, &one);
  if (pthread_setaffinity_np (thread, sizeof one, &one)) abort ();
  if (setpriority (PRIO_PROCESS, (id_t) steered, 19)) abort ();
  done = 1;
  pthread_join (thread, 0);
  const int file = open ("own", O_RDWR | O_CREAT, 0600);
  if (fchmod (file, 0644) || futimens (file, 0) || close (file)) abort ();
  const pid_t child = fork ();
  if (!child) pause (), _exit (0);
  const int descriptor = (int) syscall (SYS_pidfd_open, child, 0);
  if (setpriority (PRIO_PROCESS, (id_t) child, 19)) abort ();
  if (syscall (SYS_pidfd_send_signal, descriptor, SIGKILL, 0, 0)) abort ();
  close (descriptor);
  waitpid (child, 0, 0);
}
static void rename_itself (void) {
  prctl (PR_SET_NAME, "a ) b ( c\n");
  prctl (PR_SET_TIMERSLACK, 1);
}
static void hide_itself (void) { prctl (PR_SET_DUMPABLE, 0); }
static void allow_no_processes (void) {
  const struct rlimit none = {0, 0};
  setrlimit (RLIMIT_NPROC, &none);
}
static void change_environment (void) {
  setenv ("TMPDIR", "/nonexistent", 1);
  setenv ("LD_PRELOAD", "/nonexistent.so", 1);
  setenv ("HOME", "", 1);
}
static void lock_memory (void) { mlockall (MCL_CURRENT); }

static ucontext_t outside, inside;
static char coroutine_stack[1 << 16];
static void return_to_outside (void) {}
static void switch_stacks (void) {
  getcontext (&inside);
  inside.uc_stack.ss_sp = coroutine_stack;
  inside.uc_stack.ss_size = sizeof coroutine_stack;
  inside.uc_link = &outside;
  makecontext (&inside, return_to_outside, 0);
  swapcontext (&outside, &inside);
}
static void say_goodbye (void) { puts ("c goodbye"); }
static void register_goodbye (void) { atexit (say_goodbye); }
static void crash_then (void) { *(volatile int *) 8 = 1; }
static void register_crash (void) {
  static int registered;
  if (!registered++) atexit (crash_then);
}

const struct behaviour habits[] = {{"recovers-from-fault", AT_SOLVE, recover_from_fault},
                                   {"keeps-handlers", AT_SOLVE, keep_handlers},
                                   {"ignores-signals", AT_SOLVE, ignore_signals},
                                   {"blocks-signals", AT_SOLVE, block_signals},
                                   {"own-signal-stack", AT_SOLVE, own_signal_stack},
                                   {"ticks", AT_SOLVE, tick_wall},
                                   {"profiles-itself", AT_SOLVE, tick_processor},
                                   {"uses-commas", AT_LOAD, use_commas},
                                   {"changes-floats", AT_SOLVE, change_floats},
                                   {"reads-input", AT_SOLVE, read_input},
                                   {"replaces-output", AT_SOLVE, replace_output},
                                   {"waits-for-child", AT_SOLVE, wait_for_child},
                                   {"waits-for-all", AT_SOLVE, wait_for_all},
                                   {"runs-program", AT_SOLVE, run_program},
                                   {"runs-shell", AT_SOLVE, run_shell},
                                   {"breaks-pipe", AT_SOLVE, break_pipe},
                                   {"large-frames", AT_SOLVE, use_large_frames},
                                   {"pool", AT_SOLVE, use_pool},
                                   {"pool-at-load", AT_LOAD, use_pool},
                                   {"maps-file", AT_SOLVE, map_file},
                                   {"shares-memory", AT_SOLVE, share_memory},
                                   {"makes-code", AT_SOLVE, make_code},
                                   {"grows-heap", AT_SOLVE, grow_heap},
                                   {"pins-itself", AT_SOLVE, pin_itself},
                                   {"steers-its-own", AT_SOLVE, steer_its_own},
                                   {"renames-itself", AT_SOLVE, rename_itself},
                                   {"hides-itself", AT_LOAD, hide_itself},
                                   {"allows-no-processes", AT_SOLVE, allow_no_processes},
                                   {"changes-environment", AT_LOAD, change_environment},
                                   {"locks-memory", AT_LOAD, lock_memory},
                                   {"switches-stacks", AT_SOLVE, switch_stacks},
                                   {"says-goodbye", AT_LOAD, register_goodbye},
                                   {"crash-in-atexit", AT_SOLVE, register_crash},
                                   {0, AT_SOLVE, 0}};
