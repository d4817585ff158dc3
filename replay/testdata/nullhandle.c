/* A handle may be any pointer, even null. */
#define AT_INIT free (s), s = 0
#include "honest.h"
