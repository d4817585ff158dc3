/* The program that a statically linked library becomes: the worker with the
 * library's functions in its table. Compiled with -DIPAFUZZ_LINKED_MODEL=1 or 2
 * (IPASIR or IPAMIR) and linked with the library; it has no loader. */
#include <stdio.h>
#include <stdlib.h>

#include "worker.h"

#define OPTIONAL __attribute__ ((weak))

#if IPAFUZZ_LINKED_MODEL == 2
#define NAME(PART) ipamir_##PART
void ipamir_add_hard (void *, int32_t);
int32_t ipamir_val_lit (void *, int32_t);
void ipamir_add_soft_lit (void *, int32_t, uint64_t);
uint64_t ipamir_val_obj (void *);
#else
#define NAME(PART) ipasir_##PART
void ipasir_add (void *, int32_t);
int32_t ipasir_val (void *, int32_t);
int ipasir_failed (void *, int32_t);
OPTIONAL void ipasir_set_learn (void *, void *, int, void (*) (void *, int32_t *));
#endif

const char *NAME (signature) (void);
void *NAME (init) (void);
void NAME (release) (void *);
void NAME (assume) (void *, int32_t);
int NAME (solve) (void *);
OPTIONAL void NAME (set_terminate) (void *, void *, int (*) (void *));
OPTIONAL const char *ipafuzz_describe (void);
OPTIONAL int ipafuzz_set_option (void *, const char *, const char *);
OPTIONAL void ipafuzz_havoc (void *, uint64_t);

int main (void) {
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
#else
      .add = ipasir_add,
      .val = ipasir_val,
      .failed = ipasir_failed,
      .set_learn = ipasir_set_learn,
#endif
      .describe = ipafuzz_describe,
      .set_option = ipafuzz_set_option,
      .havoc = ipafuzz_havoc,
  };
  const char *fd = getenv (IPAFUZZ_WORKER_VARIABLE);
  if (!fd) {
    fprintf (stderr, "This program is started by ipafuzz, which runs traces in it.\n");
    return 2;
  }
  ipafuzz_worker (atoi (fd), &linked);
}
