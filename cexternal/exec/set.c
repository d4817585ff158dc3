#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "target.h"

typedef void any (void);

int ipafuzz_set (const struct ipafuzz_target *target, void *solver, const char *name,
                 const char *value) {
  if (target->takes == IPAFUZZ_TAKES_VALUES) return target->set_option (solver, name, value);
  if (target->takes == IPAFUZZ_TAKES_TEXT) {
    ((void (*) (void *, const char *, const char *)) (any *) target->set_option) (solver, name,
                                                                                  value);
    return 0;
  }
  char *end;
  errno = 0;
  const long number = strtol (value, &end, 10);
  if (end == value || *end || errno || number < INT_MIN || number > INT_MAX) return 1;
  ((void (*) (void *, const char *, int)) (any *) target->set_option) (solver, name, (int) number);
  return 0;
}
