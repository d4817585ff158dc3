/* Counts solutions, for the model ipasir+enumerate. */
#ifndef REF_ENUMERATE_H
#define REF_ENUMERATE_H

#include "options.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

/* How many assignments of the variables in the clauses fulfil them, at most
 * most: by blocking each solution in the low half, by splitting on one variable
 * after the other in the high half. Each clause ends with REF_NONE; literals are
 * of the variables 0 to variable_count - 1. */
uint64_t ref_enumerate (const struct ref_vector *clauses, int32_t variable_count,
                        const struct ref_options *options, uint32_t most);

#pragma GCC visibility pop

#endif
