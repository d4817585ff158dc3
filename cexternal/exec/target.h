/* What ipafuzz knows of a solver library: one table of functions.
 *
 * The table is filled by dlopen (load/), by the linker (a library linked
 * statically, worker/static.c) or by hand (the built-in library, ref/). The
 * executor calls through it and never asks where the functions came from.
 *
 * A function that the model has and the library lacks is NULL: that is a
 * capability which the target does not have, never an error.
 */
#ifndef IPAFUZZ_TARGET_H
#define IPAFUZZ_TARGET_H

#include <stdint.h>

#include "functions.h"

struct ipafuzz_target {
  uint32_t model; /* one of them; the last two are IPASIR and more */

  /* Both models. */
  const char *(*signature) (void);
  void *(*init) (void);
  void (*release) (void *solver);
  void (*add) (void *solver, int32_t lit_or_zero); /* ipasir_add, ipamir_add_hard */
  void (*assume) (void *solver, int32_t lit);
  int (*solve) (void *solver);
  int32_t (*val) (void *solver, int32_t lit); /* ipasir_val, ipamir_val_lit */
  void (*set_terminate) (void *solver, void *state, int (*terminate) (void *state));

  /* IPASIR alone. */
  int (*failed) (void *solver, int32_t lit);
  void (*set_learn) (void *solver, void *state, int max_length,
                     void (*learn) (void *state, int32_t *clause));

  /* IPAMIR alone. */
  void (*add_soft) (void *solver, int32_t lit, uint64_t weight);
  uint64_t (*val_obj) (void *solver);

  /* Optional help of a library that wants to be tested deeper. describe
   * returns the text form of apimodel.Description; set_option returns 0 when
   * it took the value; havoc does something legal and rare now (simplify,
   * restart, collect garbage), chosen by value. */
  const char *(*describe) (void);
  int (*set_option) (void *solver, const char *name, const char *value);
  void (*havoc) (void *solver, uint64_t value);

  /* What extensions add: ccadical_*, ipafuzz_enumerate. */
#define IPAFUZZ_MEMBER(MODEL, NAME, SYMBOL, RESULT, PARAMETERS) RESULT (*NAME) PARAMETERS;
  IPAFUZZ_EXTENSIONS (IPAFUZZ_MEMBER)
#undef IPAFUZZ_MEMBER
};

#endif
