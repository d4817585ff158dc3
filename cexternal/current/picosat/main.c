// A program around PicoSAT's library: it reads a file in DIMACS and writes a proof.
//
//   picosat-proofs rup|tracecheck FORMULA PROOF
//
// - rup: the clauses that the proof needs, in the order in which they were learned, without
//   PicoSAT's header, which no format of today has.
// - tracecheck: PicoSAT's extended trace, written as FRAT with the same clauses and antecedents:
//   o ID CLAUSE for those of the formula, a ID CLAUSE l ANTECEDENTS for the others. Clauses of
//   the formula that the proof does not need have no line in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picosat.h"

static int fail (const char *what, const char *name) {
  fprintf (stderr, "picosat-proofs: %s %s\n", what, name);
  return 1;
}

static int load (PicoSAT *solver, FILE *in) {
  int variables, clauses, literal, c;
  while ((c = getc (in)) == 'c')
    while ((c = getc (in)) != '\n')
      if (c == EOF) return 0;
  ungetc (c, in);
  if (fscanf (in, "p cnf %d %d", &variables, &clauses) != 2) return 0;
  picosat_adjust (solver, variables);
  while (fscanf (in, "%d", &literal) == 1) picosat_add (solver, literal);
  return feof (in);
}

// numbers copies numbers up to a 0, and returns how many there were.
static int numbers (FILE *from, FILE *to) {
  int number, count = 0;
  while (fscanf (from, "%d", &number) == 1 && number) count += fprintf (to, "%d ", number) > 0;
  fputs ("0", to);
  return count;
}

static void write_frat (FILE *trace, FILE *proof) {
  int id;
  while (fscanf (trace, "%d", &id) == 1) {
    char *clause, *antecedents;
    size_t size;
    FILE *part = open_memstream (&clause, &size);
    numbers (trace, part);
    fclose (part);
    part = open_memstream (&antecedents, &size);
    const int derived = numbers (trace, part);
    fclose (part);
    if (derived)
      fprintf (proof, "a %d %s l %s\n", id, clause, antecedents);
    else
      fprintf (proof, "o %d %s\n", id, clause);
    free (clause);
    free (antecedents);
  }
}

static void write_rup (FILE *trace, FILE *proof) {
  char line[4096];
  while (fgets (line, sizeof line, trace) && !strchr (line, '\n')) // the header
    ;
  for (size_t n; (n = fread (line, 1, sizeof line, trace));) fwrite (line, 1, n, proof);
}

int main (int argc, char **argv) {
  if (argc != 4) return fail ("want rup or tracecheck, FORMULA and PROOF", "");
  const int is_rup = !strcmp (argv[1], "rup");
  PicoSAT *solver = picosat_init ();
  if (!picosat_enable_trace_generation (solver)) return fail ("PicoSAT has no", "traces");
  FILE *in = fopen (argv[2], "r");
  if (!in || !load (solver, in)) return fail ("cannot read", argv[2]);
  fclose (in);
  const int status = picosat_sat (solver, -1);
  if (status == PICOSAT_SATISFIABLE) {
    printf ("s SATISFIABLE\nv");
    for (int i = 1; i <= picosat_variables (solver); i++)
      printf (" %d", picosat_deref (solver, i) < 0 ? -i : i);
    printf (" 0\n");
  }
  if (status == PICOSAT_UNSATISFIABLE) {
    char *text;
    size_t size;
    FILE *memory = open_memstream (&text, &size), *proof = fopen (argv[3], "w");
    if (!memory || !proof) return fail ("cannot write", argv[3]);
    (is_rup ? picosat_write_rup_trace : picosat_write_extended_trace) (solver, memory);
    fclose (memory);
    FILE *trace = fmemopen (text, size, "r");
    if (!trace) return fail ("PicoSAT wrote", "nothing");
    (is_rup ? write_rup : write_frat) (trace, proof);
    fclose (trace);
    free (text);
    if (fclose (proof)) return fail ("cannot write", argv[3]);
    printf ("s UNSATISFIABLE\n");
  }
  picosat_reset (solver);
  return status;
}
