/* The sum of weights as a binary number. */
#ifndef REF_ADDER_H
#define REF_ADDER_H

#include "maxsat.h"

#pragma GCC visibility push(hidden)

enum { REF_ADDER_BITS = 64 };

/* Encodes the sum of the true terms' weights. The digits are its literals, lowest
 * first; REF_NONE stands for a digit that is always 0. The sum of all weights
 * must be below 2^64. Adds at most one full adder (14 clauses) per term and digit.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_adder_build (struct ref_maxsat *maxsat, ref_lit digits[REF_ADDER_BITS]);

/* Adds clauses that hold exactly when the number is at most the bound.
 *
 *   require (ROOT), ensure (ROOT)
 */
void ref_adder_at_most (struct ref_sat *sat, const ref_lit digits[REF_ADDER_BITS], uint64_t bound);

#pragma GCC visibility pop

#endif
