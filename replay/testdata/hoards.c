/* Never frees memory, and grows slowly enough to be watched. */
#include <string.h>
#include <unistd.h>
static void *volatile hoarded;
#define AT_INIT usleep (12000), hoarded = memset (malloc (8 << 20), 1, 8 << 20)
#include "honest.h"
