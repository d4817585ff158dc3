/* The worker for a statically linked library, without a loader. It is compiled with
 * -DIPAFUZZ_LINKED_MODEL=1, 2, 3, 4, 5 or 6 (IPASIR, IPAMIR, IPASIR with CaDiCaL's calls,
 * IPASIR with enumerate, QBF, IPASIR-2) and linked with the library. */
#include <stdio.h>
#include <stdlib.h>

#include "ipafuzz.h"
#include "worker.h"

/* Weak declarations, because a library may lack these functions. */
#define OPTIONAL(FUNCTION) extern __typeof__ (FUNCTION) FUNCTION __attribute__ ((weak))

#if IPAFUZZ_LINKED_MODEL == 6
#define IPASIR2_LINKED 1
#include "ipasir2_probe.h"
#elif IPAFUZZ_LINKED_MODEL == 2
#include "ipamir.h"
#define NAME(PART) ipamir_##PART
OPTIONAL (ipamir_set_terminate);
#elif IPAFUZZ_LINKED_MODEL == 5
#include "qbf.h"
#define NAME(PART) qbf_##PART
OPTIONAL (qbf_set_terminate);
#else
#include "ipasir.h"
#define NAME(PART) ipasir_##PART
OPTIONAL (ipasir_set_terminate);
OPTIONAL (ipasir_set_learn);
#endif
#define WEAK(MODEL, MEMBER, SYMBOL, RESULT, PARAMETERS) \
  __attribute__ ((weak)) RESULT SYMBOL PARAMETERS;
IPAFUZZ_EXTENSIONS (WEAK)
OPTIONAL (ipafuzz_describe);
OPTIONAL (ipafuzz_set_option);
OPTIONAL (ipafuzz_havoc);
#ifdef IPAFUZZ_SETTER /* the library's own function that sets options */
extern void IPAFUZZ_SETTER (void);
#endif
OPTIONAL (ipafuzz_proof);

int main (void) {
#if IPAFUZZ_LINKED_MODEL == 6
  struct ipafuzz_target linked = {.model = IPAFUZZ_LINKED_MODEL, .describe = ipafuzz_describe};
#else
  const struct ipafuzz_target linked = {
    .model = IPAFUZZ_LINKED_MODEL,
    .signature = NAME (signature),
    .init = NAME (init),
    .release = NAME (release),
    .assume = NAME (assume),
    .solve = NAME (solve),
    .set_terminate = NAME (set_terminate),
#if IPAFUZZ_LINKED_MODEL == 2
    .add = ipamir_add_hard,
    .val = ipamir_val_lit,
    .add_soft = ipamir_add_soft_lit,
    .val_obj = ipamir_val_obj,
#elif IPAFUZZ_LINKED_MODEL == 5
    .add = qbf_add,
    .val = qbf_val,
    .failed = qbf_failed,
#else
    .add = ipasir_add,
    .val = ipasir_val,
    .failed = ipasir_failed,
    .set_learn = ipasir_set_learn,
#endif
#define LINKED(MODEL, MEMBER, SYMBOL, RESULT, PARAMETERS) \
  .MEMBER = IPAFUZZ_LINKED_MODEL == MODEL ? SYMBOL : 0,
    IPAFUZZ_EXTENSIONS (LINKED).describe = ipafuzz_describe,
#ifdef IPAFUZZ_SETTER
    .set_option = (int (*) (void *, const char *, const char *)) IPAFUZZ_SETTER,
    .takes = IPAFUZZ_SETTER_TAKES,
#else
    .set_option = ipafuzz_set_option,
#endif
    .havoc = ipafuzz_havoc,
    .proof = ipafuzz_proof,
  };
#endif
  const char *fd = getenv (IPAFUZZ_WORKER_VARIABLE);
  if (!fd) {
    fprintf (stderr, "ipafuzz starts this program to run traces in it.\n");
    return 2;
  }
#if IPAFUZZ_LINKED_MODEL == 6
  layer_fill (&linked);
#endif
  ipafuzz_worker (atoi (fd), &linked);
}
