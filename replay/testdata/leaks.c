static void *volatile lost;
#define AT_SOLVE lost = malloc (5000)
#include "honest.h"
