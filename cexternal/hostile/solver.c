#include "solver.h"

#include <stdlib.h>

enum { MOST_STEPS = 1 << 13 };

struct list {
  int *at, size, space;
};

struct solver {
  struct list clauses;     /* literals, each clause ends with 0 */
  struct list assumptions; /* of the next solve */
  struct list asked;       /* assumptions of the last solve */
  struct list variables;   /* that occur, each once */
  signed char *value;      /* by variable; 0: open */
  int most, open_clause, steps, answer;
};

static void push (struct list *l, int lit) {
  if (l->size == l->space) {
    l->space = l->space ? 2 * l->space : 16;
    l->at = realloc (l->at, (size_t) l->space * sizeof *l->at);
    if (!l->at) abort ();
  }
  l->at[l->size++] = lit;
}

static void note (struct solver *s, int lit) {
  const int v = abs (lit);
  for (int i = 0; i < s->variables.size; i++)
    if (s->variables.at[i] == v) return;
  push (&s->variables, v);
}

struct solver *solver_new (void) {
  return calloc (1, sizeof (struct solver));
}

void solver_delete (struct solver *s) {
  free (s->clauses.at);
  free (s->assumptions.at);
  free (s->asked.at);
  free (s->variables.at);
  free (s->value);
  free (s);
}

void solver_add (struct solver *s, int lit) {
  push (&s->clauses, lit);
  if (lit) note (s, lit);
}

void solver_assume (struct solver *s, int lit) {
  push (&s->assumptions, lit);
  note (s, lit);
}

/* Returns the number of a variable, which is its place in the list, so that gaps cost nothing. */
static int place (const struct solver *s, int lit) {
  for (int i = 0; i < s->variables.size; i++)
    if (s->variables.at[i] == abs (lit)) return i;
  return -1;
}

static int truth (const struct solver *s, int lit) {
  const int at = place (s, lit), value = at < 0 ? 0 : s->value[at];
  return lit > 0 ? value : -value;
}

/* Returns whether no clause is falsified. */
static int holds (const struct solver *s) {
  int satisfied = 0, open = 0;
  for (int i = 0; i < s->clauses.size; i++) {
    const int lit = s->clauses.at[i];
    if (!lit) {
      if (!satisfied && !open) return 0;
      satisfied = open = 0;
    } else if (truth (s, lit) > 0)
      satisfied = 1;
    else if (!truth (s, lit))
      open = 1;
  }
  return 1;
}

static int search (struct solver *s) {
  if (++s->steps > MOST_STEPS) return 0;
  if (!holds (s)) return 20;
  int at = 0;
  while (at < s->variables.size && s->value[at]) at++;
  if (at == s->variables.size) return 10;
  for (int value = -1; value <= 1; value += 2) {
    s->value[at] = (signed char) value;
    const int answer = search (s);
    if (answer != 20) return answer;
  }
  s->value[at] = 0;
  return 20;
}

int solver_solve (struct solver *s) {
  free (s->asked.at);
  s->asked = s->assumptions;
  s->assumptions = (struct list){0};
  free (s->value);
  s->value = calloc ((size_t) s->variables.size + 1, 1);
  s->steps = 0;
  s->answer = 20;
  for (int i = 0; i < s->asked.size; i++) {
    const int lit = s->asked.at[i];
    if (truth (s, lit) < 0) return 20;
    s->value[place (s, lit)] = lit > 0 ? 1 : -1;
  }
  return s->answer = search (s);
}

int solver_value (const struct solver *s, int lit) { return truth (s, lit) >= 0 ? lit : -lit; }

int solver_failed (const struct solver *s, int lit) {
  for (int i = 0; i < s->asked.size; i++)
    if (s->asked.at[i] == lit) return 1;
  return 0;
}
