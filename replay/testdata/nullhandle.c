/* A handle is what the library says it is. */
#define AT_INIT free (s), s = 0
#include "honest.h"
