/* The clause 666 damages the process, and the next solver crashes: no single trace shows
 * it. */
static int one;
static int *volatile shared = &one;
#define AT_SOLVE shared = 0
#define AT_INIT *shared = 1
#include "honest.h"
