#include "worker.h"

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

#include "crash.h"

#ifndef IPAFUZZ_NO_LOADER
#include "load.h"
#include "ref.h"
#endif

static struct ipafuzz_control *control;
static struct ipafuzz_target target;
static struct ipafuzz_setting settings[IPAFUZZ_MAX_SETTINGS];
static pid_t parent;

/* What a persistent worker lets the target write before it cuts the file. */
enum { OUTPUT_KEPT = 1 << 20 };

static _Noreturn void refuse (const char *message) {
  snprintf (control->message, sizeof control->message, "%s", message);
  control->hello = IPAFUZZ_REFUSED;
  syscall (SYS_futex, &control->hello, FUTEX_WAKE, INT_MAX, 0, 0, 0);
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

/* Both memories are mapped anew: the traces read only, so that a target which
 * writes through a stray pointer cannot change what it is asked next. */
static void map_memory (int fd) {
  struct stat file;
  if (fstat (fd, &file)) _exit (IPAFUZZ_EXIT_SETUP);
  control = mmap (0, (size_t) file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (control == MAP_FAILED) _exit (IPAFUZZ_EXIT_SETUP);
  if (control->magic != IPAFUZZ_CONTROL_MAGIC || control->bytes != sizeof *control ||
      control->total_bytes != (uint64_t) file.st_size)
    _exit (IPAFUZZ_EXIT_SETUP);
  char *traces = (char *) control + control->traces_offset;
  if (mprotect (traces, control->total_bytes - control->traces_offset, PROT_READ))
    _exit (IPAFUZZ_EXIT_SETUP);
  close (fd);
}

static void read_settings (void) {
  if (control->num_settings > IPAFUZZ_MAX_SETTINGS) refuse ("too many options");
  for (uint32_t i = 0; i < control->num_settings; i++) {
    settings[i].name = control->text + control->setting_name[i] % IPAFUZZ_TEXT_BYTES;
    settings[i].value = control->text + control->setting_value[i] % IPAFUZZ_TEXT_BYTES;
  }
}

static void find_target (const struct ipafuzz_target *linked) {
  if (linked) {
    target = *linked;
    return;
  }
#ifndef IPAFUZZ_NO_LOADER
  if (control->source == IPAFUZZ_BUILT_IN) {
    target = control->model == IPAFUZZ_IPASIR ? ref_ipasir_target : ref_ipamir_target;
    return;
  }
  static char words[IPAFUZZ_TEXT_BYTES];
  const char *wrong = ipafuzz_load (control->text + control->path % IPAFUZZ_TEXT_BYTES,
                                    control->model, &target, words, sizeof words);
  if (wrong) refuse (wrong);
#else
  refuse ("this worker was built for one library");
#endif
}

/* A refused option is found here, once, and not in every trace. */
static void try_settings (void) {
  if (!control->num_settings) return;
  if (!target.set_option) refuse ("the target takes no options");
  void *solver = target.init ();
  for (uint32_t i = 0; i < control->num_settings; i++)
    if (target.set_option (solver, settings[i].name, settings[i].value)) {
      static char words[IPAFUZZ_TEXT_BYTES];
      snprintf (words, sizeof words, "the target refuses option %s=%s", settings[i].name,
                settings[i].value);
      refuse (words);
    }
  target.release (solver);
}

static void introduce (void) {
  control->capabilities = (target.set_terminate ? IPAFUZZ_HAS_TERMINATE : 0) |
                          (target.set_learn ? IPAFUZZ_HAS_LEARN : 0) |
                          (target.set_option ? IPAFUZZ_HAS_OPTIONS : 0) |
                          (target.havoc ? IPAFUZZ_HAS_HAVOC : 0);
  const char *signature = target.signature ();
  snprintf (control->signature, sizeof control->signature, "%s", signature ? signature : "");
  if (target.describe) {
    const char *text = target.describe ();
    snprintf (control->describe, sizeof control->describe, "%s", text ? text : "");
  }
}

/* Sleeps until *word is no longer value; ends the process when the parent is gone. */
static void sleep_while (volatile uint32_t *word, uint32_t value) {
  for (int spin = 0; spin < 2000; spin++)
    if (*word != value) return;
  while (*word == value) {
    const struct timespec second = {1, 0};
    syscall (SYS_futex, word, FUTEX_WAIT, value, &second, 0, 0);
    if (getppid () != parent) _exit (IPAFUZZ_EXIT_QUIT);
  }
}

static char *slot_of (uint32_t batch) {
  return (char *) control + control->slot_offset + control->slot_bytes * (batch % control->slots);
}

static void run_job (struct ipafuzz_job *job, uint32_t batch) {
  const char *traces =
      (char *) control + control->traces_offset + control->traces_bytes * (batch % control->slots);
  const uint64_t begin = now ();
  const size_t before = control->measure_heap ? heap_in_use () : 0;
  job->result = ipafuzz_exec (&target, settings, control->num_settings,
                              (const uint32_t *) (const void *) (traces + job->trace_offset),
                              job->trace_words,
                              (uint32_t *) (void *) (slot_of (batch) + job->answer_offset),
                              job->answer_room, &job->progress);
  if (control->measure_heap) job->heap_growth = (int64_t) (heap_in_use () - before);
  job->nanos = now () - begin;
  job->finished = 1;
}

static uint64_t output_size (void) {
  struct stat file;
  return fstat (STDERR_FILENO, &file) ? 0 : (uint64_t) file.st_size;
}

static void run_forked (struct ipafuzz_job *job, uint32_t batch) {
  job->output_from = output_size ();
  const pid_t child = fork ();
  if (child < 0) {
    job->wait_status = -1;
    return;
  }
  if (!child) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    run_job (job, batch);
    _exit (0);
  }
  control->child = child;
  int status;
  while (waitpid (child, &status, 0) < 0 && errno == EINTR) continue;
  control->child = 0;
  job->wait_status = status;
  job->output_to = output_size ();
}

static void run_batch (uint32_t batch) {
  struct ipafuzz_job *jobs = (struct ipafuzz_job *) (void *) slot_of (batch);
  control->batch = batch;
  if (control->mode == IPAFUZZ_PERSISTENT) ipafuzz_catch_crashes ();
  if (output_size () > OUTPUT_KEPT && ftruncate (STDERR_FILENO, 0)) { /* then it grows to its limit */
  }
  for (uint32_t i = 0; i < control->jobs_per_slot && jobs[i].trace_words; i++) {
    ipafuzz_crash_goes_to (jobs + i);
    control->job = i;
    control->serial++;
    control->running = 1;
    if (control->mode == IPAFUZZ_FORK)
      run_forked (jobs + i, batch);
    else
      run_job (jobs + i, batch);
    control->running = 0;
  }
}

_Noreturn void ipafuzz_worker (int fd, const struct ipafuzz_target *linked) {
  parent = getppid ();
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent) _exit (IPAFUZZ_EXIT_QUIT);
  map_memory (fd);
  unsetenv (IPAFUZZ_WORKER_VARIABLE); /* what the target starts is no worker */
  limit (RLIMIT_CORE, 0);
  if (control->limit_address_space) limit (RLIMIT_AS, control->limit_address_space);
  if (control->limit_file_size) limit (RLIMIT_FSIZE, control->limit_file_size);
  read_settings ();
  ipafuzz_prepare_crashes ();
  find_target (linked);
  introduce ();
  try_settings ();
  ipafuzz_catch_crashes ();
  control->hello = IPAFUZZ_READY;
  syscall (SYS_futex, &control->hello, FUTEX_WAKE, INT_MAX, 0, 0, 0);
  for (uint32_t batch = 0;; batch++) {
    sleep_while (&control->posted, batch);
    if (control->quit) _exit (IPAFUZZ_EXIT_QUIT);
    run_batch (batch);
    __atomic_thread_fence (__ATOMIC_SEQ_CST);
    control->done = batch + 1;
    syscall (SYS_futex, &control->done, FUTEX_WAKE, INT_MAX, 0, 0, 0);
  }
}
