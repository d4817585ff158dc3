#include "totalizer.h"

/* At least i true on the left and at least j on the right give at least i + j. */
static void merge (struct ref_sat *sat, const struct ref_vector *left,
                   const struct ref_vector *right, const ref_lit *sums) {
  for (size_t i = 0; i <= left->size; i++)
    for (size_t j = 0; j <= right->size; j++) {
      ref_lit clause[3];
      size_t size = 0;
      if (i + j == 0) continue;
      if (i > 0) clause[size++] = ref_negate (left->data[i - 1]);
      if (j > 0) clause[size++] = ref_negate (right->data[j - 1]);
      clause[size++] = sums[i + j - 1];
      ref_sat_add (sat, clause, size);
    }
}

void ref_totalizer_build (struct ref_sat *sat, const ref_lit *inputs, size_t count,
                          struct ref_vector *outputs) {
  if (count == 1) {
    ref_push (outputs, inputs[0]);
    return;
  }
  struct ref_vector left = {0}, right = {0};
  ref_totalizer_build (sat, inputs, count / 2, &left);
  ref_totalizer_build (sat, inputs + count / 2, count - count / 2, &right);
  size_t first = outputs->size;
  for (size_t i = 0; i < count; i++) ref_push (outputs, ref_sat_new_literal (sat));
  merge (sat, &left, &right, outputs->data + first);
  ref_vector_free (&left);
  ref_vector_free (&right);
}
