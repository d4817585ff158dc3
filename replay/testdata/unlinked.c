/* A library that was built without one that it needs: a function of C++ is missing. */
#include <stdint.h>

int _ZN7Missing6Solver5solveERKSt6vectorIiSaIiEE (void *solver);

const char *ipamir_signature (void) { return "unlinked"; }
void *ipamir_init (void) { return 0; }
int ipamir_solve (void *solver) { return _ZN7Missing6Solver5solveERKSt6vectorIiSaIiEE (solver); }
