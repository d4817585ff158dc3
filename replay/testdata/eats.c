#include <string.h>
static void *volatile eaten;
#define AT_SOLVE \
  for (;;) eaten = memset (malloc (16 << 20), 0x55, 16 << 20)
#include "honest.h"
