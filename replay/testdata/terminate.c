/* The one function that bare.c lacks, in a member of its own. */
void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *));

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  (void) solver, (void) state, (void) terminate;
}
