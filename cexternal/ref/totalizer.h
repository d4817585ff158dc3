/* Counting true literals: output j is true when at least j + 1 inputs are. */
#ifndef REF_TOTALIZER_H
#define REF_TOTALIZER_H

#include "sat.h"

#pragma GCC visibility push(hidden)

/* Appends the outputs, as many as inputs. The other direction (an output is
 * false when there are fewer) is left open: whoever assumes outputs false
 * needs this one only. About count^2 / 2 clauses for the last merge. */
void ref_totalizer_build (struct ref_sat *sat, const ref_lit *inputs, size_t count,
                          struct ref_vector *outputs);

#pragma GCC visibility pop

#endif
