/* The checks of exported programs. Each piece below a line with two slashes and
 * a name goes into a program that uses the name. Written so that it is C and C++. */

// faults
static int faults;

// expect
/* Says what is wrong, and remembers it. */
static void expect (int right, const char *place, const char *what)
{
  if (right) return;
  fprintf (stderr, "%s: expected: %s\n", place, what);
  faults++;
}

// refused
/* After ERROR nothing may be asked any more: the other checks cannot be made. */
static void refused (int status, const char *place)
{
  if (status != 40) return;
  fprintf (stderr, "%s: the library answers ERROR\n", place);
  exit (faults ? 1 : 125);
}

// index_of
/* The place of a literal's variable in the list of all, -1 when the client never named it. */
static int index_of (int32_t lit)
{
  const int32_t var = lit < 0 ? -lit : lit;
  int low = 0, high = VARIABLES;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (variables[middle] < var) low = middle + 1;
    else high = middle;
  }
  return low < VARIABLES && variables[low] == var ? low : -1;
}

// answer
/* One answer to solve, and what was asked about it. */
struct answer {
  int status;
  int has_objective;
  uint64_t objective;
  int8_t value[VARIABLES];     /* NOT_ASKED, YES, NO, NOT_IMPORTANT or CONTRADICTED */
  int8_t failed[2][VARIABLES]; /* by sign of the literal: NOT_ASKED, YES or NO */
};

enum { NOT_ASKED = 0, YES = 1, NO = -1, NOT_IMPORTANT = 2, CONTRADICTED = 3 };

// outcome
/* All that is kept of an answer to solve. */
struct outcome {
  int status;
};

// problem
/* What a solve was about. */
struct soft {
  int32_t lit;
  uint64_t weight;
};

struct problem {
  const int32_t *clauses; /* a 0 behind each */
  size_t words;
  const struct soft *softs;
  size_t num_softs;
  const int32_t *assumed;
  size_t num_assumed;
};

// value
/* Takes the value of a literal; a second one must say the same. */
static void value (struct answer *a, const char *place, int32_t lit, int32_t val)
{
  (void) place;
  int8_t *had = a->value + index_of (lit);
  const int8_t now = !val ? NOT_IMPORTANT : val > 0 ? YES : NO;
  if (val != 0 && val != lit && val != -lit) {
    if (CHECK_VALUES) expect (0, place, "val answers its literal, the negation of it, or 0");
    return;
  }
  if (*had == NOT_ASKED || *had == now) *had = now;
  else if (*had == NOT_IMPORTANT || now == NOT_IMPORTANT) {
    if (CHECK_ZEROS) expect (0, place, "one value of one variable in one solution, not 0 as well");
    if (now != NOT_IMPORTANT) *had = now;
  } else {
    if (CHECK_VALUES) expect (0, place, "one value of one variable in one solution");
    *had = CONTRADICTED;
  }
}

// valueless
/* Whether the variables have no value. */
static int valueless (const struct answer *a, const int32_t *list, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const int8_t told = a->value[index_of (list[i])];
    if (told != NOT_ASKED && told != NOT_IMPORTANT) return 0;
  }
  return 1;
}

// objective
/* Takes the objective; a second one must be the same. */
static void objective (struct answer *a, const char *place, uint64_t objective)
{
  (void) place;
  if (CHECK_VALUES) expect (!a->has_objective || a->objective == objective, place, "one objective of one solution");
  a->has_objective = 1;
  a->objective = objective;
}

// failed
/* Takes whether an assumption failed. */
static void failed (struct answer *a, const char *place, int32_t lit, int was_assumed, int failed)
{
  (void) place;
  int8_t *had = a->failed[lit < 0] + index_of (lit);
  const int8_t now = failed ? YES : NO;
  if (!was_assumed) {
    if (CHECK_OTHERS) expect (!failed, place, "0: it was not assumed");
    return;
  }
  if (CHECK_FAILED) expect (failed == 0 || failed == 1, place, "failed answers 0 or 1");
  if (CHECK_FAILED) expect (*had == NOT_ASKED || *had == now, place, "one answer for one assumption");
  *had = now;
}

// assignment
static int8_t assignment[VARIABLES]; /* YES, NO or 0 */

/* Makes a literal true; 0 when it is false already. */
static int assign (int32_t lit)
{
  int8_t *v = assignment + index_of (lit);
  const int8_t wanted = lit > 0 ? 1 : -1;
  if (*v && *v != wanted) return 0;
  *v = wanted;
  return 1;
}

// game
/* What a solve was about, with quantifiers. */
struct game {
  const int32_t *clauses; /* a 0 behind each */
  size_t words;
  const int32_t *prefix; /* free variables, then the blocks, outermost first; negative if universal */
  size_t variables;
  size_t outermost; /* of these variables, the first */
  const int32_t *assumed;
  size_t num_assumed;
};

// is_true
/* Whether the formula is true, from a variable of the prefix on. Variables that have a value keep it. */
static int is_true (const struct game *g, size_t from)
{
  if (from == g->variables) {
    int fulfilled = 0;
    for (size_t i = 0; i < g->words; i++) {
      const int32_t lit = g->clauses[i];
      if (!lit && !fulfilled) return 0;
      fulfilled = lit && (fulfilled || assignment[index_of (lit)] == (lit > 0 ? YES : NO));
    }
    return 1;
  }
  const int universal = g->prefix[from] < 0;
  int8_t *v = assignment + index_of (g->prefix[from]);
  if (*v) return is_true (g, from + 1);
  int truth = universal;
  for (int value = NO; value <= YES && truth == universal; value += 2) {
    *v = (int8_t) value;
    truth = is_true (g, from + 1);
  }
  *v = 0;
  return truth;
}

// holds
/* Whether the answer is right with the values of the outermost block under all assumptions, or without
 * values under those that are blamed. */
static int holds (const struct game *g, const struct answer *a, int blamed)
{
  memset (assignment, 0, sizeof assignment);
  for (size_t i = 0; i < g->num_assumed; i++) {
    const int32_t lit = g->assumed[i];
    if (!blamed || a->failed[lit < 0][index_of (lit)] != NO) assign (lit);
  }
  for (size_t i = 0; !blamed && i < g->outermost; i++) {
    const int32_t v = g->prefix[i] < 0 ? -g->prefix[i] : g->prefix[i];
    const int8_t told = a->value[index_of (v)];
    if ((told == YES || told == NO) && !assign (told == YES ? v : -v)) return 0;
  }
  return is_true (g, 0) == (a->status == 10);
}

// satisfiable
static int32_t trail[VARIABLES];
static size_t trailed;
static unsigned long effort;

/* Whether the assignment can be completed to one that fulfils the clauses. A
 * problem that is too large for this small search counts as one where nothing
 * is known: 1 or 0 as given. */
static int satisfiable (const struct problem *p, int unknown)
{
  const size_t before = trailed;
  int32_t branch = 0;
  int result = -1, again = 1;
  while (again && result < 0) {
    again = 0;
    branch = 0;
    for (const int32_t *c = p->clauses, *end = c + p->words; c < end && result < 0; c++) {
      int32_t open = 0;
      int fulfilled = 0, several = 0;
      for (; *c; c++) {
        const int v = assignment[index_of (*c)];
        if (v && (v > 0) == (*c > 0)) fulfilled = 1;
        else if (!v && open && open != *c) several = 1;
        else if (!v) open = *c;
      }
      if (fulfilled) continue;
      if (!open) result = 0;
      else if (several) branch = open;
      else {
        assign (open);
        trail[trailed++] = open;
        again = 1;
      }
    }
  }
  if (result < 0 && !branch) result = 1;
  if (result < 0 && ++effort > 1000000) result = unknown;
  for (int sign = 1; result < 0 && sign >= -1; sign -= 2) {
    assign (sign * branch);
    const int found = satisfiable (p, unknown);
    assignment[index_of (branch)] = 0;
    if (found || sign < 0) result = found;
  }
  while (trailed > before) assignment[index_of (trail[--trailed])] = 0;
  return result;
}

// start
/* The assignment of the known values and of the assumptions; 0 when they contradict each other. */
static int start (const struct problem *p, const struct answer *a)
{
  int fits = 1;
  effort = 0;
  for (int i = 0; i < VARIABLES; i++) assignment[i] = a->value[i] == YES || a->value[i] == NO ? a->value[i] : 0;
  for (size_t i = 0; i < p->num_assumed; i++) fits &= assign (p->assumed[i]);
  return fits;
}

// fits
/* Whether the values fulfil the clauses and assumptions; where some are not known, whether some completion does. */
static int fits (const struct problem *p, const struct answer *a)
{
  return start (p, a) && satisfiable (p, 1);
}

// costs
static int completion_costs (const struct problem *p, uint64_t cost)
{
  uint64_t paid = 0;
  int32_t open = 0;
  for (size_t i = 0; i < p->num_softs; i++) {
    const int v = assignment[index_of (p->softs[i].lit)];
    if (!v) open = p->softs[i].lit;
    else if ((v > 0) == (p->softs[i].lit > 0)) paid += p->softs[i].weight;
  }
  if (paid > cost) return 0;
  if (!open) return paid == cost && satisfiable (p, 1);
  if (++effort > 1000000) return 1;
  int found = 0;
  for (int sign = 1; !found && sign >= -1; sign -= 2) {
    assign (sign * open);
    found = completion_costs (p, cost);
    assignment[index_of (open)] = 0;
  }
  return found;
}

/* Whether the values cost that much; where some are not known, whether some completion does. */
static int costs (const struct problem *p, const struct answer *a, uint64_t cost)
{
  if (!fits (p, a)) return 1; /* no solution at all is another fault */
  return start (p, a) && completion_costs (p, cost);
}

// is_core
/* Whether the failed assumptions contradict the clauses, or each other. */
static int is_core (const struct problem *p, const struct answer *a)
{
  int told = 0;
  memset (assignment, 0, sizeof assignment);
  effort = 0;
  for (size_t i = 0; i < p->num_assumed; i++) {
    const int32_t lit = p->assumed[i];
    const int8_t failed = a->failed[lit < 0][index_of (lit)];
    if (failed == NOT_ASKED) continue;
    told++;
    if (failed == YES && !assign (lit)) return 1;
  }
  /* An assumption that nobody asked about may be part of the core. */
  for (size_t i = 0; i < p->num_assumed; i++) {
    const int32_t lit = p->assumed[i];
    if (a->failed[lit < 0][index_of (lit)] == NOT_ASKED && !assign (lit)) return 1;
  }
  return !told || !satisfiable (p, 0);
}

// stopper
/* The terminate callback of one solver. */
struct stopper {
  int installed;
  unsigned stop_at;          /* it says stop from this call on, 0: never */
  unsigned calls, more_calls; /* in this solve; of these, after it had said stop */
};

// says_stop
static int says_stop (void *state)
{
  struct stopper *s = (struct stopper *) state;
  s->calls++;
  if (!s->installed || !s->stop_at || s->calls < s->stop_at) return 0;
  if (s->calls > s->stop_at) s->more_calls++;
  return 1;
}

// said_stop
static int said_stop (const struct stopper *s)
{
  return s->installed && s->stop_at && s->calls >= s->stop_at;
}

// listener
/* The learn callback of one solver. */
struct listener {
  int installed;
  unsigned longest; /* that was asked for */
  unsigned calls, too_long;
  size_t used;
  int32_t clauses[1 << 16]; /* a 0 behind each */
};

static void takes_clause (void *state, int32_t *clause)
{
  struct listener *l = (struct listener *) state;
  size_t length = 0;
  while (clause[length]) length++;
  l->calls++;
  if (length > l->longest) l->too_long++;
  if (l->used + length + 1 > sizeof l->clauses / sizeof *clause) return;
  memcpy (l->clauses + l->used, clause, (length + 1) * sizeof *clause);
  l->used += length + 1;
}

// implied
/* Whether every learned clause follows from the clauses, without the assumptions. */
static int implied (const struct problem *p, const struct listener *l)
{
  for (size_t i = 0; i < l->used; i++) {
    int always_true = 0;
    memset (assignment, 0, sizeof assignment);
    effort = 0;
    for (; l->clauses[i]; i++) {
      if (index_of (l->clauses[i]) < 0) return 0; /* a variable that the client never named */
      always_true |= !assign (-l->clauses[i]);
    }
    if (!always_true && satisfiable (p, 0)) return 0;
  }
  return 1;
}
