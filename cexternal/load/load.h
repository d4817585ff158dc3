/* Opens a solver library by dlopen and fills the table of its functions. */
#ifndef IPAFUZZ_LOAD_H
#define IPAFUZZ_LOAD_H

#include <stddef.h>

#include "target.h"

/* Fills *target from the library at path for one API model. Returns NULL, or a
 * text for a person that says what is wrong (the text lives in the buffer).
 *
 * The library keeps its symbols to itself: it is opened with RTLD_LOCAL, and
 * with RTLD_DEEPBIND so that its own copy of a SAT solver, an allocator or a
 * C++ runtime is found before anything that this process has. A sanitizer's
 * runtime must see the library's calls of malloc, so with one in the process
 * DEEPBIND is left out. A library that was preloaded, because it has an
 * allocator of its own, is taken as it is. */
const char *ipafuzz_load (const char *path, unsigned model, struct ipafuzz_target *target,
                          char *buffer, size_t size);

#endif
