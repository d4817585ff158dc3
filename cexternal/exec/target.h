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

/* The numbers of the API models, as in the binary trace (apimodel.Model.ID). */
enum { IPAFUZZ_IPASIR = 1, IPAFUZZ_IPAMIR = 2, IPAFUZZ_CADICAL = 3, IPAFUZZ_ENUMERATE = 4 };

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

  /* What CaDiCaL adds to IPASIR: ccadical_*. */
  void (*constrain) (void *solver, int32_t lit_or_zero);
  void (*freeze) (void *solver, int32_t lit);
  void (*melt) (void *solver, int32_t lit);
  void (*phase) (void *solver, int32_t lit);
  void (*unphase) (void *solver, int32_t lit);
  int (*simplify) (void *solver);
  void (*limit) (void *solver, const char *name, int limit); /* below 0: none */
  int (*constraint_failed) (void *solver);

  /* Counts solutions up to most: by one way in the low half, by another in the high one. */
  uint64_t (*enumerate) (void *solver, uint32_t most);
};

#endif
