/* Counting solutions, for the model ipasir+enumerate. */
#ifndef REF_ENUMERATE_H
#define REF_ENUMERATE_H

#include "options.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* Counts the assignments to the clauses' variables that satisfy all clauses, up to
 * most. The low half of the result counts by blocking each solution, the high
 * half by splitting on one variable after the other. REF_NONE ends each clause;
 * the variables are below variable_count. */
uint64_t ref_enumerate (const struct ref_vector *clauses, int32_t variable_count,
                        const struct ref_options *options, uint32_t most);

#pragma GCC visibility pop

#endif
