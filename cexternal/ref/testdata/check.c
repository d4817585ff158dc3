/* Checks the reference library against brute force.
 *
 *   check sessions COUNT SEED [DEFECT]  stops at the first wrong answer
 *   check show SEED NUMBER [DEFECT]     prints one session
 *   check defects COUNT SEED            prints how soon each planted defect shows
 *   check large SEED                    large instances, two configurations
 *   check time                          a tiny session, in nanoseconds
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "defects.h"
#include "ref.h"
#include "session.h"

static uint64_t session_seed (uint64_t seed, uint64_t number) {
  struct random random = {seed * 0x9e3779b97f4a7c15u ^ number};
  return draw (&random);
}

static double seconds (void) {
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int run_sessions (uint64_t count, uint64_t seed, const char *defect) {
  double start = seconds ();
  for (uint64_t i = 0; i < count; i++)
    if (!run_session (session_seed (seed, i), defect, 3)) {
      printf ("session %" PRIu64 " of seed %" PRIu64 ": %s\n", i, seed, session_fault);
      return 1;
    }
  printf ("%" PRIu64 " sessions of seed %" PRIu64 ": no discrepancy (%.1f s)\n", count, seed,
          seconds () - start);
  return 0;
}

struct sighting {
  uint64_t session;
  char fault[256];
};

static void describe_death (int status, char *text, size_t size) {
  if (WIFSIGNALED (status)) {
    int number = WTERMSIG (status);
    const char *fault = number == SIGABRT   ? "1.1"
                        : number == SIGBUS  ? "1.2"
                        : number == SIGFPE  ? "1.3"
                        : number == SIGKILL ? "1.4"
                        : number == SIGSEGV ? "1.5"
                        : number == SIGALRM ? "3.1"
                                            : "?";
    snprintf (text, size, "%s %s", fault, strsignal (number));
  } else
    snprintf (text, size, "1.6 exit code %d", WEXITSTATUS (status));
}

/* Runs in a separate process, which may end in any way. */
static void look_for (const struct ref_defect *defect, uint64_t count, uint64_t seed,
                      struct sighting *sighting) {
  unsigned models = !strcmp (defect->model, "ipasir")   ? 1
                    : !strcmp (defect->model, "ipamir") ? 2
                                                        : 3;
  memset (sighting, 0, sizeof *sighting);
  fflush (stdout);
  pid_t child = fork ();
  if (child == 0) {
    struct rlimit limit = {256 << 20, 256 << 20}, none = {0, 0};
    setrlimit (RLIMIT_DATA, &limit);
    setrlimit (RLIMIT_CORE, &none);
    if (!freopen ("/dev/null", "w", stderr)) _exit (9);
    for (uint64_t i = 0; i < count; i++) {
      sighting->session = i;
      alarm (3);
      if (!run_session (session_seed (seed, i), defect->name, models)) {
        memcpy (sighting->fault, session_fault, sizeof sighting->fault);
        _exit (0);
      }
    }
    strcpy (sighting->fault, "NOT FOUND");
    _exit (0);
  }
  int status = 0;
  waitpid (child, &status, 0);
  if (!sighting->fault[0]) describe_death (status, sighting->fault, sizeof sighting->fault);
}

/* Sessions make the standard calls only, from one thread, without quantifiers; they ignore what
 * the library prints, and do not make allocations fail. */
static int out_of_reach (const struct ref_defect *defect) {
  return strchr (defect->model, '+') || !strcmp (defect->model, "ipasir2") ||
         !strcmp (defect->model, "qbf") || !strcmp (defect->name, "shared-scratch") ||
         !strcmp (defect->name, "lazy-table") || !strcmp (defect->fault_class, "4.3") ||
         !strcmp (defect->fault_class, "5.8");
}

static int show_defects (uint64_t count, uint64_t seed) {
  struct sighting *sighting =
    mmap (NULL, sizeof *sighting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int missed = 0;
  if (sighting == MAP_FAILED) return 1;
  for (int32_t i = 0; i < ref_defect_count (); i++) {
    const struct ref_defect *defect = ref_defect (i);
    if (out_of_reach (defect)) continue;
    look_for (defect, count, seed, sighting);
    missed += !strcmp (sighting->fault, "NOT FOUND");
    printf ("%2d %-28s %-6s %s %6" PRIu64 "  %s\n", defect->number, defect->name, defect->model,
            defect->fault_class, sighting->session + 1, sighting->fault);
  }
  printf ("%d of %d not found in %" PRIu64 " sessions\n", missed, ref_defect_count (), count);
  return missed > 0;
}

struct formula {
  int32_t *literals; /* 0 ends each clause */
  size_t size, capacity;
};

static void put (struct formula *formula, int32_t literal) {
  if (formula->size == formula->capacity) {
    formula->capacity = formula->capacity ? 2 * formula->capacity : 1024;
    formula->literals = realloc (formula->literals, formula->capacity * sizeof *formula->literals);
    if (!formula->literals) abort ();
  }
  formula->literals[formula->size++] = literal;
}

static void random_formula (struct random *random, struct formula *formula, int variables,
                            int clauses) {
  formula->size = 0;
  for (int i = 0; i < clauses; i++) {
    for (int j = 0; j < 3; j++)
      put (formula, (1 + pick (random, variables)) * (pick (random, 2) ? 1 : -1));
    put (formula, 0);
  }
}

/* One pigeon more than there are holes. */
static void pigeons (struct formula *formula, int holes) {
  formula->size = 0;
  for (int pigeon = 0; pigeon <= holes; pigeon++) {
    for (int hole = 1; hole <= holes; hole++) put (formula, pigeon * holes + hole);
    put (formula, 0);
  }
  for (int hole = 1; hole <= holes; hole++)
    for (int a = 0; a <= holes; a++)
      for (int b = 0; b < a; b++) {
        put (formula, -(a * holes + hole));
        put (formula, -(b * holes + hole));
        put (formula, 0);
      }
}

static void *open_with (const struct ipafuzz_target *target, const struct formula *formula,
                        int configuration) {
  void *solver = target->init ();
  if (configuration) {
    target->set_option (solver, "seed", "4711");
    target->set_option (solver, "phase", "true");
    target->set_option (solver, "reduce", "50");
    target->set_option (solver, "maxsat", "model-improving");
  }
  for (size_t i = 0; i < formula->size; i++) target->add (solver, formula->literals[i]);
  return solver;
}

static bool satisfies (const struct ipafuzz_target *target, void *solver,
                       const struct formula *formula) {
  bool clause = false;
  for (size_t i = 0; i < formula->size; i++) {
    int32_t literal = formula->literals[i];
    if (literal == 0 && !clause) return false;
    clause = literal && (clause || target->val (solver, literal) == literal);
  }
  return true;
}

/* Solves with both configurations; returns 0 if they disagree or a model is wrong. */
static int agreed_answer (const struct formula *formula) {
  const struct ipafuzz_target *target = &ref_ipasir_target;
  int answers[2];
  for (int i = 0; i < 2; i++) {
    double start = seconds ();
    void *solver = open_with (target, formula, i);
    answers[i] = target->solve (solver);
    if (answers[i] == 10 && !satisfies (target, solver, formula)) answers[i] = 0;
    target->release (solver);
    if (seconds () - start > 10) printf ("slow: %.1f s\n", seconds () - start);
  }
  return answers[0] == answers[1] ? answers[0] : 0;
}

static bool engines_agree (struct random *random, const struct formula *formula, int variables,
                           int weight_bits) {
  const struct ipafuzz_target *target = &ref_ipamir_target;
  uint64_t objectives[2] = {0, 0}, seed = draw (random);
  int answers[2];
  for (int i = 0; i < 2; i++) {
    struct random softs = {seed};
    void *solver = open_with (target, formula, i);
    for (int j = 0; j < variables; j++) {
      int32_t literal = (1 + pick (&softs, variables)) * (pick (&softs, 2) ? 1 : -1);
      target->add_soft (solver, literal, 1 + (draw (&softs) >> (64 - weight_bits)));
    }
    answers[i] = target->solve (solver);
    if (answers[i] == 30) {
      objectives[i] = target->val_obj (solver);
      if (!satisfies (target, solver, formula)) answers[i] = -1;
    }
    target->release (solver);
  }
  return answers[0] == answers[1] && objectives[0] == objectives[1] && answers[0] > 0;
}

static int run_large (uint64_t seed) {
  struct random random = {seed};
  struct formula formula = {0};
  int faults = 0, satisfiable = 0, rounds = 20;
  double start = seconds ();
  for (int i = 0; i < rounds; i++) {
    int variables = 100 + pick (&random, 51);
    random_formula (&random, &formula, variables, (int) (4.26 * variables));
    int answer = agreed_answer (&formula);
    satisfiable += answer == 10;
    faults += answer == 0;
  }
  printf ("random 3-SAT: %d of %d satisfiable, %.2f s\n", satisfiable, rounds, seconds () - start);
  for (int holes = 3; holes <= 7; holes++) {
    pigeons (&formula, holes);
    start = seconds ();
    faults += agreed_answer (&formula) != 20;
    printf ("%d pigeons: %.2f s\n", holes + 1, seconds () - start);
  }
  start = seconds ();
  for (int i = 0; i < 40; i++) {
    static const int bits[] = {1, 4, 20, 57};
    random_formula (&random, &formula, 30, 90);
    faults += !engines_agree (&random, &formula, 30, bits[i % 4]);
  }
  printf ("MaxSAT, 30 variables: %.2f s\n%d faults\n", seconds () - start, faults);
  free (formula.literals);
  return faults > 0;
}

static void time_model (const struct ipafuzz_target *target, const char *name) {
  enum { ROUNDS = 200000 };
  double start = seconds ();
  for (int i = 0; i < ROUNDS; i++) {
    struct random random = {(uint64_t) i};
    void *solver = target->init ();
    for (int j = 0; j < 10; j++) {
      for (int k = 0; k < 3; k++)
        target->add (solver, (1 + pick (&random, 5)) * (pick (&random, 2) ? 1 : -1));
      target->add (solver, 0);
    }
    if (target->add_soft)
      for (int j = 1; j <= 5; j++) target->add_soft (solver, j, (uint64_t) j);
    target->solve (solver);
    target->release (solver);
  }
  printf ("%s: %.0f ns a session (init, 10 clauses of 5 variables, solve, release)\n", name,
          (seconds () - start) * 1e9 / ROUNDS);
}

int main (int count, char **arguments) {
  const char *command = count > 1 ? arguments[1] : "";
  uint64_t first = count > 2 ? strtoull (arguments[2], NULL, 0) : 0;
  uint64_t second = count > 3 ? strtoull (arguments[3], NULL, 0) : 1;
  const char *defect = count > 4 ? arguments[4] : NULL;
  if (!strcmp (command, "sessions")) return run_sessions (first, second, defect);
  if (!strcmp (command, "show")) {
    session_verbose = true;
    return !run_session (session_seed (first, second), defect, 3);
  }
  if (!strcmp (command, "defects")) return show_defects (first, second);
  if (!strcmp (command, "large")) return run_large (first);
  if (!strcmp (command, "time")) {
    time_model (&ref_ipasir_target, "ipasir");
    time_model (&ref_ipamir_target, "ipamir");
    return 0;
  }
  fprintf (stderr, "usage: check sessions|show|defects|large|time ...\n");
  return 2;
}
