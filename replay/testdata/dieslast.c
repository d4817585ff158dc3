/* Crashes in the last call, the release. */
#define AT_RELEASE \
  if (s->provoked) abort ()
#include "honest.h"
