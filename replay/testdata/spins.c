static int volatile endless = 1;
#define AT_SOLVE \
  while (endless) continue
#include "honest.h"
