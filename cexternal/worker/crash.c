#include "crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGABRT,
                             SIGTRAP, SIGSYS, SIGTERM, SIGXFSZ};

/* The handler has its own stack, so it can handle a stack overflow. */
static char stack[1 << 16];
static int sanitized;
static int first;          /* the signal that kills the process */
static pid_t first_thread; /* where it came */

/* The record of the trace that runs or ran last. CRASHED, its lowest bit, says that a thread has
 * crashed. One word, so that the crash and the next trace cannot both come first. */
static uintptr_t current;
enum { CRASHED = 1 };

static void die_of (int signal) {
  struct sigaction usual;
  memset (&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  sigaction (signal, &usual, 0);
  sigset_t only;
  sigemptyset (&only);
  sigaddset (&only, signal);
  raise (signal);
  sigprocmask (SIG_UNBLOCK, &only, 0);
}

static void note (int signal, siginfo_t *info, void *context) {
  (void) context;
  const uintptr_t blamed = __atomic_fetch_or (&current, CRASHED, __ATOMIC_SEQ_CST);
  struct ipafuzz_job *job = (struct ipafuzz_job *) (blamed & ~(uintptr_t) CRASHED);
  const pid_t thread = (pid_t) syscall (SYS_gettid);
  ipafuzz_failing.left = 0; /* so that no allocation of this handler fails */
  if (blamed & CRASHED) {
    if (__atomic_load_n (&first_thread, __ATOMIC_SEQ_CST) != thread) ipafuzz_wait_for_crash ();
    die_of (first); /* the code below has crashed */
  }
  first = signal;
  __atomic_store_n (&first_thread, thread, __ATOMIC_SEQ_CST);
  if (job) {
    const int own_thread = ipafuzz_blame_this_thread ();
    job->code = info->si_code;
    job->address = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL
                     ? (uint64_t) (uintptr_t) info->si_addr
                     : 0;
    struct rlimit size;
    if (signal == SIGXFSZ && !getrlimit (RLIMIT_FSIZE, &size)) job->address = size.rlim_cur;
    /* Unless the executor started this thread, only the main thread makes calls. Its id is that of
     * the process. */
    job->other_thread = !own_thread && thread != getpid ();
    job->signal = signal;
    /* From here on the handler may crash or hang (a smashed stack, a lock held by the dynamic
     * linker). By now it has recorded the most important facts, and a hang ends at the time
     * limit. */
    void *pc[IPAFUZZ_FRAMES + 2];
    const int n = backtrace (pc, IPAFUZZ_FRAMES + 2);
    struct ipafuzz_stack *to = (struct ipafuzz_stack *) (void *) ((char *) job + job->stack_offset);
    for (int i = 2; i < n; i++) { /* without this function and the signal trampoline */
      struct ipafuzz_frame *frame = to->frames + (i - 2);
      Dl_info module;
      if (dladdr (pc[i], &module) && module.dli_fname) {
        frame->offset = (uint64_t) ((char *) pc[i] - (char *) module.dli_fbase);
        const size_t length = strlen (module.dli_fname);
        const char *tail = module.dli_fname;
        if (length >= IPAFUZZ_MODULE_BYTES) tail += length - IPAFUZZ_MODULE_BYTES + 1;
        strcpy (frame->module, tail);
      } else {
        frame->offset = (uint64_t) (uintptr_t) pc[i];
        strcpy (frame->module, "?");
      }
      job->num_frames = (uint32_t) (i - 1);
    }
  }
  die_of (signal);
}

/* Extends the stack to its limit, and asks for large pages there. Otherwise, a stack overflow takes
 * thousands of page faults, each of which extends the stack by one page, and four times as long.
 * Pages that nobody touches take no memory. */
static void extend_stack (void) {
  struct rlimit most;
  enum { LEAST = 1 << 20, MOST = 64 << 20 };
  const char *top = (const char *) getauxval (AT_EXECFN); /* nothing is above this name */
  if (!top || getrlimit (RLIMIT_STACK, &most) || most.rlim_cur < LEAST || most.rlim_cur > MOST)
    return;
  const uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  const uintptr_t end = ((uintptr_t) top + strlen (top) + sizeof (void *) + page) & ~(page - 1);
  char *begin = (char *) (end - (uintptr_t) most.rlim_cur / page * page + page);
  /* Writing there extends the stack. If the kernel cannot do that, the call fails. */
  if (!syscall (SYS_clock_getres, CLOCK_MONOTONIC, begin))
    madvise (begin, end - (uintptr_t) begin, MADV_HUGEPAGE);
}

void ipafuzz_prepare_crashes (void) {
  extend_stack ();
  void *pc[2];
  backtrace (pc, 2); /* the first call loads libgcc_s, which needs an intact heap */
  sanitized = dlsym (RTLD_DEFAULT, "__asan_init") != 0;
  stack_t own;
  memset (&own, 0, sizeof own);
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack (&own, 0);
}

void ipafuzz_catch_crashes (void) {
  /* A sanitizer's own handlers write a better report; only its final abort matters
   * here. */
  struct sigaction action;
  memset (&action, 0, sizeof action);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
    if (!sanitized || caught[i] == SIGABRT || caught[i] == SIGXFSZ)
      sigaction (caught[i], &action, 0);
}

void ipafuzz_wait_for_crash (void) {
  while (__atomic_load_n (&current, __ATOMIC_SEQ_CST) & CRASHED) pause ();
}

void ipafuzz_crash_goes_to (struct ipafuzz_job *job) {
  uintptr_t before = current & ~(uintptr_t) CRASHED;
  if (!__atomic_compare_exchange_n (&current, &before, (uintptr_t) job, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
    ipafuzz_wait_for_crash ();
}
