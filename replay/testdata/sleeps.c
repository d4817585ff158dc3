#include <unistd.h>
#define AT_SOLVE \
  for (;;) pause ()
#include "honest.h"
