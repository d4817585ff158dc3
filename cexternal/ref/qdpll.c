#include "qdpll.h"

#include <stdlib.h>
#include <string.h>

#include "defects.h"

void ref_qdpll_open (struct ref_qdpll *q, const struct ref_options *options,
                     struct ref_stop *stop) {
  q->options = options;
  q->stop = stop;
}

void ref_qdpll_close (struct ref_qdpll *q) {
  free (q->variables);
  free (q->values);
  free (q->first);
  free (q->order);
  free (q->trail);
  ref_vector_free (&q->clauses);
  ref_vector_free (&q->occurrences);
  ref_vector_free (&q->kept);
}

static void reserve (struct ref_qdpll *q, int32_t count) {
  if (count <= q->variable_capacity) return;
  const size_t capacity = 2 * (size_t) count;
  q->variable_capacity = (int32_t) capacity;
  q->variables = ref_resize (q->variables, capacity, sizeof *q->variables);
  q->values = ref_resize (q->values, 2 * capacity, sizeof *q->values);
  q->first = ref_resize (q->first, 2 * capacity, sizeof *q->first);
  q->order = ref_resize (q->order, capacity, sizeof *q->order);
  q->trail = ref_resize (q->trail, capacity, sizeof *q->trail);
}

void ref_qdpll_begin (struct ref_qdpll *q, int32_t variables) {
  reserve (q, variables);
  q->variable_count = variables;
  q->clauses.size = q->occurrences.size = q->kept.size = 0;
  q->trail_size = q->propagated = q->next = q->order_size = q->unsatisfied = 0;
  if (!variables) return;
  memset (q->variables, 0, (size_t) variables * sizeof *q->variables);
  memset (q->values, 0, 2 * (size_t) variables);
  for (int32_t i = 0; i < 2 * variables; i++) q->first[i] = REF_NONE;
}

static int32_t size_of (const struct ref_qdpll *q, int32_t clause) {
  return q->clauses.data[clause];
}

static const ref_lit *literals_of (const struct ref_qdpll *q, int32_t clause) {
  return q->clauses.data + clause + 1;
}

static int32_t after (const struct ref_qdpll *q, int32_t clause) {
  return clause + 1 + size_of (q, clause);
}

static bool contains (const ref_lit *literals, size_t count, ref_lit literal) {
  for (size_t i = 0; i < count; i++)
    if (literals[i] == literal) return true;
  return false;
}

void ref_qdpll_add (struct ref_qdpll *q, const ref_lit *literals, size_t count) {
  const size_t clause = q->clauses.size;
  ref_push (&q->clauses, 0);
  for (size_t i = 0; i < count; i++) {
    const ref_lit *before = q->clauses.data + clause + 1;
    const size_t so_far = q->clauses.size - clause - 1;
    if (contains (before, so_far, ref_negate (literals[i])) &&
        !HAS (q->options, TAUTOLOGY_REDUCED)) { /* DEFECT: universal reduction takes it apart */
      q->clauses.size = clause;
      return;
    }
    if (!contains (before, so_far, literals[i])) ref_push (&q->clauses, literals[i]);
  }
  const int32_t size = (int32_t) (q->clauses.size - clause - 1);
  q->clauses.data[clause] = size;
  for (int32_t i = 0; i < size; i++) {
    const ref_lit literal = literals_of (q, (int32_t) clause)[i];
    const int32_t occurrence = (int32_t) q->occurrences.size;
    ref_push (&q->occurrences, (int32_t) clause);
    ref_push (&q->occurrences, q->first[literal]);
    q->first[literal] = occurrence;
    q->variables[ref_variable_of (literal)].occurs = true;
  }
}

static int32_t clause_of (const struct ref_qdpll *q, int32_t occurrence) {
  return q->occurrences.data[occurrence];
}

static int32_t next_of (const struct ref_qdpll *q, int32_t occurrence) {
  return q->occurrences.data[occurrence + 1];
}

static void assign (struct ref_qdpll *q, ref_lit literal, int32_t how) {
  q->values[literal] = 1;
  q->values[ref_negate (literal)] = -1;
  q->variables[ref_variable_of (literal)].place = q->trail_size;
  q->trail[q->trail_size++] = (struct ref_qstep){literal, how, 0, q->next};
}

static struct ref_qvar *variable_of (const struct ref_qdpll *q, ref_lit literal) {
  return q->variables + ref_variable_of (literal);
}

/* The player who wants the formula to be false owns the universal variables. */
enum player { VERIFIER, FALSIFIER, NOBODY };

static enum player owner_of (const struct ref_qdpll *q, ref_lit literal) {
  const struct ref_qvar *v = variable_of (q, literal);
  return v->assumed ? NOBODY : v->universal ? FALSIFIER : VERIFIER;
}

enum verdict { OPEN, UNIT, FALSIFIED };

/* Examines a clause under the current values. By universal reduction, an unassigned universal
 * literal counts as false if it is inside of the only existential literal, or if there is none. */
static enum verdict examine (const struct ref_qdpll *q, int32_t clause, ref_lit *unit) {
  const ref_lit *literals = literals_of (q, clause);
  int32_t outermost_universal = INT32_MAX;
  *unit = REF_NONE;
  for (int32_t i = 0; i < size_of (q, clause); i++) {
    const ref_lit literal = literals[i];
    if (q->values[literal] > 0) return OPEN;
    if (q->values[literal] < 0) continue;
    const struct ref_qvar *v = variable_of (q, literal);
    if (v->assumed) return OPEN; /* not assigned yet: nobody may rely on its value */
    if (v->universal) {
      if (v->rank < outermost_universal) outermost_universal = v->rank;
    } else if (*unit != REF_NONE) {
      return OPEN;
    } else {
      *unit = literal;
    }
  }
  if (*unit == REF_NONE) return FALSIFIED;
  if (HAS (q->options, REDUCES_OUTER)) return UNIT; /* DEFECT: whatever the order of the blocks */
  return outermost_universal < variable_of (q, *unit)->rank ? OPEN : UNIT;
}

/* Assigns what follows from a clause; returns false if it is falsified. */
static bool use (struct ref_qdpll *q, int32_t clause) {
  ref_lit unit;
  switch (examine (q, clause, &unit)) {
  case UNIT: assign (q, unit, clause); break;
  case FALSIFIED: return false;
  case OPEN: break;
  }
  return true;
}

/* Assigns all that follows from the literals that are new on the trail. Returns a falsified
 * clause, or REF_NONE. */
static int32_t propagate (struct ref_qdpll *q) {
  while (q->propagated < q->trail_size) {
    const ref_lit falsified = ref_negate (q->trail[q->propagated++].literal);
    for (int32_t o = q->first[falsified]; o != REF_NONE; o = next_of (q, o))
      if (!use (q, clause_of (q, o))) return clause_of (q, o);
  }
  return REF_NONE;
}

static bool is_satisfied (const struct ref_qdpll *q, int32_t clause) {
  const ref_lit *literals = literals_of (q, clause);
  for (int32_t i = 0; i < size_of (q, clause); i++)
    if (q->values[literals[i]] > 0) return true;
  return false;
}

static bool is_needed (const struct ref_qdpll *q, ref_lit literal) {
  for (int32_t o = q->first[literal]; o != REF_NONE; o = next_of (q, o))
    if (!is_satisfied (q, clause_of (q, o))) return true;
  return false;
}

/* Gives the variables that occur with one sign only, in clauses that are not satisfied, the
 * value that their owner wants. Assumptions, which come later, do not change that. */
static void assign_pure (struct ref_qdpll *q) {
  for (int32_t i = 0; i < q->order_size; i++) {
    const ref_lit literal = ref_literal (q->order[i], false);
    const struct ref_qvar *v = variable_of (q, literal);
    if (v->assumed || q->values[literal]) continue;
    const bool positive = is_needed (q, literal), negative = is_needed (q, ref_negate (literal));
    if (positive == negative) continue;
    const ref_lit pure = positive ? literal : ref_negate (literal);
    const bool satisfies =
      !v->universal || HAS (q->options, PURE_FOR_BOTH); /* DEFECT: the falsifier gives way */
    assign (q, satisfies ? pure : ref_negate (pure), REF_BY_PURITY);
  }
}

/* Assigns what follows without any decision. Returns a falsified clause, or REF_NONE. */
static int32_t begin (struct ref_qdpll *q, const struct ref_vector *assumptions) {
  for (int32_t c = 0; c < (int32_t) q->clauses.size; c = after (q, c))
    if (!use (q, c)) return c;
  int32_t known, conflict = propagate (q);
  do {
    if (conflict != REF_NONE) return conflict;
    known = q->trail_size;
    assign_pure (q);
    conflict = propagate (q);
  } while (q->trail_size > known);
  for (size_t i = 0; i < assumptions->size; i++)
    if (variable_of (q, assumptions->data[i])->assumed && !q->values[assumptions->data[i]])
      assign (q, assumptions->data[i], REF_BY_ASSUMPTION);
  return propagate (q);
}

/* Returns a clause that is not satisfied, or REF_NONE. It begins where the last search ended,
 * because that search has skipped satisfied clauses, and most of them still are. */
static int32_t unsatisfied (struct ref_qdpll *q) {
  const int32_t end = (int32_t) q->clauses.size, begin = q->unsatisfied;
  for (int32_t c = begin; c < end; c = after (q, c))
    if (!is_satisfied (q, c)) return q->unsatisfied = c;
  for (int32_t c = 0; c < begin; c = after (q, c))
    if (!is_satisfied (q, c)) return q->unsatisfied = c;
  return REF_NONE;
}

static void blame (struct ref_qdpll *q, ref_lit literal) {
  variable_of (q, literal)->in_reason = true;
}

/* Adds the reason of a falsified clause, or of the literal that it has made true: the other
 * literals, which are false. Those that universal reduction has dropped have no value. */
static void blame_clause (struct ref_qdpll *q, int32_t clause, ref_lit except) {
  const ref_lit *literals = literals_of (q, clause);
  for (int32_t i = 0; i < size_of (q, clause); i++)
    if (literals[i] != except && q->values[literals[i]] < 0) blame (q, literals[i]);
}

/* Lets the falsifier make those literals false that universal reduction has dropped from a
 * clause. */
static void reduce (struct ref_qdpll *q, int32_t clause) {
  const ref_lit *literals = literals_of (q, clause);
  for (int32_t i = 0; i < size_of (q, clause); i++)
    if (!q->values[literals[i]])
      variable_of (q, literals[i])->outcome = ref_is_negative (literals[i]) ? 1 : -1;
}

/* Whether a is a better reason than b for a satisfied clause, if both are true. The verifier's
 * literals cost nothing, assumptions only make the core larger, and the falsifier's make work. */
static bool is_better (const struct ref_qdpll *q, ref_lit a, ref_lit b) {
  static const int cost[] = {[VERIFIER] = 0, [NOBODY] = 1, [FALSIFIER] = 2};
  const int first = cost[owner_of (q, a)], second = cost[owner_of (q, b)];
  return first != second ? first < second : variable_of (q, a)->place < variable_of (q, b)->place;
}

/* Adds the reason of a solution: one true literal of each clause. */
static void blame_solution (struct ref_qdpll *q) {
  for (int32_t c = 0; c < (int32_t) q->clauses.size; c = after (q, c)) {
    const ref_lit *literals = literals_of (q, c);
    ref_lit best = REF_NONE;
    bool covered = false;
    for (int32_t i = 0; i < size_of (q, c) && !covered; i++) {
      if (q->values[literals[i]] <= 0) continue;
      covered = variable_of (q, literals[i])->in_reason;
      if (best == REF_NONE || is_better (q, literals[i], best)) best = literals[i];
    }
    const bool forgotten = owner_of (q, best) == FALSIFIER && c > 0 &&
                           HAS (q->options, SOLUTION_TOO_WEAK); /* DEFECT: except in the first */
    if (!covered && !forgotten) blame (q, best);
  }
}

static void undo (struct ref_qdpll *q, const struct ref_qstep *step) {
  struct ref_qvar *v = variable_of (q, step->literal);
  const bool stale = HAS (q->options, VALUES_OF_FIRST_LEAF) && v->outcome; /* DEFECT */
  if (!stale)
    v->outcome = ref_is_negative (step->literal) ? -1 : 1; /* a later leaf overwrites it */
  v->in_reason = false;
  q->values[step->literal] = q->values[ref_negate (step->literal)] = 0;
}

/* Tries the other value of a decision that has lost, and keeps the reason why it has. */
static void flip (struct ref_qdpll *q, const struct ref_qstep *step) {
  const int32_t kept = (int32_t) q->kept.size;
  for (int32_t i = 0; i < q->trail_size; i++) {
    struct ref_qvar *v = variable_of (q, q->trail[i].literal);
    if (!v->in_reason) continue;
    ref_push (&q->kept, q->trail[i].literal);
    v->in_reason = false;
  }
  q->propagated = q->trail_size;
  q->next = step->next;
  const ref_lit other = ref_negate (step->literal);
  assign (q, other, REF_BY_OTHER_DECISION);
  q->trail[q->trail_size - 1].kept = kept;
}

/* Takes the trail apart, from a leaf that the player has lost. Returns false if nothing is
 * left to try: the player has lost altogether. */
static bool backtrack (struct ref_qdpll *q, enum player loser) {
  while (q->trail_size) {
    const struct ref_qstep step = q->trail[--q->trail_size];
    struct ref_qvar *v = variable_of (q, step.literal);
    const bool matters = v->in_reason, own = owner_of (q, step.literal) == loser;
    undo (q, &step);
    switch (step.how) {
    case REF_BY_PURITY: break; /* its owner had no better value */
    case REF_BY_ASSUMPTION: v->failed = matters; break;
    case REF_BY_DECISION:
      if (!matters || !own) break;
      flip (q, &step);
      return true;
    case REF_BY_OTHER_DECISION:
      if (HAS (q->options, FIRST_VALUE_FORGOTTEN)) break; /* DEFECT: the reason is incomplete */
      for (size_t i = (size_t) step.kept; matters && own && i < q->kept.size; i++)
        blame (q, q->kept.data[i]);
      q->kept.size = (size_t) step.kept;
      break;
    default:
      if (matters && own) blame_clause (q, step.how, step.literal);
      break;
    }
  }
  return false;
}

/* Decides on a variable of the outermost block that has one without a value. */
static void decide (struct ref_qdpll *q) {
  while (q->values[ref_literal (q->order[q->next], false)]) q->next++;
  const int32_t variable = q->order[q->next];
  const ref_lit literal = ref_literal (variable, false);
  /* The literal that occurs more often, for the verifier, and the other one for the falsifier. */
  int32_t balance = 0;
  for (int32_t o = q->first[literal]; o != REF_NONE; o = next_of (q, o)) balance++;
  for (int32_t o = q->first[ref_negate (literal)]; o != REF_NONE; o = next_of (q, o)) balance--;
  const bool negative = q->variables[variable].universal ? balance > 0 : balance < 0;
  assign (q, ref_literal (variable, negative), REF_BY_DECISION);
}

/* Sorts the variables that occur by rank, and within a rank as the caller numbered them. */
static void sort (struct ref_qdpll *q) {
  struct ref_vector *ends = &q->kept; /* of the ranks in the order; empty otherwise */
  for (int32_t i = 0; i < q->variable_count; i++) {
    const struct ref_qvar *v = q->variables + i;
    while ((int32_t) ends->size <= v->rank) ref_push (ends, 0);
    ends->data[v->rank] += v->occurs;
  }
  for (size_t rank = 1; rank < ends->size; rank++) ends->data[rank] += ends->data[rank - 1];
  for (int32_t i = q->variable_count - 1; i >= 0; i--)
    if (q->variables[i].occurs) {
      q->order[--ends->data[q->variables[i].rank]] = i;
      q->order_size++;
    }
  ends->size = 0;
}

int ref_qdpll_solve (struct ref_qdpll *q, const struct ref_vector *assumptions) {
  sort (q);
  for (size_t i = 0; i < assumptions->size; i++) {
    struct ref_qvar *v = variable_of (q, assumptions->data[i]);
    v->assumed = true;
    v->outcome = ref_is_negative (assumptions->data[i]) ? -1 : 1;
  }
  int32_t conflict = begin (q, assumptions);
  for (;;) {
    if (ref_stop_wanted (q->stop, q->options)) return REF_INTERRUPTED;
    while (conflict == REF_NONE && unsatisfied (q) != REF_NONE) {
      decide (q);
      conflict = propagate (q);
    }
    enum player loser = FALSIFIER;
    if (conflict != REF_NONE) {
      loser = VERIFIER;
      blame_clause (q, conflict, REF_NONE);
      reduce (q, conflict);
    } else {
      blame_solution (q);
    }
    if (!backtrack (q, loser)) return loser == VERIFIER ? REF_UNSATISFIABLE : REF_SATISFIABLE;
    conflict = propagate (q);
  }
}
