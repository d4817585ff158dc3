#include <stdio.h>
__attribute__ ((constructor)) static void greet (void) {
  printf ("c this is no answer\n"), fflush (stdout);
}
#include "honest.h"
