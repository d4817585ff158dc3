#include <stdlib.h>
#include <sys/random.h>
__attribute__ ((constructor)) static void crash_now_and_then (void) {
  unsigned char chance;
  if (getrandom (&chance, 1, 0) == 1 && chance < 32) abort ();
}
#include "honest.h"
