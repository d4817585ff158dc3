static int volatile endless = 1;

__attribute__ ((noinline)) int descend (int volatile *above) {
  int volatile frame[256];
  frame[0] = *above + 1;
  return (endless ? descend (frame) : 0) + frame[0];
}

#define AT_SOLVE descend (&endless)
#include "honest.h"
