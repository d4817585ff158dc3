/* Has its own allocator, as libraries with jemalloc do, and notices when its calls reach
 * another one. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static char arena[1 << 20];
static size_t used;

void *malloc (size_t size) {
  void *p = arena + used;
  used += (size + 15) & ~(size_t) 15;
  return used <= sizeof arena ? p : 0;
}

void *calloc (size_t n, size_t size) { return memset (malloc (n * size), 0, n * size); }
void free (void *p) { (void) p; }

static int own (const void *p) {
  return (const char *) p >= arena && (const char *) p < arena + sizeof arena;
}

#define VALUE (own (solver) && own (malloc (1)) ? 1 : 2)
#include "honest.h"
