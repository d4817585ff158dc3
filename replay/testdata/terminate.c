/* The only function that bare.c lacks, in a separate archive member. */
void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *));

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  (void) solver, (void) state, (void) terminate;
}
