/* From the user's variables, any of 1 to INT32_MAX, to dense numbers from 0.
 *
 * A hash map, so that a clause over the variable INT32_MAX costs as much as
 * one over the variable 1. Everything behind this map is dense.
 */
#ifndef REF_NAMES_H
#define REF_NAMES_H

#include "literal.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

struct ref_names_slot {
  int32_t name; /* 0: the slot is free */
  int32_t variable;
};

struct ref_names {
  struct ref_names_slot *slots;
  size_t slot_count;       /* a power of two, or 0 */
  struct ref_vector names; /* of a variable, the user's name */
};

/* The literal of a user's literal; intern makes a variable when the user has
 * never used the name before, find returns REF_NONE. */
ref_lit ref_names_intern (struct ref_names *names, int32_t user_literal);
ref_lit ref_names_find (const struct ref_names *names, int32_t user_literal);
void ref_names_free (struct ref_names *names);

static inline int32_t ref_names_user (const struct ref_names *names, ref_lit literal) {
  int32_t name = names->names.data[ref_variable_of (literal)];
  return ref_is_negative (literal) ? -name : name;
}

#pragma GCC visibility pop

#endif
