/* Opening a solver library with dlopen. */
#ifndef IPAFUZZ_LOAD_H
#define IPAFUZZ_LOAD_H

#include <stddef.h>

#include "target.h"

/* Fills *target from the library at path for one API model. A setter that is not empty
 * is the function that sets options, called as target->takes says. Returns NULL or an
 * error message, which is in the buffer.
 *
 * RTLD_LOCAL keeps the library's symbols private, and RTLD_DEEPBIND makes it
 * prefer its own copies of a SAT solver, an allocator or a C++ runtime. A
 * sanitizer's runtime must intercept the library's calls of malloc, so DEEPBIND is
 * omitted when the process has one. A library that was preloaded, because it
 * brings its own allocator, is used as it is. */
const char *ipafuzz_load (const char *path, unsigned model, const char *setter,
                          struct ipafuzz_target *target, char *buffer, size_t size);

#endif
