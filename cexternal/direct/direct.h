/* One call of a library at a time, with callbacks that record what they see. */
#ifndef IPAFUZZ_DIRECT_H
#define IPAFUZZ_DIRECT_H

#include <stdint.h>

#include "target.h"

/* What the callbacks of one solver saw during the last solve. */
struct ipafuzz_seen {
  uint32_t stop_at; /* terminate asks to stop from this call on; 0: never */
  uint32_t polls, polls_after;
  uint32_t bound, learned, too_long;
  uint32_t others_polls, others_learned; /* its calls of the callbacks of other solvers */
  uint32_t used, room;
  int32_t *clauses; /* room numbers; 0 ends each clause */
};

void ipafuzz_direct_terminate (const struct ipafuzz_target *, void *solver, struct ipafuzz_seen *,
                               int on);
void ipafuzz_direct_learn (const struct ipafuzz_target *, void *solver, struct ipafuzz_seen *,
                           int on);

const char *ipafuzz_direct_signature (const struct ipafuzz_target *);
const char *ipafuzz_direct_describe (const struct ipafuzz_target *);
void *ipafuzz_direct_init (const struct ipafuzz_target *);
void ipafuzz_direct_release (const struct ipafuzz_target *, void *solver);
void ipafuzz_direct_add (const struct ipafuzz_target *, void *solver, const int32_t *lits,
                         uint32_t count, int close);
void ipafuzz_direct_soft (const struct ipafuzz_target *, void *solver, int32_t lit,
                          uint64_t weight);
void ipafuzz_direct_assume (const struct ipafuzz_target *, void *solver, int32_t lit);
int ipafuzz_direct_solve (const struct ipafuzz_target *, void *solver, struct ipafuzz_seen *);
int32_t ipafuzz_direct_val (const struct ipafuzz_target *, void *solver, int32_t lit);
int ipafuzz_direct_failed (const struct ipafuzz_target *, void *solver, int32_t lit);
uint64_t ipafuzz_direct_obj (const struct ipafuzz_target *, void *solver);
int ipafuzz_direct_option (const struct ipafuzz_target *, void *solver, const char *name,
                           const char *value);
void ipafuzz_direct_havoc (const struct ipafuzz_target *, void *solver, uint64_t value);

/* Makes a call of model qbf that IPASIR lacks; op is its number in opcodes.h. level is the level
 * of extend or the number of a group; vars are the variables of a block. */
void ipafuzz_direct_quantified (const struct ipafuzz_target *, void *solver, uint32_t op,
                                int32_t level, const int32_t *vars, uint32_t count);

#endif
