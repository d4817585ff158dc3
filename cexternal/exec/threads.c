#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "exec.h"
#include "opcodes.h"
#include "run.h"

enum { MOST_THREADS = 64, PATIENCE = 10000, SHORT_WAIT = 1000 };

/* The threads of a trace: each makes the calls of one instance, in their order. */
static struct thread {
  struct run run;
  struct place from;
  pthread_t id;
  int result;
} threads[MOST_THREADS];

static atomic_uint waiting; /* threads that have not yet reached the start */

/* Calls take a microsecond, so two of them seldom overlap by chance. Before each call, a thread
 * waits until the next thread has caught up, but never long: that may be in a long call. */
static atomic_uint made[MOST_THREADS]; /* calls of each thread */
static uint32_t running;

void ipafuzz_meet (const struct run *run) {
  const uint32_t self =
    (uint32_t) (((const char *) run - (const char *) threads) / (ptrdiff_t) sizeof *threads);
  const uint32_t count = atomic_fetch_add (made + self, 1) + 1;
  const uint32_t next = (self + 1) % running;
  for (uint32_t spins = 0; spins < SHORT_WAIT && atomic_load (made + next) < count; spins++)
    continue;
}

static void *begin (void *thread) {
  struct thread *t = thread;
  atomic_fetch_sub (&waiting, 1);
  /* This spins, because a lock would let the threads start one after the other. */
  for (uint32_t spins = 1; atomic_load (&waiting); spins++)
    if (!(spins % PATIENCE)) sched_yield ();
  t->result = ipafuzz_walk (t->from, &t->run);
  atomic_store (made + (t - threads), UINT32_MAX); /* nobody waits for it */
  return 0;
}

/* Counts the words that the answers of an instance may take, without learned clauses. Returns
 * UINT32_MAX if the trace is damaged. Sets *called if the instance has calls. */
static uint32_t room_of (struct place at, const struct run *as, uint32_t instance, int *called) {
  uint64_t room = 0;
  *called = 0;
  for (const uint32_t *p = at.p; at.call < as->calls; at.call++) {
    if (as->end - p < 2 || p[1] > (uint64_t) (as->end - p - 2)) return UINT32_MAX;
    const uint32_t op = p[0] & 0xff;
    if (op >= IPAFUZZ_NUM_OPS) return UINT32_MAX;
    if (p[0] >> IPAFUZZ_CALL_INSTANCE_SHIFT == instance) {
      if (ipafuzz_calls[op].reply == IPAFUZZ_REPLY_MODEL && p[1] < 2) return UINT32_MAX;
      room += ipafuzz_answer_bound (op, p + 2, p[1]);
      *called = 1;
    }
    p += 2 + p[1];
  }
  return room > as->room ? UINT32_MAX : (uint32_t) room;
}

/* Copies the answers into those of the whole run, in the order of the calls. */
static int merge (struct place at, struct run *as, uint32_t count) {
  const uint32_t *next[MOST_THREADS];
  for (uint32_t i = 0; i < count; i++) next[i] = threads[i].run.answers;
  for (const uint32_t *p = at.p; at.call < as->calls; at.call++, p += 2 + p[1]) {
    uint32_t i = 0;
    while (i < count && threads[i].run.only != p[0] >> IPAFUZZ_CALL_INSTANCE_SHIFT) i++;
    if (i == count) return IPAFUZZ_BAD_TRACE;
    const uint32_t words = 1 + (*next[i] >> IPAFUZZ_ANSWER_PAYLOAD_SHIFT);
    if (words > as->room - as->used) return IPAFUZZ_NO_ROOM;
    memcpy (as->answers + as->used, next[i], words * sizeof *next[i]);
    as->used += words;
    next[i] += words;
  }
  as->progress->answer_words = as->used;
  as->progress->call = as->calls;
  return IPAFUZZ_OK;
}

int ipafuzz_walk_in_threads (struct place from, struct run *as, struct instance *instances) {
  uint32_t count = 0;
  uint64_t words = 0;
  for (uint32_t i = 0; i < as->num_instances; i++) {
    int called;
    const uint32_t room = room_of (from, as, i, &called);
    if (room == UINT32_MAX) return IPAFUZZ_BAD_TRACE;
    if (!called) continue;
    if (count == MOST_THREADS) return ipafuzz_walk (from, as); /* in order, as without threads */
    threads[count] = (struct thread){.run = *as, .from = from};
    threads[count].run.only = i;
    threads[count++].run.room = room;
  }
  if (!count) return ipafuzz_walk (from, as);
  as->progress->answer_words = as->used;
  const uint32_t learned = as->learn_room / count;
  for (uint32_t i = 0; i < count; i++) words += threads[i].run.room += learned;
  const size_t bytes = words * sizeof (uint32_t) + 1;
  uint32_t *memory = mmap (0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return IPAFUZZ_NO_ROOM;
  uint32_t *free_words = memory;
  for (uint32_t i = 0; i < count; i++) {
    struct run *run = &threads[i].run;
    run->answers = free_words;
    run->used = 0;
    run->learn_room = learned;
    free_words += run->room;
    instances[run->only].run = run;
  }
  running = count;
  for (uint32_t i = 0; i < count; i++) atomic_store (made + i, 0);
  atomic_store (&waiting, count);
  ipafuzz_failing.together = from.call + 1; /* which thread makes which call now, nobody knows */
  uint32_t started = 0;
  while (started < count && !pthread_create (&threads[started].id, 0, begin, threads + started))
    started++;
  atomic_fetch_sub (&waiting, count - started);
  int result = started == count ? IPAFUZZ_OK : IPAFUZZ_NO_ROOM;
  for (uint32_t i = 0; i < started; i++) {
    pthread_join (threads[i].id, 0);
    if (!result) result = threads[i].result;
  }
  ipafuzz_failing.together = 0;
  if (!result) result = merge (from, as, count);
  for (uint32_t i = 0; i < count; i++) instances[threads[i].run.only].run = as;
  munmap (memory, bytes);
  return result;
}
