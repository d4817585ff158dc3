#define NO_SOLVE
#include "honest.h"
