#include <stdio.h>
#define AT_SOLVE fputs ("c ERROR: out of patience\n", stderr), exit (7)
#include "honest.h"
