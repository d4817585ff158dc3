/* Planted defects that show only when instances run at the same time. */
#include "at_once.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { ENTRIES = 1 << 16, WRITABLE = 1, SCRATCH = 64 };

static atomic_int users;               /* handles that are open */
static _Atomic (uint8_t *) kept_signs; /* of every variable: whether to keep its literals */
static volatile uint8_t *volatile signs;

void ref_at_once_open (void) { atomic_fetch_add (&users, 1); }

void ref_at_once_close (void) {
  if (atomic_fetch_sub (&users, 1) > 1) return;
  /* Another handle may be opened and closed meanwhile. */
  uint8_t *const old = atomic_exchange (&kept_signs, 0);
  if (!old) return;
  signs = 0;
  free (old);
}

/* DEFECT: the second thread finds a table that is not filled yet. */
bool ref_lazy_table_keeps (ref_lit literal) {
  if (!signs) {
    uint8_t *fresh = calloc (ENTRIES, 1);
    if (!fresh) return true;
    kept_signs = fresh;
    signs = fresh;
    for (int32_t i = 0; i < ENTRIES; i++) signs[ENTRIES - 1 - i] = WRITABLE;
  }
  return signs[ref_variable_of (literal) % ENTRIES] == WRITABLE;
}

/* DEFECT: all instances sort their clauses in one place. */
void ref_sort_in_shared_scratch (struct ref_vector *clause) {
  static volatile ref_lit scratch[SCRATCH];
  if (clause->size > SCRATCH) return;
  for (size_t i = 0; i < SCRATCH; i++)
    scratch[i] = i < clause->size ? clause->data[i] : INT32_MAX; /* behind all others */
  for (size_t i = 0; i < SCRATCH; i++)
    for (size_t k = i + 1; k < SCRATCH; k++)
      if (scratch[k] < scratch[i]) {
        const ref_lit smaller = scratch[k];
        scratch[k] = scratch[i];
        scratch[i] = smaller;
      }
  for (size_t i = 0; i < clause->size; i++)
    if (scratch[i] != INT32_MAX) clause->data[i] = scratch[i];
}
