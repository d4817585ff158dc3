#include <string.h>
static int havocs;
#define VALUE havocs
#include "honest.h"

const char *ipafuzz_describe (void) {
  return "option level int 0 3 1\noption trusted bool false\nlacks instances\n";
}

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  (void) solver;
  return strcmp (name, "level") || strlen (value) != 1;
}

void ipafuzz_havoc (void *solver, uint64_t value) {
  (void) solver;
  havocs = (int) (value >> 32);
}
