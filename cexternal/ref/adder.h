/* Adding up weights in binary. */
#ifndef REF_ADDER_H
#define REF_ADDER_H

#include "maxsat.h"

#pragma GCC visibility push(hidden)

enum { REF_ADDER_BITS = 64 };

/* The literals of the binary digits of the sum of the true terms' weights,
 * lowest first; REF_NONE: that digit is always 0. The sum of all weights must
 * be below 2^64. At most one full adder (14 clauses) a term and digit. */
void ref_adder_build (struct ref_maxsat *maxsat, ref_lit digits[REF_ADDER_BITS]);

/* Demands that the number is at most the bound. */
void ref_adder_at_most (struct ref_sat *sat, const ref_lit digits[REF_ADDER_BITS], uint64_t bound);

#pragma GCC visibility pop

#endif
