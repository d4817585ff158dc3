/* Finds the memory that it shares with ipafuzz and writes over all of it that
 * it can; then does what AFTERWARDS says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PATTERN
#define PATTERN 0x5a
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
        access[1] == 'w')
      memset ((void *) from, PATTERN, to - from);
  if (maps) fclose (maps);
  AFTERWARDS;
}

#define AT_SOLVE scribble ()
#include "honest.h"
