/* Gives nothing back, and takes its time, so that it can be watched. */
#include <string.h>
#include <unistd.h>
static void *volatile hoarded;
#define AT_INIT usleep (12000), hoarded = memset (malloc (8 << 20), 1, 8 << 20)
#include "honest.h"
