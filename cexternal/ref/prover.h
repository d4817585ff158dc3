/* The SAT solver without defects, for one formula at a time, with a proof. */
#ifndef REF_PROVER_H
#define REF_PROVER_H

#include <stdatomic.h>

#include "options.h"
#include "proof.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* A prover keeps memory between formulas, nothing else. */
struct ref_prover {
  struct ref_proof proof;
  struct ref_vector clause, model;
  atomic_bool is_interrupted; /* gives up at once; any thread may set it */
};

enum { REF_PROVER_ANSWERED, REF_PROVER_BAD_LITERAL, REF_PROVER_OPEN_CLAUSE };

struct ref_prover_answer {
  int32_t status; /* REF_SATISFIABLE, REF_UNSATISFIABLE, REF_INTERRUPTED */
  uint64_t conflicts;
  /* The true literals and the proof; valid until the next call. */
  const int32_t *model;
  size_t model_size;
  const char *proof;
  size_t proof_size;
};

struct ref_prover *ref_prover_open (void);
void ref_prover_close (struct ref_prover *prover);

/* Makes solves give up at once, the one in progress too, or lets them work again. Any
 * thread may call it. */
void ref_prover_interrupt (struct ref_prover *prover, bool interrupted);

/* Solves a formula, in which 0 ends each clause. Gives up (REF_INTERRUPTED) after
 * the given number of conflicts, when the proof exceeds proof_limit bytes, or
 * when the clauses fill 256 MiB. Returns REF_PROVER_ANSWERED, or what is wrong with
 * the formula. */
int ref_prover_solve (struct ref_prover *prover, const int32_t *formula, size_t size,
                      uint64_t conflicts, size_t proof_limit, struct ref_prover_answer *answer);

#pragma GCC visibility pop

#endif
