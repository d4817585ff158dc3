/* Writes a lot, but never too much for one trace. */
#include <stdio.h>
#define AT_INIT \
  for (int i = 0; i < 4096; i++) \
  fputs ("c conflict, conflict, conflict, conflict, conflict\n", stderr)
#define AT_SOLVE fputs ("c last words\n", stderr), abort ()
#include "honest.h"
