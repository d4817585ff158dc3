#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

typedef void any (void);

/* The words that descriptions may use for the values of a bool, false first. */
static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

static int read_int (const char *value, int *number) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp (value, words[i])) return *number = (int) (i % 2), 1;
  char *end;
  errno = 0;
  const long read = strtol (value, &end, 10);
  if (end == value || *end || errno || read < INT_MIN || read > INT_MAX) return 0;
  return *number = (int) read, 1;
}

int ipafuzz_set (const struct ipafuzz_target *target, void *solver, const char *name,
                 const char *value) {
  if (target->takes == IPAFUZZ_TAKES_VALUES) return target->set_option (solver, name, value);
  if (target->takes == IPAFUZZ_TAKES_TEXT) {
    ((void (*) (void *, const char *, const char *)) (any *) target->set_option) (solver, name,
                                                                                  value);
    return 0;
  }
  int number;
  if (!read_int (value, &number)) return 1;
  ((void (*) (void *, const char *, int)) (any *) target->set_option) (solver, name, number);
  return 0;
}
