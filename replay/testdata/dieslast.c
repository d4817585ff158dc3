/* Dies in the last call there is, the release. */
#define AT_RELEASE \
  if (s->provoked) abort ()
#include "honest.h"
