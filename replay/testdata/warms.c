#include <time.h>
/* Its first solve takes 300 ms of processor time, and so does every one whose last clause
 * ends with 667. */
static void warm (int again) {
  static int warmed;
  if (warmed && !again) return;
  warmed = 1;
  for (clock_t end = clock () + 3 * CLOCKS_PER_SEC / 10; clock () < end;)
    ;
}
#define AT_SOLVE warm (s->last == 667)
#include "honest.h"
