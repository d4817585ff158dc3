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

// plain_main
int main (void)
{
  run ();
  if (!faults) puts ("nothing is wrong");
  return faults != 0;
}

// crash_main
int main (void)
{
  run ();
  puts ("nothing is wrong: the end was reached");
  return 0;
}

// leak_main
/* Filling a cache once is no leak: every late round must leave more than the one before. */
int main (void)
{
  enum { ROUNDS = 20, JUDGED = 10 };
  int growing = 1;
  for (int i = 0; i < ROUNDS; i++) {
    const size_t before = MALLINFO ().uordblks;
    run ();
    const size_t after = MALLINFO ().uordblks;
    if (i >= ROUNDS - JUDGED && after <= before) growing = 0;
  }
  if (growing)
    fprintf (stderr, "expected: after the last release the heap is what it was; it grows with every round\n");
  else puts ("nothing is wrong: the heap does not grow");
  return growing;
}

// guarded_main
/* The calls are made in a process of their own, which must come to its end. */
int main (void)
{
  int *reached = (int *) mmap (0, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reached == MAP_FAILED) return 125;
  fflush (stdout);
  const pid_t child = fork ();
  if (child < 0) return 125;
  if (!child) {
    LIMITS
    run ();
    *reached = 1;
    _exit (0);
  }
  int status = 0;
  for (long waited = 0; waitpid (child, &status, WNOHANG) == 0; waited++) {
    const struct timespec tick = {0, 10000000};
    if (waited > 4 * 100 * LIMIT_SECONDS) {
      kill (child, SIGKILL);
      waitpid (child, &status, 0);
      break;
    }
    nanosleep (&tick, 0);
  }
  if (WIFEXITED (status) && WEXITSTATUS (status) == 125) return 125;
  int right = *reached && WIFEXITED (status);
  struct rusage usage;
  getrusage (RUSAGE_CHILDREN, &usage);
  if ((uint64_t) usage.ru_maxrss * 1024 > LIMIT_BYTES) right = 0;
  if (right) puts ("nothing is wrong: the end was reached");
  else fprintf (stderr, "expected: all calls return, within the limits\n");
  return !right;
}

// message_main
/* The library goes on and answers, and no line that it writes has these words in this order. */
int main (void)
{
  static const char *const words[] = {WORDS};
  const size_t count = sizeof words / sizeof *words;
  FILE *written = tmpfile ();
  const int to_people = dup (2);
  if (!written || to_people < 0) return 125;
  fflush (stdout);
  dup2 (fileno (written), 1), dup2 (fileno (written), 2);
  run ();
  fflush (0);
  rewind (written);
  static char line[1 << 16];
  while (fgets (line, sizeof line, written)) {
    size_t found = 0;
    const char *rest = line;
    while (found < count && (rest = strstr (rest, words[found]))) rest += strlen (words[found++]);
    if (found < count) continue;
    dprintf (to_people, "expected: no error message; there is: %s", line);
    return 1;
  }
  dprintf (to_people, "nothing is wrong: there is no such message\n");
  return 0;
}

// fail_allocation
/* Makes one allocation fail: the n-th from here on, whoever makes it. The C library has
 * these functions under other names, too. */
static unsigned long allocations_left;

static void fail_allocation (unsigned long n) { allocations_left = n; }

static int allocation_fails (void)
{
  return __atomic_load_n (&allocations_left, __ATOMIC_RELAXED) &&
         !__atomic_sub_fetch (&allocations_left, 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
#define AS_DECLARED noexcept
extern "C" {
#else
#define AS_DECLARED
#endif
void *__libc_malloc (size_t);
void *__libc_calloc (size_t, size_t);
void *__libc_realloc (void *, size_t);
void *__libc_memalign (size_t, size_t);

void *malloc (size_t size) AS_DECLARED
{
  return allocation_fails () ? 0 : __libc_malloc (size);
}

void *calloc (size_t count, size_t size) AS_DECLARED
{
  return allocation_fails () ? 0 : __libc_calloc (count, size);
}

void *realloc (void *memory, size_t size) AS_DECLARED
{
  return size && allocation_fails () ? 0 : __libc_realloc (memory, size);
}

void *aligned_alloc (size_t alignment, size_t size) AS_DECLARED
{
  return allocation_fails () ? 0 : __libc_memalign (alignment, size);
}

int posix_memalign (void **memory, size_t alignment, size_t size) AS_DECLARED
{
  void *made = allocation_fails () ? 0 : __libc_memalign (alignment, size);
  if (!made) return 12; /* ENOMEM */
  *memory = made;
  return 0;
}
#ifdef __cplusplus
}
#endif
