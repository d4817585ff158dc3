/* The lock that a delivery of learned clauses holds. */
#ifndef IPAFUZZ_LOCK_H
#define IPAFUZZ_LOCK_H

#include <signal.h>
#include <stdatomic.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h> /* glibc 2.32 */
#else
enum { __libc_single_threaded = 0 };
#endif

/* Several threads of a library may deliver clauses at the same time. The address of a
 * variable of the thread tells which thread is the holder. A signal handler of the library
 * may leave a delivery by longjmp, so no handler runs while the lock is held, except for a
 * fault. A process with one thread needs no lock and no system calls. */
static _Thread_local char ipafuzz_self;
static _Atomic (char *) ipafuzz_holder;

struct ipafuzz_lock {
  int is_held;
  sigset_t before; /* the signals that were blocked before */
};

static void ipafuzz_block_signals (sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t all;
  sigfillset (&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset (&all, faults[i]);
  pthread_sigmask (SIG_BLOCK, &all, before);
}

static struct ipafuzz_lock ipafuzz_take_lock (void) {
  char *free = 0;
  struct ipafuzz_lock l;
  l.is_held = !__libc_single_threaded;
  if (!l.is_held) return l;
  ipafuzz_block_signals (&l.before);
  /* A fault handler that left a delivery left the lock to this thread. */
  if (atomic_load (&ipafuzz_holder) == &ipafuzz_self) return l;
  while (!atomic_compare_exchange_weak (&ipafuzz_holder, &free, &ipafuzz_self)) free = 0;
  return l;
}

static void ipafuzz_release_lock (const struct ipafuzz_lock *l) {
  if (!l->is_held) return;
  atomic_store (&ipafuzz_holder, 0);
  pthread_sigmask (SIG_SETMASK, &l->before, 0);
}

#endif
