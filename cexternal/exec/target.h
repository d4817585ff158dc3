/* A target as the executor sees it: one table of functions.
 *
 * load/ fills the table by dlopen, worker/static by linking the library, ref/ by
 * hand for the built-in library. The executor never asks where a function came
 * from.
 *
 * A function of the model that the library lacks is NULL: the target lacks that
 * capability, which is not an error.
 */
#ifndef IPAFUZZ_TARGET_H
#define IPAFUZZ_TARGET_H

#include <stdint.h>

#include "functions.h"

/* How set_option is called. The targets file may name a function of the library that takes an
 * int or a text. Its result is ignored, because libraries mean different things by it. */
enum ipafuzz_takes { IPAFUZZ_TAKES_VALUES, IPAFUZZ_TAKES_INT, IPAFUZZ_TAKES_TEXT };

struct ipafuzz_target {
  uint32_t model; /* one of functions.h */

  /* All models. */
  const char *(*signature) (void);
  void *(*init) (void);
  void (*release) (void *solver);
  void (*add) (void *solver, int32_t lit_or_zero); /* ipasir_add, ipamir_add_hard, qbf_add */
  void (*assume) (void *solver, int32_t lit);
  int (*solve) (void *solver);
  int32_t (*val) (void *solver, int32_t lit); /* ipasir_val, ipamir_val_lit, qbf_val */
  void (*set_terminate) (void *solver, void *state, int (*terminate) (void *state));

  /* IPASIR and QBF. */
  int (*failed) (void *solver, int32_t lit);

  /* IPASIR alone. */
  void (*set_learn) (void *solver, void *state, int max_length,
                     void (*learn) (void *state, int32_t *clause));

  /* IPAMIR alone. */
  void (*add_soft) (void *solver, int32_t lit, uint64_t weight);
  uint64_t (*val_obj) (void *solver);

  /* Optional, for deeper tests. describe returns the text form of
   * apimodel.Description; set_option returns 0 when it accepts the value; havoc
   * does something legal and rare (simplify, restart, collect garbage), chosen by
   * value; proof returns the proof so far. */
  const char *(*describe) (void);
  int (*set_option) (void *solver, const char *name, const char *value);
  void (*havoc) (void *solver, uint64_t value);
  enum ipafuzz_takes takes; /* of set_option, which ipafuzz_set calls */
  const char *(*proof) (void *solver, uint64_t *size);

  /* The functions of extensions (ccadical_*, ipafuzz_enumerate) and of QBF (prefix, frames,
   * groups). */
#define IPAFUZZ_MEMBER(MODEL, NAME, SYMBOL, RESULT, PARAMETERS) RESULT (*NAME) PARAMETERS;
  IPAFUZZ_EXTENSIONS (IPAFUZZ_MEMBER)
#undef IPAFUZZ_MEMBER
};

/* Sets an option; 0: accepted. */
int ipafuzz_set (const struct ipafuzz_target *target, void *solver, const char *name,
                 const char *value);

#endif
