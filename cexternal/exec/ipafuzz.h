/* What a library may export in addition to the standard interface, for deeper tests
 * (docs/targets.md). All of it is optional.
 */
#ifndef IPAFUZZ_H
#define IPAFUZZ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *ipafuzz_describe (void);
int ipafuzz_set_option (void *solver, const char *name, const char *value); /* 0: accepted */
void ipafuzz_havoc (void *solver, uint64_t value);
/* The proof so far and its length; valid until the next call of the solver. NULL: there is none. */
const char *ipafuzz_proof (void *solver, uint64_t *size);

#ifdef __cplusplus
}
#endif

#endif
