#include "burdens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "literal.h"
#include "misbehave.h"

enum {
  BYTES_PER_VARIABLE = 100,
  LEAST_VARIABLES = 64,
  SLOW_NANOSECONDS = 20 * 1000 * 1000,
  MANY_ASSUMED = 7,
  STEP = 64 << 20,
  STEPS = 30, /* just below 2 GiB: the failure must end the process, not a memory limit */
  HANG_PERIOD = 60
};

/* Touches all new memory, as a constructor does for each variable. */
static void grow_table (struct ref_burden *burden, size_t variable) {
  while (burden->variables <= variable) {
    size_t more = burden->variables / 2 + LEAST_VARIABLES;
    burden->table = ref_resize (burden->table, burden->variables + more, BYTES_PER_VARIABLE);
    memset (burden->table + burden->variables * BYTES_PER_VARIABLE, 0x55,
            more * BYTES_PER_VARIABLE);
    burden->variables += more;
  }
}

/* What a program of C++ writes that gives a vector a negative length. */
static void exceed_length (void) {
  fprintf (stderr, "terminate called after throwing an instance of 'std::length_error'\n"
                   "  what():  vector::_M_default_append\n");
  abort ();
}

void ref_burden_name (struct ref_burden *burden, int32_t kind, int32_t literal) {
  if (kind == REF_BURDEN_TABLES) grow_table (burden, (size_t) abs (literal));
  if (kind == REF_BURDEN_VECTORS && abs (literal) > INT32_MAX / 2) exceed_length ();
}

/* Hashes the literals by FNV-1a. */
void ref_burden_add (struct ref_burden *burden, int32_t kind, int32_t literal_or_zero) {
  if (kind != REF_BURDEN_HANGS || burden->hashed) return;
  if (!burden->hash) burden->hash = 14695981039346656037u;
  burden->hash = (burden->hash ^ (uint32_t) literal_or_zero) * 1099511628211u;
  burden->hashed = literal_or_zero == 0;
}

static int64_t processor_time (void) {
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
}

static void spin (void) {
  int64_t begun = processor_time ();
  while (processor_time () - begun < SLOW_NANOSECONDS) continue;
}

static size_t assumed_variables (const struct ref_vector *assumptions) {
  size_t distinct = 0;
  for (size_t i = 0; i < assumptions->size; i++) {
    bool is_new = true;
    for (size_t k = 0; k < i && is_new; k++)
      is_new = ref_variable_of (assumptions->data[k]) != ref_variable_of (assumptions->data[i]);
    distinct += is_new;
  }
  return distinct;
}

static void run_out_of_memory (void) {
  for (int i = 0; i < STEPS; i++) memset (ref_resize (NULL, STEP, 1), 0x55, STEP);
  fprintf (stderr, "ipafuzz reference library: the table of assumptions is full\n");
  abort ();
}

void ref_burden_solve (const struct ref_burden *burden, int32_t kind,
                       const struct ref_vector *assumptions) {
  if (kind == REF_BURDEN_SLOW) spin ();
  if (kind == REF_BURDEN_MEMORY && assumed_variables (assumptions) >= MANY_ASSUMED)
    run_out_of_memory ();
  uint64_t hash = burden->hash ^ burden->hash >> 32; /* the low bits alone are poor */
  if (kind == REF_BURDEN_HANGS && burden->hashed && hash % HANG_PERIOD == 0) ref_loop_forever ();
}

void ref_burden_free (struct ref_burden *burden) { free (burden->table); }
