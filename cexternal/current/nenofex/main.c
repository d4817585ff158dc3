/* Nenofex as a program: reads a formula in QDIMACS, prints a status line, and exits with 10 or 20.
 */
#include <stdio.h>

#include "nenofex.h"

int main (int argc, char **argv) {
  FILE *file = argc == 2 ? fopen (argv[1], "r") : 0;
  if (!file) {
    fprintf (stderr, "nenofex: want one file that can be read\n");
    return 1;
  }
  Nenofex *solver = nenofex_create ();
  NenofexResult result = nenofex_parse (solver, file);
  fclose (file);
  if (result == NENOFEX_RESULT_UNKNOWN) result = nenofex_solve (solver);
  nenofex_delete (solver);
  printf ("s cnf %d\n", result == NENOFEX_RESULT_SAT ? 1 : result == NENOFEX_RESULT_UNSAT ? 0 : -1);
  return result;
}
