#include "direct.h"

#include <stdatomic.h>
#include <string.h>

#include "opcodes.h"

/* What belongs to the solver whose solve this thread makes. Threads of the library have none. */
static _Thread_local struct ipafuzz_seen *seen_here;

static int says_stop (void *state) {
  struct ipafuzz_seen *seen = state;
  if (seen_here && seen_here != seen) seen_here->others_polls++;
  seen->polls++;
  if (!seen->stop_at || seen->polls < seen->stop_at) return 0;
  if (seen->polls > seen->stop_at) seen->polls_after++;
  return 1;
}

/* Several threads of a library may deliver clauses at the same time. */
static atomic_flag handing_over = ATOMIC_FLAG_INIT;

static void takes_clause (void *state, int32_t *clause) {
  struct ipafuzz_seen *seen = state;
  if (seen_here && seen_here != seen) seen_here->others_learned++;
  uint32_t length = 0;
  while (clause[length]) length++;
  while (atomic_flag_test_and_set (&handing_over)) continue;
  seen->learned++;
  if (length > seen->bound) seen->too_long++;
  if (length < seen->room - seen->used) {
    memcpy (seen->clauses + seen->used, clause, (length + 1) * sizeof *clause);
    seen->used += length + 1;
  }
  atomic_flag_clear (&handing_over);
}

void ipafuzz_direct_terminate (const struct ipafuzz_target *t, void *solver,
                               struct ipafuzz_seen *seen, int on) {
  t->set_terminate (solver, on ? seen : 0, on ? says_stop : 0);
}

void ipafuzz_direct_learn (const struct ipafuzz_target *t, void *solver, struct ipafuzz_seen *seen,
                           int on) {
  t->set_learn (solver, on ? seen : 0, (int) seen->bound, on ? takes_clause : 0);
}

const char *ipafuzz_direct_signature (const struct ipafuzz_target *t) { return t->signature (); }

const char *ipafuzz_direct_describe (const struct ipafuzz_target *t) {
  return t->describe ? t->describe () : 0;
}

void *ipafuzz_direct_init (const struct ipafuzz_target *t) { return t->init (); }

void ipafuzz_direct_release (const struct ipafuzz_target *t, void *solver) { t->release (solver); }

void ipafuzz_direct_add (const struct ipafuzz_target *t, void *solver, const int32_t *lits,
                         uint32_t count, int close) {
  for (uint32_t i = 0; i < count; i++) t->add (solver, lits[i]);
  if (close) t->add (solver, 0);
}

void ipafuzz_direct_soft (const struct ipafuzz_target *t, void *solver, int32_t lit,
                          uint64_t weight) {
  t->add_soft (solver, lit, weight);
}

void ipafuzz_direct_assume (const struct ipafuzz_target *t, void *solver, int32_t lit) {
  t->assume (solver, lit);
}

int ipafuzz_direct_solve (const struct ipafuzz_target *t, void *solver, struct ipafuzz_seen *seen) {
  seen->polls = seen->polls_after = seen->learned = seen->too_long = seen->used = 0;
  seen->others_polls = seen->others_learned = 0;
  seen_here = seen;
  const int status = t->solve (solver);
  seen_here = 0;
  return status;
}

int32_t ipafuzz_direct_val (const struct ipafuzz_target *t, void *solver, int32_t lit) {
  return t->val (solver, lit);
}

int ipafuzz_direct_failed (const struct ipafuzz_target *t, void *solver, int32_t lit) {
  return t->failed (solver, lit);
}

uint64_t ipafuzz_direct_obj (const struct ipafuzz_target *t, void *solver) {
  return t->val_obj (solver);
}

int ipafuzz_direct_option (const struct ipafuzz_target *t, void *solver, const char *name,
                           const char *value) {
  return ipafuzz_set (t, solver, name, value);
}

void ipafuzz_direct_havoc (const struct ipafuzz_target *t, void *solver, uint64_t value) {
  t->havoc (solver, value);
}

void ipafuzz_direct_quantified (const struct ipafuzz_target *t, void *solver, uint32_t op,
                                int32_t level, const int32_t *vars, uint32_t count) {
  for (uint32_t i = 0; i <= count; i++) {
    const int32_t var = i < count ? vars[i] : 0;
    switch (op) {
    case IPAFUZZ_OP_EXISTS: t->exists (solver, var); break;
    case IPAFUZZ_OP_FORALL: t->forall (solver, var); break;
    case IPAFUZZ_OP_EXTEND: t->extend (solver, level, var); break;
    case IPAFUZZ_OP_PUSH: t->push (solver); break;
    case IPAFUZZ_OP_POP: t->pop (solver); break;
    case IPAFUZZ_OP_OPEN: t->open_group (solver, level); break;
    case IPAFUZZ_OP_CLOSE: t->close_group (solver, level); break;
    case IPAFUZZ_OP_ACTIVATE: t->activate_group (solver, level); break;
    case IPAFUZZ_OP_DEACTIVATE: t->deactivate_group (solver, level); break;
    case IPAFUZZ_OP_DELETE: t->delete_group (solver, level); break;
    default: break;
    }
  }
}
