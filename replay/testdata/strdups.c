/* Has its own allocator, which aborts on freeing foreign memory, and frees memory that the
 * C library allocated for it. That is correct in every program linked with it, because
 * there is one malloc. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char arena[8 << 20];
static size_t used;

void *malloc (size_t size) {
  void *p = arena + used;
  used += (size + 15) & ~(size_t) 15;
  return used <= sizeof arena ? p : 0;
}

void *calloc (size_t n, size_t size) { return memset (malloc (n * size), 0, n * size); }

void *realloc (void *old, size_t size) {
  char *p = malloc (size);
  for (size_t i = 0; old && p && i < size && (char *) old + i < arena + sizeof arena; i++)
    p[i] = ((char *) old)[i];
  return p;
}

void free (void *p) {
  if (p && ((char *) p < arena || (char *) p >= arena + sizeof arena)) abort ();
}

static int round_trip (void) {
  free (strdup ("text"));
  return 1;
}

#define VALUE round_trip ()
#include "honest.h"
