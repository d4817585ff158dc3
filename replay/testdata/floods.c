#include <stdio.h>
#ifndef STREAM
#define STREAM stderr
#endif
#define AT_SOLVE \
  for (;;) fputs ("c conflict, conflict, conflict, conflict, conflict\n", STREAM)
#include "honest.h"
