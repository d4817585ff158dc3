/* Finds the memory that it shares with ipafuzz and overwrites as much of it as possible;
 * then does what AFTERWARDS says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef PATTERN
#define PATTERN 0x5a
#endif
#ifndef SKIPPED
#define SKIPPED 0 /* bytes from the start of each part */
#endif
#ifndef ORDERS_ONLY
#define ORDERS_ONLY 0
#endif
#ifndef AFTERWARDS
#define AFTERWARDS
#endif

static void scribble (void) {
  FILE *maps = fopen ("/proc/self/maps", "r");
  char line[4096], access[8];
  unsigned long from, to;
  while (maps && fgets (line, sizeof line, maps))
    if (strstr (line, "memfd:ipafuzz ") && sscanf (line, "%lx-%lx %7s", &from, &to, access) == 3 &&
        (!ORDERS_ONLY || access[1] != 'w') &&
        !mprotect ((void *) from, to - from, PROT_READ | PROT_WRITE))
      memset ((void *) (from + SKIPPED), PATTERN, to - from - SKIPPED);
  if (maps) fclose (maps);
  AFTERWARDS;
}

#define AT_SOLVE scribble ()
#include "honest.h"
