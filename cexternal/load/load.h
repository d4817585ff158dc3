/* Opening a solver library with dlopen. */
#ifndef IPAFUZZ_LOAD_H
#define IPAFUZZ_LOAD_H

#include <stddef.h>

#include "target.h"

/* Fills *target from the library at path for one API model. setter names the function that sets
 * options, unless it is empty; target->takes says how to call it. Returns NULL, or an error
 * message in the buffer.
 *
 * RTLD_LOCAL keeps the library's symbols private, and RTLD_DEEPBIND makes it prefer its own
 * copies of a SAT solver, an allocator or a C++ runtime. A sanitizer's runtime must intercept
 * the library's calls of malloc, so DEEPBIND is omitted when the process has one. A library with
 * its own allocator was preloaded, and is used as it is. */
const char *ipafuzz_load (const char *path, unsigned model, const char *setter,
                          struct ipafuzz_target *target, char *buffer, size_t size);

#endif
