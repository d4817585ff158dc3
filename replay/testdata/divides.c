static int volatile zero, quotient;
#define AT_SOLVE quotient = 1 / zero
#include "honest.h"
