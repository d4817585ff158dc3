/* A growing array of 32-bit integers, and allocation that cannot fail for long.
 *
 * The first push allocates: a fuzzer makes millions of instances that never learn
 * a clause or assume a literal.
 */
#ifndef REF_VECTOR_H
#define REF_VECTOR_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Both try twice, and abort with a line on stderr when there is no memory: a wrong answer
 * would be worse. */
void *ref_allocate_zeroed (size_t bytes);
void *ref_resize (void *memory, size_t count, size_t element_bytes);

/* The planted defect of these functions, 0: none. They know no solver. */
extern atomic_int ref_allocation_defect;

struct ref_vector {
  int32_t *data;
  size_t size, capacity;
};

void ref_vector_grow (struct ref_vector *vector);
void ref_vector_free (struct ref_vector *vector);

static inline void ref_push (struct ref_vector *vector, int32_t value) {
  if (vector->size == vector->capacity) {
    ref_vector_grow (vector);
    if (vector->size == vector->capacity) return; /* only with a planted defect */
  }
  vector->data[vector->size++] = value;
}

#pragma GCC visibility pop

#endif
