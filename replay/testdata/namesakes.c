/* Has global names that other libraries, or ipafuzz, have too. */
#include <stdint.h>
#include <stddef.h>

int ipafuzz_exec (int x) { return x + NUMBER; }
int bundled_solver_step (int x) { return ipafuzz_exec (x); }
int bundled_state = NUMBER;

#define VALUE (bundled_solver_step (0) == NUMBER && bundled_state == NUMBER ? NUMBER : -1)
#include "honest.h"
