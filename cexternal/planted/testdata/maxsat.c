/* A MaxSAT solver for small WCNF files, with one planted defect. Usage: maxsat DEFECT FILE, where
 * DEFECT is a name of the table below, or none. Each defect is about soft clauses that are not of
 * one literal, and about nothing else. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const defects[] = {
  "none",          "first-literal",    "last-literal",  "free-empty",
  "hard-empty",    "costly-tautology", "repeated-once", "last-weight",
  "twice-cancels", "aborts-wide",      "drops-hard",    "short-weights",
  "hidden-empty",  "forgets-third",    "second-empty",  "units-only"};
enum defect {
  NONE,
  FIRST_LITERAL,
  LAST_LITERAL,
  FREE_EMPTY,
  HARD_EMPTY,
  COSTLY_TAUTOLOGY,
  REPEATED_ONCE,
  LAST_WEIGHT,
  TWICE_CANCELS,
  ABORTS_WIDE,
  DROPS_HARD,
  SHORT_WEIGHTS,
  HIDDEN_EMPTY,
  FORGETS_THIRD,
  SECOND_EMPTY,
  UNITS_ONLY
};
static enum defect defect;

struct clause {
  int *lits;
  int size;
  int hard;
  uint64_t weight;
};

static struct clause *clauses;
static size_t count;
static int vars;
static signed char *value, *best; /* 1 true, -1 false, 0 none */
static uint64_t least, hidden;
static int found;
static long steps;

static const long most_steps = 20000000;

static void fail (const char *what) {
  fprintf (stderr, "maxsat: %s\n", what);
  exit (2);
}

static void *grown (void *old, size_t size) {
  void *memory = realloc (old, size);
  if (!memory) fail ("no memory");
  return memory;
}

static int same (const struct clause *a, const struct clause *b) {
  return a->size == b->size && !memcmp (a->lits, b->lits, (size_t) a->size * sizeof (int));
}

static int is_tautology (const struct clause *c) {
  for (int i = 0; i < c->size; i++)
    for (int j = 0; j < i; j++)
      if (c->lits[i] == -c->lits[j]) return 1;
  return 0;
}

static void remove_literal (struct clause *c, int at) {
  memmove (c->lits + at, c->lits + at + 1, (size_t) (c->size - at - 1) * sizeof (int));
  c->size--;
}

/* Removes both of two equal literals. */
static void cancel (struct clause *c) {
  for (int i = 0; i < c->size; i++)
    for (int j = i + 1; j < c->size; j++)
      if (c->lits[i] == c->lits[j]) {
        remove_literal (c, j);
        remove_literal (c, i);
        return;
      }
}

/* Applies the defect to a soft clause that has just been read. Returns 0 if the clause is to be
 * ignored. */
static int soft (struct clause *c) {
  size_t empty = 0;
  for (size_t i = 0; i < count; i++) empty += !clauses[i].hard && !clauses[i].size;
  switch (defect) {
  case FIRST_LITERAL:
    if (c->size > 1) c->size = 1;
    break;
  case LAST_LITERAL:
    if (c->size > 1) c->size--;
    break;
  case FORGETS_THIRD:
    if (c->size > 2) remove_literal (c, 2);
    break;
  case FREE_EMPTY: return c->size > 0;
  case SECOND_EMPTY: return c->size > 0 || !empty;
  case HARD_EMPTY:
    if (!c->size) c->hard = 1;
    break;
  case HIDDEN_EMPTY:
    if (!c->size) hidden += c->weight;
    break;
  case COSTLY_TAUTOLOGY:
    if (is_tautology (c)) c->size = 0;
    break;
  case TWICE_CANCELS: cancel (c); break;
  case ABORTS_WIDE:
    if (c->size > 1) abort ();
    break;
  case UNITS_ONLY: return c->size < 2;
  case SHORT_WEIGHTS:
    if (c->size > 1) c->weight = (uint32_t) c->weight;
    break;
  case REPEATED_ONCE:
    for (size_t i = 0; i < count; i++)
      if (!clauses[i].hard && clauses[i].weight == c->weight && same (clauses + i, c)) return 0;
    break;
  case LAST_WEIGHT:
    for (size_t i = 0; i < count; i++)
      if (!clauses[i].hard && same (clauses + i, c)) {
        clauses[i].weight = c->weight;
        return 0;
      }
    break;
  case DROPS_HARD:
    for (size_t i = 0; i < count; i++)
      if (clauses[i].hard && c->size > 1 && same (clauses + i, c))
        clauses[i].hard = 0, clauses[i].weight = c->weight;
    break;
  case NONE: break;
  }
  return 1;
}

/* Reads a line of a file from 2022 on, or of an older one, whose hard clauses have the weight top.
 */
static void read_line (char *line, uint64_t *top) {
  char *word = strtok (line, " \t\r\n");
  if (!word || !strcmp (word, "c")) return;
  if (!strcmp (word, "p")) {
    for (int i = 0; i < 4 && word; i++) word = strtok (NULL, " \t\r\n");
    if (word) *top = strtoull (word, NULL, 10);
    return;
  }
  struct clause c = {0};
  if (strcmp (word, "h")) c.weight = strtoull (word, NULL, 10);
  c.hard = !strcmp (word, "h") || (*top && c.weight == *top);
  for (word = strtok (NULL, " \t\r\n"); word && strcmp (word, "0");
       word = strtok (NULL, " \t\r\n")) {
    c.lits = grown (c.lits, (size_t) (c.size + 1) * sizeof (int));
    c.lits[c.size++] = atoi (word);
    int v = abs (atoi (word));
    if (v > vars) vars = v;
  }
  if (!word) fail ("a clause without its 0");
  if (!c.hard && !soft (&c)) return;
  clauses = grown (clauses, (count + 1) * sizeof *clauses);
  clauses[count++] = c;
}

/* Returns 1 if the clause is satisfied, -1 if it is falsified, else 0. */
static int state (const struct clause *c) {
  int open = 0;
  for (int i = 0; i < c->size; i++) {
    int v = value[abs (c->lits[i])];
    if ((v > 0 && c->lits[i] > 0) || (v < 0 && c->lits[i] < 0)) return 1;
    open = open || !v;
  }
  return open ? 0 : -1;
}

/* Tries all values of the variables from v on that some clause names. */
static void search (int v) {
  uint64_t cost = 0;
  if (++steps > most_steps) return;
  for (size_t i = 0; i < count; i++) {
    if (state (clauses + i) >= 0) continue;
    if (clauses[i].hard) return;
    cost += clauses[i].weight;
  }
  if (found && cost >= least) return;
  if (v > vars) {
    memcpy (best, value, (size_t) vars + 1);
    found = 1, least = cost;
    return;
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    value[v] = (signed char) sign;
    search (v + 1);
  }
  value[v] = 0;
}

/* Gives variables that no clause names the value false, so that the search need not try both. */
static void number_variables (void) {
  char *named = calloc ((size_t) vars + 1, 1);
  int *number = calloc ((size_t) vars + 1, sizeof *number), used = 0;
  if (!named || !number) fail ("no memory");
  for (size_t i = 0; i < count; i++)
    for (int j = 0; j < clauses[i].size; j++) named[abs (clauses[i].lits[j])] = 1;
  for (int v = 1; v <= vars; v++)
    if (named[v]) number[v] = ++used;
  for (size_t i = 0; i < count; i++)
    for (int j = 0; j < clauses[i].size; j++) {
      int lit = clauses[i].lits[j];
      clauses[i].lits[j] = lit > 0 ? number[lit] : -number[-lit];
    }
  int all = vars;
  vars = used;
  value = calloc ((size_t) used + 2, 1);
  best = calloc ((size_t) used + 2, 1);
  if (!value || !best) fail ("no memory");
  search (1);
  if (steps > most_steps) {
    puts ("s UNKNOWN");
    exit (0);
  }
  if (!found) {
    puts ("s UNSATISFIABLE");
    exit (20);
  }
  printf ("o %llu\ns OPTIMUM FOUND\nv ", (unsigned long long) (least - hidden));
  for (int v = 1; v <= all; v++) putchar (number[v] && best[number[v]] > 0 ? '1' : '0');
  puts ("");
  exit (30);
}

int main (int argc, char **argv) {
  if (argc != 3) fail ("want a defect and a file");
  const int names = sizeof defects / sizeof *defects;
  int at = 0;
  while (at < names && strcmp (argv[1], defects[at])) at++;
  if (at == names) fail ("there is no such defect");
  defect = (enum defect) at;
  FILE *file = fopen (argv[2], "r");
  if (!file) fail ("the file cannot be read");
  char *line = NULL;
  size_t room = 0;
  uint64_t top = 0;
  while (getline (&line, &room, file) > 0) read_line (line, &top);
  number_variables ();
}
