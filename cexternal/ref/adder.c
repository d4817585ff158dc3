#include "adder.h"

#include "defects.h"

/* Defines output by a truth table: bit i is its value when the inputs, the first
 * lowest, are the binary digits of i. */
static void define (struct ref_sat *sat, ref_lit output, const ref_lit *inputs, unsigned count,
                    unsigned truth_table) {
  for (unsigned i = 0; i < 1u << count; i++) {
    ref_lit clause[4];
    for (unsigned j = 0; j < count; j++)
      clause[j] = i >> j & 1 ? ref_negate (inputs[j]) : inputs[j];
    clause[count] = truth_table >> i & 1 ? output : ref_negate (output);
    ref_sat_add (sat, clause, count + 1);
  }
}

/* Adds two or three digits of one place: the sum has a digit there and a carry in the
 * next place. */
static void add_digits (struct ref_sat *sat, const ref_lit *inputs, unsigned count, ref_lit *sum,
                        ref_lit *carry) {
  *sum = ref_sat_new_literal (sat);
  *carry = ref_sat_new_literal (sat);
  define (sat, *sum, inputs, count, count == 2 ? 0x6 : 0x96);
  define (sat, *carry, inputs, count, count == 2 ? 0x8 : 0xe8);
}

void ref_adder_build (struct ref_maxsat *maxsat, ref_lit digits[REF_ADDER_BITS]) {
  struct ref_sat *sat = &maxsat->sat;
  struct ref_vector place = {0}, next = {0};
  for (int i = 0; i < REF_ADDER_BITS; i++) {
    for (size_t j = 0; j < maxsat->term_count; j++)
      if (maxsat->terms[j].weight >> i & 1) ref_push (&place, maxsat->terms[j].literal);
    /* Taking digits in order makes a balanced tree of adders. */
    size_t first = 0;
    while (place.size - first > 1) {
      unsigned count = place.size - first > 2 ? 3 : 2;
      ref_lit sum, carry;
      add_digits (sat, place.data + first, count, &sum, &carry);
      first += count;
      ref_push (&place, sum);
      if (HAS (maxsat->options, CARRY_LOST) && count == 2) continue; /* DEFECT */
      ref_push (&next, carry);
    }
    digits[i] = place.size > first ? place.data[first] : REF_NONE;
    /* The next place starts with the carries. */
    struct ref_vector empty = place;
    empty.size = 0;
    place = next;
    next = empty;
  }
  /* Carries out of the last place are 0, because the sum fits. */
  ref_vector_free (&place);
  ref_vector_free (&next);
}

/* A number exceeds the bound if it has a 1 where the bound has a 0, and no 0 above
 * that place where the bound has a 1. */
void ref_adder_at_most (struct ref_sat *sat, const ref_lit digits[REF_ADDER_BITS], uint64_t bound) {
  for (int i = 0; i < REF_ADDER_BITS; i++) {
    if (bound >> i & 1 || digits[i] == REF_NONE) continue;
    ref_lit clause[REF_ADDER_BITS];
    size_t size = 0;
    bool always_smaller = false;
    clause[size++] = ref_negate (digits[i]);
    for (int j = i + 1; j < REF_ADDER_BITS; j++) {
      if (!(bound >> j & 1)) continue;
      if (digits[j] == REF_NONE)
        always_smaller = true;
      else
        clause[size++] = ref_negate (digits[j]);
    }
    if (!always_smaller) ref_sat_add (sat, clause, size);
  }
}
