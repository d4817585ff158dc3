/* The clause 666 leaves the process damaged, and the next solver dies of it:
 * never of a single trace. */
static int one;
static int *volatile shared = &one;
#define AT_SOLVE shared = 0
#define AT_INIT *shared = 1
#include "honest.h"
