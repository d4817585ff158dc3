#define NO_TERMINATE
#include "honest.h"
