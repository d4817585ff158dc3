/* A map from the user's variables, 1 to INT32_MAX, to dense numbers from 0.
 *
 * It is a hash map, so a clause over the variable INT32_MAX costs no more than
 * one over the variable 1.
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
  struct ref_vector names; /* the user's name of each variable */
};

/* Both return the solver's literal for a user's literal. For a new name, intern
 * makes a variable and find returns REF_NONE. */
ref_lit ref_names_intern (struct ref_names *names, int32_t user_literal);
ref_lit ref_names_find (const struct ref_names *names, int32_t user_literal);
void ref_names_free (struct ref_names *names);

static inline int32_t ref_names_user (const struct ref_names *names, ref_lit literal) {
  int32_t name = names->names.data[ref_variable_of (literal)];
  return ref_is_negative (literal) ? -name : name;
}

#pragma GCC visibility pop

#endif
