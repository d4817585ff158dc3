#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "brute.h"
#include "lrat.h"
#include "proof.h"
#include "ref.h"

char session_fault[256];
bool session_verbose;

/* Linked with --wrap for the only three allocators that the library uses. */
void *__real_calloc (size_t count, size_t size);
void *__real_realloc (void *memory, size_t size);
void __real_free (void *memory);
void *__wrap_calloc (size_t count, size_t size);
void *__wrap_realloc (void *memory, size_t size);
void __wrap_free (void *memory);

static long live_blocks;

void *__wrap_calloc (size_t count, size_t size) {
  live_blocks++;
  return __real_calloc (count, size);
}

void *__wrap_realloc (void *memory, size_t size) {
  live_blocks += !memory;
  return __real_realloc (memory, size);
}

void __wrap_free (void *memory) {
  live_blocks -= memory != NULL;
  __real_free (memory);
}

enum { MAX_INSTANCES = 3, MAX_ASSUMPTIONS = 64 };

struct instance {
  const struct ipafuzz_target *target;
  void *solver;
  int number;
  int32_t names[MAX_VARIABLES]; /* the user's names of the variables of brute.h */
  int variables;
  bool used[MAX_VARIABLES];
  struct set clauses;
  int clause[16], clause_size;
  int assumptions[MAX_ASSUMPTIONS], assumption_count;
  uint64_t weights[2 * MAX_VARIABLES];
  int weight_bits;
  bool has_terminate;
  int calls, calls_in_solve, stop_at;
  bool said_stop;
  bool has_model; /* which may still be queried */
  unsigned model;
  int learn_max;
  bool has_proof;
  struct ref_proof proof;
  struct lrat lrat;
};

static void wrong (const char *format, ...) {
  va_list arguments;
  if (session_fault[0]) return;
  va_start (arguments, format);
  vsnprintf (session_fault, sizeof session_fault, format, arguments);
  va_end (arguments);
  if (session_verbose) printf ("WRONG %s\n", session_fault);
}

static void say (const struct instance *instance, const char *format, ...) {
  va_list arguments;
  if (!session_verbose) return;
  printf ("@%d ", instance->number);
  va_start (arguments, format);
  vprintf (format, arguments);
  va_end (arguments);
  printf ("\n");
  fflush (stdout);
}

static int32_t user_literal (const struct instance *instance, int literal) {
  int32_t name = instance->names[literal >> 1];
  return literal & 1 ? -name : name;
}

static int from_user (const struct instance *instance, int32_t literal) {
  for (int v = 0; v < instance->variables; v++)
    if (instance->names[v] == abs (literal)) return instance->used[v] ? 2 * v + (literal < 0) : -1;
  return -1;
}

static int on_terminate (void *state) {
  struct instance *instance = state;
  if (instance->said_stop) wrong ("5.6 asked again after it was told to stop");
  instance->calls_in_solve++;
  instance->said_stop = instance->stop_at && ++instance->calls >= instance->stop_at;
  return instance->said_stop;
}

static void on_learn (void *state, int32_t *clause) {
  struct instance *instance = state;
  int literals[64], count = 0;
  for (; *clause; clause++) {
    int literal = from_user (instance, *clause);
    if (literal < 0 || count == 64) {
      wrong ("6.1 learned clause with a foreign literal %d", *clause);
      return;
    }
    literals[count++] = literal;
  }
  if (count > instance->learn_max)
    wrong ("6.2 learned clause of %d literals, wanted at most %d", count, instance->learn_max);
  if (!set_implies (&instance->clauses, literals, count))
    wrong ("6.1 learned clause of %d literals is not implied", count);
}

/* Every line of the proof must delete, or follow from the clauses, both by its hints and
 * by brute force. */
static void check_proof (struct instance *instance) {
  if (!instance->has_proof) return;
  struct lrat *lrat = &instance->lrat;
  if (instance->proof.is_given_up) wrong ("6.1 proof was given up");
  while (lrat->read < instance->proof.size && !session_fault[0]) {
    int32_t literals[64];
    int count = lrat_next_lemma (lrat, instance->proof.text, literals);
    if (count < 0) continue;
    int mapped[64];
    uint32_t mask = 0;
    for (int i = 0; i < count; i++) {
      mapped[i] = from_user (instance, literals[i]);
      if (mapped[i] < 0) {
        wrong ("6.1 proof with a foreign literal");
        return;
      }
      mask |= 1u << mapped[i];
    }
    const char *why = lrat_check_lemma (lrat, mask);
    if (why) wrong ("6.1 proof line %d: %s", lrat->lines, why);
    if (!set_implies (&instance->clauses, mapped, count)) wrong ("6.1 proof line is not implied");
  }
}

static void choose_options (struct random *random, struct instance *instance, const char *defect) {
  static const char *const bools[] = {"restart", "phase", "minimize"};
  const struct ipafuzz_target *target = instance->target;
  char text[32];
  if (defect && target->set_option (instance->solver, "defect", defect))
    wrong ("option defect=%s refused", defect);
  if (pick (random, 2))
    target->set_option (instance->solver, "maxsat",
                        pick (random, 2) ? "model-improving" : "core-guided");
  for (int i = 0; i < 3; i++)
    if (!pick (random, 4))
      target->set_option (instance->solver, bools[i], pick (random, 2) ? "true" : "false");
  if (!pick (random, 4)) target->set_option (instance->solver, "reduce", "10");
  if (!pick (random, 4)) {
    snprintf (text, sizeof text, "%d", pick (random, 1000001));
    target->set_option (instance->solver, "seed", text);
  }
}

static void open_instance (struct random *random, struct instance *instance, const char *defect) {
  instance->solver = instance->target->init ();
  say (instance, "init %s", instance->target->model == IPAFUZZ_IPASIR ? "ipasir" : "ipamir");
  memset (instance->used, 0, sizeof instance->used);
  memset (instance->weights, 0, sizeof instance->weights);
  set_fill (&instance->clauses);
  instance->clause_size = instance->assumption_count = 0;
  instance->has_terminate = instance->said_stop = instance->has_model = false;
  instance->calls = instance->stop_at = 0;
  instance->has_proof = false;
  choose_options (random, instance, defect);
  if (instance->target->model == IPAFUZZ_IPASIR && !pick (random, 16)) {
    instance->has_proof = true;
    ref_proof_open (&instance->proof, LRAT_INPUTS, SIZE_MAX);
    lrat_open (&instance->lrat);
    if (ref_set_proof (instance->solver, &instance->proof)) wrong ("proof refused");
  }

  static const int bits[] = {1, 3, 3, 8, 32, 40, 60, 62, 63, 64};
  instance->weight_bits = bits[pick (random, 10)];
  instance->variables = pick (random, 8) ? 1 + pick (random, 8) : 1 + pick (random, MAX_VARIABLES);
  bool is_wide = !pick (random, 8);
  for (int v = 0; v < instance->variables; v++) instance->names[v] = v + 1;
  if (is_wide)
    for (int v = 0; v < instance->variables; v++) switch (pick (random, 3)) {
      case 0: instance->names[v] = INT32_MAX - v; break;
      case 1: instance->names[v] = 2000 * (v + 1) + pick (random, 2000); break;
      }
}

static void close_instance (struct instance *instance) {
  say (instance, "release");
  check_proof (instance);
  instance->target->release (instance->solver);
  if (instance->has_proof) ref_proof_close (&instance->proof);
}

static int some_literal (struct random *random, struct instance *instance) {
  return pick (random, 2 * instance->variables);
}

static void add_zero (struct instance *instance) {
  instance->has_model = false;
  struct set clause = set_of_clause (instance->clause, instance->clause_size);
  set_keep (&instance->clauses, &clause);
  if (instance->has_proof) {
    uint32_t mask = 0;
    for (int i = 0; i < instance->clause_size; i++) mask |= 1u << instance->clause[i];
    lrat_input (&instance->lrat, mask);
  }
  instance->clause_size = 0;
  say (instance, "add 0");
  instance->target->add (instance->solver, 0);
}

static void add_literal (struct random *random, struct instance *instance) {
  int literal = some_literal (random, instance);
  instance->has_model = false;
  if (instance->clause_size && !pick (random, 24)) /* again, or its negation */
    literal = instance->clause[instance->clause_size - 1] ^ pick (random, 2);
  instance->used[literal >> 1] = true;
  instance->clause[instance->clause_size++] = literal;
  say (instance, "add %d", user_literal (instance, literal));
  instance->target->add (instance->solver, user_literal (instance, literal));
}

static void add_clause (struct random *random, struct instance *instance) {
  static const int lengths[] = {1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 5};
  int length = pick (random, 100) ? lengths[pick (random, 13)] : 0;
  while (instance->clause_size < length) add_literal (random, instance);
  if (pick (random, 40)) /* sometimes left open */
    add_zero (instance);
}

static void assume (struct random *random, struct instance *instance) {
  if (instance->assumption_count == MAX_ASSUMPTIONS) return;
  int literal = some_literal (random, instance);
  instance->has_model = false;
  instance->used[literal >> 1] = true;
  instance->assumptions[instance->assumption_count++] = literal;
  say (instance, "assume %d", user_literal (instance, literal));
  instance->target->assume (instance->solver, user_literal (instance, literal));
}

static void add_soft (struct random *random, struct instance *instance) {
  int literal = some_literal (random, instance);
  instance->has_model = false;
  uint64_t weight = draw (random) >> (64 - instance->weight_bits);
  if (!pick (random, 8)) weight = draw (random) >> (1 + pick (random, 63));
  instance->used[literal >> 1] = true;
  instance->weights[literal] = weight;
  say (instance, "soft %d %" PRIu64, user_literal (instance, literal), weight);
  instance->target->add_soft (instance->solver, user_literal (instance, literal), weight);
}

static void set_terminate (struct random *random, struct instance *instance) {
  int stop_at = pick (random, 3) ? 1 + pick (random, 6) : 0;
  instance->has_terminate = pick (random, 3);
  instance->calls = 0;
  instance->stop_at = stop_at;
  say (instance, "terminate %d %d", instance->has_terminate, stop_at);
  instance->target->set_terminate (instance->solver, instance,
                                   instance->has_terminate ? on_terminate : NULL);
}

static void drop_terminate (struct instance *instance) {
  say (instance, "terminate off");
  instance->has_terminate = false;
  instance->target->set_terminate (instance->solver, NULL, NULL);
}

static void set_learn (struct random *random, struct instance *instance) {
  bool is_on = pick (random, 4);
  instance->learn_max = pick (random, 5);
  say (instance, "learn %d %d", is_on, instance->learn_max);
  instance->target->set_learn (instance->solver, instance, instance->learn_max,
                               is_on ? on_learn : NULL);
}

/* Reads and checks the model; returns the assignment. */
static unsigned check_values (const struct instance *instance) {
  unsigned assignment = 0;
  for (int v = 0; v < instance->variables; v++) {
    int32_t name = instance->names[v];
    int32_t value = instance->target->val (instance->solver, name);
    int32_t negative = instance->target->val (instance->solver, -name);
    int32_t again = instance->target->val (instance->solver, name);
    if (value != again) wrong ("5.2 val %d is %d, then %d", name, value, again);
    if (negative != value) /* both must name the true literal of the variable */
      wrong ("5.2 val %d is %d, val %d is %d", name, value, -name, negative);
    if (instance->used[v] ? value != name && value != -name : value != 0)
      wrong ("5.2 val %d is %d", name, value);
    if (value == name) assignment |= 1u << v;
  }
  return assignment;
}

static void check_failed (const struct instance *instance, const int *assumptions, int count) {
  struct set core = instance->clauses;
  for (int literal = 0; literal < 2 * instance->variables; literal++) {
    bool is_assumption = false;
    for (int i = 0; i < count; i++) is_assumption |= assumptions[i] == literal;
    int failed = instance->target->failed (instance->solver, user_literal (instance, literal));
    if (failed && !is_assumption)
      wrong ("5.3 failed %d was not assumed", user_literal (instance, literal));
    if (failed) set_keep_literal (&core, literal);
  }
  if (!set_is_empty (&core)) wrong ("5.3 failed assumptions are not a core");
}

static void check_objective (const struct instance *instance, int status,
                             const struct set *solutions, unsigned assignment) {
  uint64_t objective = instance->target->val_obj (instance->solver);
  uint64_t cost = cost_of (instance->weights, instance->variables, assignment);
  uint64_t least = least_cost (solutions, instance->weights, instance->variables);
  if (status == 10 && objective != cost)
    wrong ("2.3 objective %" PRIu64 ", model costs %" PRIu64 " (interrupted)", objective, cost);
  if (status != 30 || (objective == cost && cost == least)) return;
  const char *fault = objective == cost                     ? "2.1"
                      : objective == least || cost == least ? "2.3"
                                                            : "2.2";
  wrong ("%s objective %" PRIu64 ", model costs %" PRIu64 ", optimum %" PRIu64, fault, objective,
         cost, least);
}

static bool sum_fits (const struct instance *instance) {
  uint64_t sum = 0;
  for (int i = 0; i < 2 * instance->variables; i++)
    if (__builtin_add_overflow (sum, instance->weights[i], &sum)) return false;
  return true;
}

static void solve (struct instance *instance) {
  bool is_sat_solver = instance->target->model == IPAFUZZ_IPASIR;
  struct set solutions = instance->clauses;
  for (int i = 0; i < instance->assumption_count; i++)
    set_keep_literal (&solutions, instance->assumptions[i]);
  int assumption_count = instance->assumption_count;
  instance->assumption_count = 0;
  instance->said_stop = instance->has_model = false;
  instance->calls_in_solve = 0;
  say (instance, "solve");
  int status = instance->target->solve (instance->solver);
  say (instance, "status %d%s", status, instance->said_stop ? " (was told to stop)" : "");
  check_proof (instance);

  if (instance->has_terminate && !instance->calls_in_solve) wrong ("5.6 terminate was not called");
  if (instance->said_stop && status != 0 && (is_sat_solver || status != 10))
    wrong ("5.6 told to stop, answers %d", status);
  if (!instance->said_stop && (status == 0 || (!is_sat_solver && status == 10)))
    wrong ("4.4 answers %d without being told to stop", status);
  bool fits = sum_fits (instance);
  if (status != 0 && (status == 40) == fits)
    wrong ("4.4 answers %d, sum of weights %s", status, fits ? "fits" : "is too great");

  if (status == 20) {
    if (!set_is_empty (&solutions)) wrong ("2.5 claims infeasible");
    if (is_sat_solver) check_failed (instance, instance->assumptions, assumption_count);
  } else if (status == 10 || (status == 30 && !is_sat_solver)) {
    if (set_is_empty (&solutions)) {
      wrong ("2.4 claims feasible");
      return;
    }
    unsigned assignment = check_values (instance);
    instance->has_model = true;
    instance->model = assignment;
    if (!set_has (&solutions, assignment))
      wrong ("2.6 model falsifies clauses or assumptions");
    else if (!is_sat_solver)
      check_objective (instance, status, &solutions, assignment);
  } else if (status != 0 && status != 40)
    wrong ("5.1 answers %d", status);
}

/* The values stay the same until a call changes this instance. */
static void look_again (const struct instance *instance) {
  if (instance->has_model && check_values (instance) != instance->model)
    wrong ("5.2 the model has changed");
}

static void step (struct random *random, struct instance *instance, const char *defect) {
  bool is_sat_solver = instance->target->model == IPAFUZZ_IPASIR;
  int choice = pick (random, 100);
  if (choice < 10)
    for (int i = pick (random, 4); i >= 0; i--) assume (random, instance);
  else if (choice < 14)
    set_terminate (random, instance);
  else if (choice < 30) {
    solve (instance);
    if (!pick (random, 4)) solve (instance);
    if (instance->said_stop && pick (random, 2)) drop_terminate (instance);
  } else if (choice < 33)
    look_again (instance);
  else if (choice < 37 && is_sat_solver)
    set_learn (random, instance);
  else if (choice < 55 && !is_sat_solver)
    for (int i = pick (random, 4); i >= 0; i--) add_soft (random, instance);
  else if (choice == 99 && !pick (random, 4)) {
    close_instance (instance);
    open_instance (random, instance, defect);
  } else
    for (int i = pick (random, 2 * instance->variables); i >= 0; i--) add_clause (random, instance);
}

bool run_session (uint64_t seed, const char *defect, unsigned models) {
  static struct instance instances[MAX_INSTANCES];
  struct random random = {seed};
  int count = pick (&random, 3) ? 1 : 2 + pick (&random, 2);
  session_fault[0] = 0;
  long before = live_blocks;
  for (int i = 0; i < count; i++) {
    bool is_sat = models == 3 ? pick (&random, 2) : models == 1;
    instances[i].target = is_sat ? &ref_ipasir_target : &ref_ipamir_target;
    instances[i].number = i;
    open_instance (&random, instances + i, defect);
  }
  for (int steps = 4 + pick (&random, 12) * count; steps > 0 && !session_fault[0]; steps--)
    step (&random, instances + pick (&random, count), defect);
  for (int i = 0; i < count; i++) {
    if (!session_fault[0]) solve (instances + i);
    close_instance (instances + i);
  }
  if (live_blocks != before) wrong ("5.7 leak of %ld blocks", live_blocks - before);
  return !session_fault[0];
}
