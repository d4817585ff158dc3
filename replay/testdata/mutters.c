/* Crashes silently; prints something in every other trace. */
#include <stdio.h>
#define AT_SOLVE _Exit (4)
#define AT_RELEASE fputs ("c done\n", stderr)
#include "honest.h"
