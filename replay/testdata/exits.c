#define AT_SOLVE exit (0)
#include "honest.h"
