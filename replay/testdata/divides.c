static int volatile sum = 7, zero, quotient;
#define AT_SOLVE quotient = sum / zero
#include "honest.h"
