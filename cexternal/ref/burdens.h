/* Burdens: ways to be expensive, selected by a solver's option 'burden'. Each combines
 * with every planted defect (defects.h). They measure whether a fuzzer still finds
 * the defect soon in a library that is bad at something else.
 *
 *   none     the default
 *   tables   tables sized by the largest variable named so far, 100 bytes a variable,
 *            which grow by half at a time; variables near 2^31 would take 200 GB
 *   vectors  a table of two entries for each variable, whose length is an int: a variable
 *            above 2^30 ends the process with the words of std::length_error
 *   slow     a solve takes 20 ms of processor time more
 *   memory   a solve under seven or more assumed variables allocates 1,920 MiB, touches
 *            them and then aborts: about one trace in 100
 *   hangs    a solve hangs if the hash of the solver's first clause is divisible by 60:
 *            about one trace in 100
 *
 * So all but 'slow' add a fault. All are deterministic: the calls decide. */
#ifndef REF_BURDENS_H
#define REF_BURDENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector.h"

#pragma GCC visibility push(hidden)

enum ref_burden_kind {
  REF_BURDEN_NONE,
  REF_BURDEN_TABLES,
  REF_BURDEN_SLOW,
  REF_BURDEN_MEMORY,
  REF_BURDEN_HANGS,
  REF_BURDEN_VECTORS
};

/* What a burdened solver keeps; zeroed at first. */
struct ref_burden {
  char *table;
  size_t variables; /* of the table */
  uint64_t hash;    /* of the first clause, as far as it is complete */
  bool hashed;      /* the first clause is complete */
};

/* The user names a literal. */
void ref_burden_name (struct ref_burden *burden, int32_t kind, int32_t literal);

/* The user adds a literal to a clause, or the closing 0. */
void ref_burden_add (struct ref_burden *burden, int32_t kind, int32_t literal_or_zero);

/* A solve begins. */
void ref_burden_solve (const struct ref_burden *burden, int32_t kind,
                       const struct ref_vector *assumptions);

void ref_burden_free (struct ref_burden *burden);

#pragma GCC visibility pop

#endif
