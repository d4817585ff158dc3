/* The built-in reference library: an honest solver for both models, in which
 * defects can be planted (defects.h) to see whether a fuzzer finds them.
 *
 * Linked into a program it exports nothing, so that it never stands in for a
 * library under test. Compiled with -DREF_SHARED it is such a library, see
 * export.c.
 */
#ifndef REF_H
#define REF_H

#include "target.h"

#pragma GCC visibility push(hidden)

extern const struct ipafuzz_target ref_ipasir_target, ref_ipamir_target, ref_cadical_target,
  ref_enumerate_target;

/* The one for a model; IPAMIR when there is none of that number. */
const struct ipafuzz_target *ref_target (uint32_t model);

/* Writes a proof (proof.h), which stays the caller's. Right after init, for a
 * solver of IPASIR only; non-zero: refused. It is no option, because traces set
 * options and come from strangers: a proof may take any amount of memory. */
struct ref_proof;
int ref_set_proof (void *solver, struct ref_proof *proof);

/* set_option of both tables. */
int ref_set_solver_option (void *solver, const char *name, const char *value);

#pragma GCC visibility pop

#endif
