/* Prints in a solve after the clause 666 and continues; flags choose the stream and the
 * text. */
#include <stdio.h>
#include <unistd.h>
#ifndef SAY
#define SAY fprintf (stderr, "ERROR: wrong\n")
#endif
#define AT_SOLVE SAY
#include "honest.h"
