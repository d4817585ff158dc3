/* Prints and goes on: in a solve behind the clause 666, on the stream and in the
 * way that the flags choose. */
#include <stdio.h>
#include <unistd.h>
#ifndef SAY
#define SAY fprintf (stderr, "ERROR: wrong\n")
#endif
#define AT_SOLVE SAY
#include "honest.h"
