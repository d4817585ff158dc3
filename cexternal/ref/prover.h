/* The healthy SAT solver, asked for one answer to one formula, with a proof. */
#ifndef REF_PROVER_H
#define REF_PROVER_H

#include "options.h"
#include "proof.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* What is kept between two formulas is memory only. */
struct ref_prover {
  struct ref_proof proof;
  struct ref_vector clause, model;
};

enum { REF_PROVER_ANSWERED, REF_PROVER_BAD_LITERAL, REF_PROVER_OPEN_CLAUSE };

struct ref_prover_answer {
  int32_t status; /* REF_SATISFIABLE, REF_UNSATISFIABLE, REF_INTERRUPTED */
  uint64_t conflicts;
  /* Valid until the next call: the true literals; the proof. */
  const int32_t *model;
  size_t model_size;
  const char *proof;
  size_t proof_size;
};

struct ref_prover *ref_prover_open (void);
void ref_prover_close (struct ref_prover *prover);

/* Gives up after so many conflicts, when the proof has more bytes than that,
 * or when the clauses fill 256 MiB. */
int ref_prover_solve (struct ref_prover *prover, const int32_t *formula, size_t size,
                      uint64_t conflicts, size_t proof_limit, struct ref_prover_answer *answer);

#pragma GCC visibility pop

#endif
