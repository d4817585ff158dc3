#include "vector.h"

#include <stdio.h>
#include <stdlib.h>

#include "defects.h"

static _Noreturn void out_of_memory (size_t bytes) {
  fprintf (stderr, "ipafuzz reference library: out of memory (%zu bytes wanted)\n", bytes);
  abort ();
}

atomic_int ref_allocation_defect;

/* DEFECT UNCHECKED_ALLOCATION */
static int unchecked (void) { return ref_allocation_defect == REF_DEFECT_UNCHECKED_ALLOCATION; }

void *ref_allocate_zeroed (size_t bytes) {
  void *memory = calloc (1, bytes);
  if (memory || unchecked ()) return memory;
  memory = calloc (1, bytes); /* other threads may have given memory back */
  if (!memory) out_of_memory (bytes);
  return memory;
}

void *ref_resize (void *memory, size_t count, size_t element_bytes) {
  size_t bytes;
  if (__builtin_mul_overflow (count, element_bytes, &bytes)) out_of_memory (SIZE_MAX);
  void *resized = realloc (memory, bytes);
  if (resized || unchecked ()) return resized;
  resized = realloc (memory, bytes);
  if (!resized) out_of_memory (bytes);
  return resized;
}

/* At most 2^30 elements, so that offsets, and literals of a vector's variables, are
 * positive ints. */
void ref_vector_grow (struct ref_vector *vector) {
  if (vector->capacity >= (size_t) 1 << 30) out_of_memory (SIZE_MAX);
  size_t capacity = vector->capacity ? 2 * vector->capacity : 16;
  if (ref_allocation_defect == REF_DEFECT_LOST_IN_FAILURE && vector->data) { /* DEFECT */
    void *resized = realloc (vector->data, capacity * sizeof *vector->data);
    if (!resized) return;
    vector->data = resized;
  } else
    vector->data = ref_resize (vector->data, capacity, sizeof *vector->data);
  vector->capacity = capacity;
}

void ref_vector_free (struct ref_vector *vector) {
  free (vector->data);
  vector->data = NULL;
  vector->size = vector->capacity = 0;
}
