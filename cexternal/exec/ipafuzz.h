/* What a library may export beside the standard interface, to be tested deeper
 * (docs/targets.md). Nothing of it is required.
 */
#ifndef IPAFUZZ_H
#define IPAFUZZ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *ipafuzz_describe (void);
int ipafuzz_set_option (void *solver, const char *name, const char *value); /* 0: taken */
void ipafuzz_havoc (void *solver, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
