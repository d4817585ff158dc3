/* A clausal proof in DRAT text: learned and deleted clauses, in the user's
 * literals, so that a checker that was given the clauses of the trace accepts
 * it. A solve that fails under assumptions adds the clause "one of the core is
 * false". Costs nothing unless a file was given with ref_set_proof. */
#ifndef REF_PROOF_H
#define REF_PROOF_H

#include "sat.h"

#pragma GCC visibility push(hidden)

void ref_proof_write (struct ref_sat *sat, const char *prefix, const ref_lit *literals, size_t count);

static inline void ref_proof_add (struct ref_sat *sat, const ref_lit *literals, size_t count)
{
  if (sat->proof)
    ref_proof_write (sat, "", literals, count);
}

static inline void ref_proof_delete (struct ref_sat *sat, const ref_lit *literals, size_t count)
{
  if (sat->proof)
    ref_proof_write (sat, "d ", literals, count);
}

#pragma GCC visibility pop

#endif
