#include "names.h"

#include <stdlib.h>
#include <string.h>

/* Fibonacci hashing, because most names are small and consecutive. */
static size_t home_slot (const struct ref_names *names, int32_t name) {
  return ((uint32_t) name * 2654435769u >> 7) & (names->slot_count - 1);
}

static struct ref_names_slot *slot_of (const struct ref_names *names, int32_t name) {
  size_t slot = home_slot (names, name);
  while (names->slots[slot].name && names->slots[slot].name != name)
    slot = (slot + 1) & (names->slot_count - 1);
  return names->slots + slot;
}

/* Doubles the table, which is never more than half full. */
static void grow (struct ref_names *names) {
  struct ref_names_slot *old = names->slots;
  size_t old_count = names->slot_count;
  names->slot_count = old_count ? 2 * old_count : 32;
  names->slots = ref_allocate_zeroed (names->slot_count * sizeof *names->slots);
  for (size_t i = 0; i < old_count; i++)
    if (old[i].name) *slot_of (names, old[i].name) = old[i];
  free (old);
}

ref_lit ref_names_find (const struct ref_names *names, int32_t user_literal) {
  if (!names->slot_count) return REF_NONE;
  const struct ref_names_slot *slot = slot_of (names, abs (user_literal));
  return slot->name ? ref_literal (slot->variable, user_literal < 0) : REF_NONE;
}

ref_lit ref_names_intern (struct ref_names *names, int32_t user_literal) {
  int32_t name = abs (user_literal);
  if (2 * names->names.size >= names->slot_count) grow (names);
  struct ref_names_slot *slot = slot_of (names, name);
  if (!slot->name) {
    slot->name = name;
    slot->variable = (int32_t) names->names.size;
    ref_push (&names->names, name);
  }
  return ref_literal (slot->variable, user_literal < 0);
}

void ref_names_free (struct ref_names *names) {
  free (names->slots);
  names->slots = NULL;
  names->slot_count = 0;
  ref_vector_free (&names->names);
}
