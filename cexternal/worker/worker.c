#include "worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "allocation.h"
#include "crash.h"
#include "leftover.h"

#ifndef IPAFUZZ_NO_LOADER
#include "load.h"
#include "ref.h"
#endif

static const struct ipafuzz_orders *orders;
static struct ipafuzz_control *control;
static struct ipafuzz_target target;
static struct ipafuzz_setting settings[IPAFUZZ_MAX_SETTINGS];
static pid_t parent;
static int loads_each; /* fork mode: the child of every trace loads the library anew */

enum {
  /* The worker truncates an output file that is larger. It keeps that much, because the parent
   * reads the output of a batch only when the worker is already some batches ahead. */
  OUTPUT_KEPT = 16 << 20,
  /* After SILENT_LOOKS traces without output, a persistent worker checks for output
   * once in OUTPUT_STRIDE traces. */
  SILENT_LOOKS = 64,
  OUTPUT_STRIDE = 16,
  /* Number of processes that a library may keep between traces in a persistent worker. */
  LEFTOVERS_KEPT = 16
};

/* Publishes hello. The parent then also sees everything that was written before. */
static void say_hello (uint32_t hello) {
  __atomic_store_n (&control->hello, hello, __ATOMIC_RELEASE);
  syscall (SYS_futex, &control->hello, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

static _Noreturn void refuse (const char *message) {
  snprintf (control->message, sizeof control->message, "%s", message);
  say_hello (IPAFUZZ_REFUSED);
  _exit (IPAFUZZ_EXIT_SETUP);
}

static uint64_t now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static size_t heap_in_use (void) {
  const struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

static void limit (int what, uint64_t most) {
  const struct rlimit value = {most, most};
  setrlimit (what, &value);
}

/* Maps the orders read-only, from a read-only descriptor: a target with a stray pointer,
 * even one that makes all memory writable first, can change neither the next traces
 * nor where the worker finds them. */
static void map_memory (int fd) {
  struct stat file;
  if (fstat (fd, &file)) _exit (IPAFUZZ_EXIT_SETUP);
  char path[64];
  snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
  const int read_only = open (path, O_RDONLY | O_CLOEXEC);
  if (read_only < 0) _exit (IPAFUZZ_EXIT_SETUP);
  orders = mmap (0, sizeof *orders, PROT_READ, MAP_SHARED, read_only, 0);
  if (orders == MAP_FAILED) _exit (IPAFUZZ_EXIT_SETUP);
  if (orders->magic != IPAFUZZ_CONTROL_MAGIC || orders->bytes != sizeof *orders ||
      orders->control_bytes != sizeof *control || orders->total_bytes != (uint64_t) file.st_size)
    _exit (IPAFUZZ_EXIT_SETUP);
  const size_t most = orders->control_offset, total = orders->total_bytes;
  munmap ((void *) (uintptr_t) orders, sizeof *orders);
  orders = mmap (0, most, PROT_READ, MAP_SHARED, read_only, 0);
  control = mmap (0, total - most, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t) most);
  if (orders == MAP_FAILED || control == MAP_FAILED) _exit (IPAFUZZ_EXIT_SETUP);
  close (read_only);
}

static void read_settings (void) {
  if (orders->num_settings > IPAFUZZ_MAX_SETTINGS) refuse ("too many options");
  for (uint32_t i = 0; i < orders->num_settings; i++) {
    settings[i].name = orders->text + orders->setting_name[i] % IPAFUZZ_TEXT_BYTES;
    settings[i].value = orders->text + orders->setting_value[i] % IPAFUZZ_TEXT_BYTES;
  }
}

static void find_target (const struct ipafuzz_target *linked) {
  if (linked) {
    target = *linked;
    return;
  }
#ifndef IPAFUZZ_NO_LOADER
  if (orders->source == IPAFUZZ_BUILT_IN) {
    target = *ref_target (orders->model);
    return;
  }
  static char words[IPAFUZZ_TEXT_BYTES];
  target.takes = orders->takes;
  const char *wrong =
    ipafuzz_load (orders->text + orders->path % IPAFUZZ_TEXT_BYTES, orders->model,
                  orders->text + orders->setter % IPAFUZZ_TEXT_BYTES, &target, words, sizeof words);
  if (wrong) refuse (wrong);
#else
  refuse ("this worker was built for one library");
#endif
}

/* Detects a refused option once, instead of in every trace. */
static void try_settings (void) {
  if (!orders->num_settings) return;
  if (!target.set_option) refuse ("the target takes no options");
  void *solver = target.init ();
  for (uint32_t i = 0; i < orders->num_settings; i++)
    if (ipafuzz_set (&target, solver, settings[i].name, settings[i].value)) {
      static char words[IPAFUZZ_TEXT_BYTES];
      snprintf (words, sizeof words, "the target refuses option %s=%s", settings[i].name,
                settings[i].value);
      refuse (words);
    }
  target.release (solver);
}

static uint32_t capabilities_of (const struct ipafuzz_target *target) {
  uint32_t bits = 0;
#define ADD(BIT, CONDITION) \
  if (CONDITION) bits |= BIT;
  IPAFUZZ_CAPABILITIES (ADD)
#undef ADD
  return bits;
}

static void introduce (void) {
  control->capabilities = capabilities_of (&target);
  const char *signature = target.signature ();
  snprintf (control->signature, sizeof control->signature, "%s", signature ? signature : "");
  if (target.describe) {
    const char *text = target.describe ();
    snprintf (control->describe, sizeof control->describe, "%s", text ? text : "");
  }
}

/* Waits for the batch with that number; exits when the parent is gone. The parent wakes the
 * worker only if it sees asleep. */
static void await_batch (uint32_t number) {
  for (int spin = 0; spin < 2000; spin++)
    if (orders->posted != number) return;
  control->asleep = 1;
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  while (orders->posted == number) {
    const struct timespec second = {1, 0};
    syscall (SYS_futex, &orders->posted, FUTEX_WAIT, number, &second, 0, 0);
    if (getppid () != parent) _exit (IPAFUZZ_EXIT_QUIT);
  }
  control->asleep = 0;
}

static struct ipafuzz_job *records_of (uint32_t batch) {
  char *slot = (char *) control - orders->control_offset + orders->slot_offset +
               orders->slot_bytes * (batch % orders->slots);
  return (struct ipafuzz_job *) (void *) slot;
}

static const struct ipafuzz_task *tasks_of (uint32_t batch) {
  const char *tasks =
    (const char *) orders + orders->tasks_offset + orders->tasks_bytes * (batch % orders->slots);
  return (const struct ipafuzz_task *) (const void *) tasks;
}

/* Runs a trace and returns when it ended, which is when the next one begins: to read the clock once
 * more takes as long as some calls. */
static uint64_t run_job (uint32_t batch, uint32_t number, uint64_t begin) {
  const struct ipafuzz_task *tasks = tasks_of (batch), *task = tasks + number;
  struct ipafuzz_job *jobs = records_of (batch), *job = jobs + number;
  const int measure = orders->heap_stride && control->serial % orders->heap_stride == 0;
  const size_t before = measure ? heap_in_use () : 0;
  job->result =
    ipafuzz_exec (&target, settings, orders->num_settings,
                  (const uint32_t *) (const void *) ((const char *) tasks + task->trace_offset),
                  task->trace_words, (uint32_t *) (void *) ((char *) jobs + task->answer_offset),
                  task->answer_room, &job->progress);
  if (measure) job->heap_growth = (int64_t) (heap_in_use () - before);
  fflush (stdout); /* the library printed it during this trace; takes 10 ns when there is nothing */
  ipafuzz_wait_for_crash ();
  const uint64_t end = now ();
  job->nanos = end - begin;
  job->finished = 1;
  return end;
}

static struct stat output; /* stderr at the start of the worker */

/* Returns the size of the output file, or 0 if the target has closed or replaced it. */
static uint64_t output_size (void) {
  struct stat file;
  if (fstat (STDERR_FILENO, &file) || file.st_dev != output.st_dev || file.st_ino != output.st_ino)
    return 0;
  return (uint64_t) file.st_size;
}

/* Returns the size of the output file. Truncates it first if it exceeds OUTPUT_KEPT or what one
 * trace may write. */
static uint64_t output_so_far (void) {
  uint64_t kept = OUTPUT_KEPT;
  if (orders->limit_output && orders->limit_output < kept) kept = orders->limit_output;
  const uint64_t size = output_size ();
  if (size <= kept) return size;
  control->output_cuts++; /* first, so that the parent never reads truncated output as complete */
  if (ftruncate (STDERR_FILENO, 0)) return size;
  lseek (STDERR_FILENO, 0, SEEK_SET); /* the target may have turned off O_APPEND */
  return 0;
}

static int has_threads (void) {
  struct stat threads;
  enum { SELF_AND_PARENT = 2 };
  return stat ("/proc/self/task", &threads) || threads.st_nlink != SELF_AND_PARENT + 1;
}

/* Reports whether the library brings ThreadSanitizer, which starts a thread of its own. A program
 * built with Go's race detector contains ThreadSanitizer, too, but has no such thread. */
static int has_thread_sanitizer (void) {
  Dl_info theirs, ours;
  void *init = dlsym (RTLD_DEFAULT, "__tsan_init");
  return init && dladdr (init, &theirs) && dladdr (&control, &ours) &&
         theirs.dli_fbase != ours.dli_fbase;
}

/* Reports whether the child of a trace may end by exit, which runs the destructors of the
 * library. A destructor may wait for threads, which a child has only if the trace started
 * them. Sanitizers look for leaks then, with system calls that a target may not make. */
static int may_exit (void) {
  static int sanitized = -1;
  if (sanitized < 0)
    sanitized = dlsym (RTLD_DEFAULT, "__lsan_do_leak_check") || dlsym (RTLD_DEFAULT, "__tsan_init");
  return !sanitized && !has_threads ();
}

/* Reports whether a child of this process lives: the library may have asked for a function to be
 * called in every child (pthread_atfork), which may crash or never return. The built-in library has
 * no such function. */
static int can_fork (void) {
  if (orders->bears_fork || orders->source == IPAFUZZ_BUILT_IN) return 1;
  const pid_t child = fork ();
  if (!child) _exit (0);
  int status = 0;
  pid_t ended = child < 0 ? child : 0;
  for (int ms = 0; !ended && ms < 2000; ms++) {
    const struct timespec pause = {0, 1000000};
    ended = waitpid (child, &status, WNOHANG);
    if (!ended) nanosleep (&pause, 0);
  }
  if (ended) return ended < 0 || !status;
  kill (child, SIGKILL);
  waitpid (child, 0, 0);
  return 0;
}

/* A child has only the thread that forked. If loading the library started threads, and
 * solve hands work to them, solve never returns in a child. The worker then starts anew
 * without the library, and every child loads it for itself. So it does if the library does
 * not bear a fork. fd is the shared memory. */
static void load_each_if_needed (int fd) {
  if (has_thread_sanitizer () || (!has_threads () && can_fork ())) return;
  char number[16];
  snprintf (number, sizeof number, "%d", fd);
  if (fcntl (fd, F_SETFD, 0) || setenv (IPAFUZZ_WORKER_VARIABLE, number, 1) ||
      setenv (IPAFUZZ_LOADS_VARIABLE, "1", 1))
    return;
  char *const arguments[] = {program_invocation_name, 0};
  execv ("/proc/self/exe", arguments);
  unsetenv (IPAFUZZ_WORKER_VARIABLE);
  unsetenv (IPAFUZZ_LOADS_VARIABLE);
}

/* A fork fails with EAGAIN while the user has too many processes, which usually passes. So it is
 * tried again after pauses, each twice as long as the one before: 2.5 s in all. */
static pid_t fork_patiently (void) {
  pid_t child = fork ();
  for (long pause = 10; child < 0 && errno == EAGAIN && pause <= 1280; pause *= 2) {
    const struct timespec ms = {pause / 1000, pause % 1000 * 1000000};
    nanosleep (&ms, 0);
    child = fork ();
  }
  return child;
}

static void run_forked (uint32_t batch, uint32_t number) {
  struct ipafuzz_job *job = records_of (batch) + number;
  const int exits = may_exit ();
  /* A library that ignores SIGCHLD, or waits for all children in a handler, would take the status
   * of the child from this process. */
  struct sigaction usual, theirs;
  memset (&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  sigaction (SIGCHLD, &usual, &theirs);
  const uint64_t begin = now ();
  const pid_t worker = getpid (), child = fork_patiently ();
  if (child < 0) {
    sigaction (SIGCHLD, &theirs, 0);
    job->wait_status = -1;
    return;
  }
  if (!child) {
    sigaction (SIGCHLD, &theirs, 0);
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    if (getppid () != worker) _exit (IPAFUZZ_EXIT_QUIT);
    if (loads_each) {
      find_target (0);
      ipafuzz_catch_crashes (); /* the library may have replaced the handlers */
    }
    run_job (batch, number, now ());
    if (exits) exit (0);
    _exit (0);
  }
  control->child = child;
  int status;
  while (waitpid (child, &status, 0) < 0 && errno == EINTR) continue;
  control->child = 0;
  ipafuzz_end_leftovers (0);
  sigaction (SIGCHLD, &theirs, 0);
  job->wait_status = status;
  if (!job->nanos) job->nanos = now () - begin; /* the child died before it could record them */
  job->output_to = output_size ();
}

/* Checking for output costs a seventh of a tiny trace, so the worker checks a silent library only
 * once in a few traces. Output that it finds then belongs to an unknown one of these traces; from
 * there on it checks every trace again. */
static void note_output (struct ipafuzz_job *job, uint32_t number) {
  static uint64_t from;
  static uint32_t silent; /* consecutive checks without new output */
  if (orders->mode == IPAFUZZ_FORK || silent < SILENT_LOOKS || number % OUTPUT_STRIDE == 0) {
    const uint64_t size = output_so_far ();
    silent = size == from ? silent + 1 : 0;
    from = size;
    job->output_looked = 1;
  }
  job->output_from = control->output_from = from;
  job->output_cuts = control->output_cuts;
}

static void run_batch (uint32_t batch) {
  control->batch = batch;
  if (orders->mode == IPAFUZZ_PERSISTENT) ipafuzz_catch_crashes ();
  const struct ipafuzz_task *tasks = tasks_of (batch);
  uint64_t begin = now ();
  uint32_t i = 0;
  for (; i < orders->jobs_per_slot && tasks[i].trace_words; i++) {
    /* This comes before control names the trace: earlier output belongs to earlier traces. */
    note_output (records_of (batch) + i, i);
    /* Control names the trace before a crash can go to it: the parent looks for the crash in the
     * trace that control names and, if that has not begun, in the one before. */
    control->job = i;
    control->serial++;
    ipafuzz_crash_goes_to (records_of (batch) + i);
    records_of (batch)[i].begun = IPAFUZZ_BEGUN;
    control->running = 1;
    if (orders->mode == IPAFUZZ_FORK)
      run_forked (batch, i);
    else
      begin = run_job (batch, i, begin);
    control->running = 0;
  }
  if (orders->mode != IPAFUZZ_PERSISTENT) return;
  ipafuzz_end_leftovers (LEFTOVERS_KEPT);
  if (i) records_of (batch)[i - 1].output_to = output_size ();
  ipafuzz_crash_goes_to (&control->idle); /* the parent fills the slot again */
}

_Noreturn void ipafuzz_worker (int fd, const struct ipafuzz_target *linked) {
  parent = getppid ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent) _exit (IPAFUZZ_EXIT_QUIT);
  map_memory (fd);
  loads_each = getenv (IPAFUZZ_LOADS_VARIABLE) != 0;
  control->loads_each = (uint32_t) loads_each;
  /* Processes that the target starts are not workers. */
  unsetenv (IPAFUZZ_WORKER_VARIABLE);
  unsetenv (IPAFUZZ_LOADS_VARIABLE);
  const int may_load_each = orders->mode == IPAFUZZ_FORK && !linked && !loads_each;
  if (!may_load_each)
    close (fd);
  else if (fcntl (fd, F_SETFD, FD_CLOEXEC))
    _exit (IPAFUZZ_EXIT_SETUP);
  limit (RLIMIT_CORE, 0);
  if (fstat (STDERR_FILENO, &output)) _exit (IPAFUZZ_EXIT_SETUP);
  if (orders->limit_file_size) limit (RLIMIT_FSIZE, orders->limit_file_size);
  read_settings ();
  ipafuzz_prepare_crashes ();
  if (!loads_each) { /* else the target has introduced itself to the first worker */
    find_target (linked);
    introduce ();
    try_settings ();
  }
  if (may_load_each) {
    load_each_if_needed (fd);
    close (fd);
  }
  ipafuzz_failing.interpose = ipafuzz_interpose_allocations;
  if (orders->mode == IPAFUZZ_FORK) prctl (PR_SET_CHILD_SUBREAPER, 1);
  ipafuzz_catch_crashes ();
  fflush (stdout); /* otherwise each forked child would print it again */
  say_hello (IPAFUZZ_READY);
  for (uint32_t batch = 0;; batch++) {
    await_batch (batch);
    __atomic_thread_fence (__ATOMIC_ACQUIRE); /* before the posted batch is read */
    run_batch (batch);
    __atomic_thread_fence (__ATOMIC_SEQ_CST);
    control->done = batch + 1;
    __atomic_thread_fence (__ATOMIC_SEQ_CST);
    if (orders->waiting) syscall (SYS_futex, &control->done, FUTEX_WAKE, INT_MAX, 0, 0, 0);
  }
}
