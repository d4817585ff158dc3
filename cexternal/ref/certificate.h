/* A proof for VeriPB that a solution is optimal, or that there is none.
 *
 * It is made on request, in a search of its own, so VeriPB need not follow the encodings of the
 * engines. It consists of the solution and of clauses. Each clause follows by unit propagation
 * from the clauses before it, the formula, and the demand for a lower cost; the last one is empty.
 * The constraints of the formula are the hard clauses in their order, then the assumptions.
 */
#ifndef REF_CERTIFICATE_H
#define REF_CERTIFICATE_H

#include "maxsat.h"
#include "names.h"
#include "proof.h"

#pragma GCC visibility push(hidden)

/* What is to be proved. */
struct ref_claim {
  const struct ref_problem *problem;
  const struct ref_names *names;
  const struct ref_options *options;
  const int8_t *model; /* of each variable: 1 or -1; NULL: there is no solution */
  const int8_t *older; /* an earlier solution, for a planted defect, or NULL */
  uint64_t cost;
};

/* Writes the proof. Gives up when the search takes too long, or finds that the claim is false. */
void ref_certify (struct ref_proof *proof, const struct ref_claim *claim);

#pragma GCC visibility pop

#endif
