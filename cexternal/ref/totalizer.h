/* A count of true literals: output j is true when at least j + 1 inputs are. */
#ifndef REF_TOTALIZER_H
#define REF_TOTALIZER_H

#include "sat.h"

#pragma GCC visibility push(hidden)

/* Appends as many outputs as there are inputs. An output may be true although
 * fewer inputs are: callers only assume outputs to be false, which does not need
 * the other direction. The last merge adds about count^2 / 2 clauses.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_totalizer_build (struct ref_sat *sat, const ref_lit *inputs, size_t count,
                          struct ref_vector *outputs);

#pragma GCC visibility pop

#endif
