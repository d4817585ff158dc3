/* The terminate callback. */
#ifndef REF_STOP_H
#define REF_STOP_H

#include <stdbool.h>

#include "defects.h"
#include "options.h"

struct ref_stop {
  int (*ask) (void *state); /* NULL: there is no callback */
  void *state;
  bool said_so; /* it once asked to stop; for a planted defect */
};

/* Asks the callback whether to stop. */
static inline bool ref_stop_wanted (struct ref_stop *stop, const struct ref_options *options) {
  if (HAS (options, STICKY_TERMINATE) && stop->said_so)
    return true; /* DEFECT: remembers the answer of a callback that is gone */
  bool wanted = stop->ask && stop->ask (stop->state);
  stop->said_so |= wanted;
  if (HAS (options, IGNORED_TERMINATE)) return false; /* DEFECT */
  return wanted;
}

#endif
