#include "certificate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "defects.h"

/* Reasons of an assignment other than the offset of a clause. */
enum { DECIDED = -1, BOUND = -2 };

/* How many literals the search looks at before it gives up: some hundredths of a second. */
enum { MOST_VISITS = 20000000 };

/* Learned clauses consist of negated decisions. */
struct search {
  const struct ref_claim *claim;
  struct ref_vector clauses; /* hard, assumed, learned; REF_NONE ends each */
  int8_t *values;            /* of each literal: 1, -1, or 0 */
  int32_t *reasons;          /* of each variable */
  bool *marked;              /* variables of the conflict */
  struct ref_vector trail;
  uint64_t least; /* what every continuation costs */
  int64_t visits;
};

static uint64_t weight_of (const struct search *s, ref_lit literal) {
  return s->claim->problem->weights[literal];
}

static uint64_t cheaper (const struct search *s, ref_lit literal) {
  const uint64_t one = weight_of (s, literal), other = weight_of (s, ref_negate (literal));
  return one < other ? one : other;
}

/* Returns what a literal costs beyond the cheaper literal of its variable. */
static uint64_t extra (const struct search *s, ref_lit literal) {
  return weight_of (s, literal) - cheaper (s, literal);
}

static void assign (struct search *s, ref_lit literal, int32_t reason) {
  s->values[literal] = 1;
  s->values[ref_negate (literal)] = -1;
  s->reasons[ref_variable_of (literal)] = reason;
  s->least += extra (s, literal);
  ref_push (&s->trail, literal);
}

static void take_back (struct search *s) {
  const ref_lit literal = s->trail.data[--s->trail.size];
  s->values[literal] = s->values[ref_negate (literal)] = 0;
  s->least -= extra (s, literal);
}

/* Assigns the last free literal of each clause without a true one. Returns false if a clause is
 * false, with its offset. */
static bool propagate_clauses (struct search *s, bool *changed, int32_t *conflict) {
  const struct ref_vector *clauses = &s->clauses;
  s->visits += (int64_t) clauses->size;
  for (size_t i = 0, start = 0; i < clauses->size; start = ++i) {
    ref_lit last = REF_NONE;
    int32_t undecided = 0;
    bool is_true = false;
    for (; clauses->data[i] != REF_NONE; i++) {
      const ref_lit literal = clauses->data[i];
      is_true |= s->values[literal] > 0;
      if (s->values[literal] || literal == last) continue;
      undecided++;
      last = literal;
    }
    if (is_true || undecided > 1) continue;
    *conflict = (int32_t) start;
    if (!undecided) return false;
    assign (s, last, *conflict);
    *changed = true;
  }
  return true;
}

/* Does the same for the demand that the cost is lower than that of the solution. */
static bool propagate_bound (struct search *s, bool *changed, int32_t *conflict) {
  if (!s->claim->model) return true;
  *conflict = BOUND;
  if (s->least >= s->claim->cost) return false;
  s->visits += s->claim->problem->variable_count;
  for (ref_lit literal = 0; literal < 2 * s->claim->problem->variable_count; literal++) {
    if (s->values[literal] || extra (s, literal) < s->claim->cost - s->least) continue;
    assign (s, ref_negate (literal), BOUND);
    *changed = true;
  }
  return true;
}

static bool propagate (struct search *s, int32_t *conflict) {
  for (bool changed = true; changed;) {
    changed = false;
    if (!propagate_clauses (s, &changed, conflict) || !propagate_bound (s, &changed, conflict))
      return false;
  }
  return true;
}

/* Marks the variables from which a conflict or an assignment follows. If the reason is the bound,
 * they are among the first literals of the trail. */
static void mark_reasons (struct search *s, int32_t reason, size_t before) {
  if (reason == BOUND) {
    for (size_t i = 0; i < before; i++)
      if (extra (s, s->trail.data[i])) s->marked[ref_variable_of (s->trail.data[i])] = true;
    return;
  }
  for (const int32_t *literal = s->clauses.data + reason; *literal != REF_NONE; literal++)
    if (s->values[*literal] < 0) s->marked[ref_variable_of (*literal)] = true;
}

static void write_clause (struct ref_proof *proof, const struct search *s, const ref_lit *literals,
                          size_t count) {
  if (!ref_proof_reserve_line (proof, 2 * count + 3)) return;
  ref_proof_write_word (proof, "rup ");
  for (size_t i = 0; i < count; i++) {
    char term[32];
    const int32_t user = ref_names_user (s->claim->names, literals[i]);
    snprintf (term, sizeof term, "1 %sx%d ", user < 0 ? "~" : "", abs (user));
    ref_proof_write_word (proof, term);
  }
  ref_proof_write_word (proof, ">= 1 ;\n");
}

/* Learns that the decisions of a conflict cannot all hold, and takes back the last of them with
 * all that followed. Returns false if there are none: the empty clause is learned. */
static bool learn (struct ref_proof *proof, struct search *s, int32_t conflict) {
  const struct ref_options *options = s->claim->options;
  const size_t start = s->clauses.size;
  size_t keep = 0;
  mark_reasons (s, conflict, s->trail.size);
  for (size_t i = s->trail.size; i-- > 0;) {
    const int32_t variable = ref_variable_of (s->trail.data[i]);
    if (!s->marked[variable]) continue;
    s->marked[variable] = false;
    if (s->reasons[variable] != DECIDED) {
      mark_reasons (s, s->reasons[variable], i);
      continue;
    }
    if (s->clauses.size == start) keep = i;
    ref_push (&s->clauses, ref_negate (s->trail.data[i]));
  }
  const size_t count = s->clauses.size - start;
  ref_push (&s->clauses, REF_NONE);
  if (HAS (options, PROOF_STRONGER_STEP) && count > 1)
    write_clause (proof, s, s->clauses.data + start,
                  count - 1); /* DEFECT: without the first decision */
  else if (!HAS (options, PROOF_STEP_MISSING) || count != 1) /* DEFECT: a clause of one literal */
    if (!HAS (options, PROOF_NOT_REFUTED) || count)          /* DEFECT: the last clause */
      write_clause (proof, s, s->clauses.data + start, count);
  if (!count) return false;
  while (s->trail.size > keep) take_back (s);
  return true;
}

/* Decides the next variable, as cheap as possible. Returns false if all are decided. */
static bool decide (struct search *s) {
  for (int32_t i = 0; i < s->claim->problem->variable_count; i++) {
    const ref_lit literal = ref_literal (i, true);
    if (s->values[literal]) continue;
    assign (s, extra (s, literal) ? ref_negate (literal) : literal, DECIDED);
    return true;
  }
  return false;
}

static void refute (struct ref_proof *proof, struct search *s) {
  while (!proof->is_given_up) {
    int32_t conflict;
    if (!propagate (s, &conflict)) {
      if (!learn (proof, s, conflict)) return;
    } else if (s->visits > MOST_VISITS || !decide (s))
      proof->is_given_up = true; /* too hard, or an assignment is better than the solution */
  }
}

/* Writes the solution and adds up its cost. */
static void write_solution (struct ref_proof *proof, const struct ref_claim *claim,
                            const int8_t *model) {
  if (!ref_proof_reserve_line (proof, 2 * (size_t) claim->problem->variable_count)) return;
  ref_proof_write_word (proof, "soli");
  for (int32_t i = 0; i < claim->problem->variable_count; i++) {
    char literal[32];
    const int32_t user = ref_names_user (claim->names, ref_literal (i, false));
    snprintf (literal, sizeof literal, " %sx%d", model[i] < 0 ? "~" : "", user);
    ref_proof_write_word (proof, literal);
  }
  ref_proof_write_word (proof, " ;\n");
}

static void write_conclusion (struct ref_proof *proof, const struct ref_claim *claim) {
  char conclusion[128] = "conclusion BOUNDS INF INF ;\n";
  uint64_t low = claim->cost, high = claim->cost;
  if (HAS (claim->options, PROOF_BOUND_TOO_HIGH)) low = high = low + 1; /* DEFECT: off by one */
  if (HAS (claim->options, PROOF_BOUND_OPEN)) low = 0;                  /* DEFECT */
  if (claim->model)
    snprintf (conclusion, sizeof conclusion, "conclusion BOUNDS %" PRIu64 " %" PRIu64 " ;\n", low,
              high);
  if (!ref_proof_reserve_line (proof, 16)) return;
  ref_proof_write_word (proof, "output NONE ;\n");
  ref_proof_write_word (proof, conclusion);
  ref_proof_write_word (proof, "end pseudo-Boolean proof ;\n");
}

void ref_certify (struct ref_proof *proof, const struct ref_claim *claim) {
  const struct ref_problem *problem = claim->problem;
  struct search s = {.claim = claim};
  const size_t literals = 2 * (size_t) problem->variable_count;
  s.values = ref_allocate_zeroed (literals + 1);
  s.reasons = ref_allocate_zeroed ((literals / 2 + 1) * sizeof *s.reasons);
  s.marked = ref_allocate_zeroed (literals / 2 + 1);
  for (int32_t i = 0; i < problem->variable_count; i++)
    s.least += cheaper (&s, ref_literal (i, false));
  int32_t count = 0;
  for (size_t i = 0; i < problem->hard->size; i++) {
    ref_push (&s.clauses, problem->hard->data[i]);
    count += problem->hard->data[i] == REF_NONE;
  }
  for (size_t i = 0; i < problem->assumptions->size; i++, count++) {
    ref_push (&s.clauses, problem->assumptions->data[i]);
    ref_push (&s.clauses, REF_NONE);
  }
  if (HAS (claim->options, PROOF_ASSUMPTION_LOST) && problem->assumptions->size)
    count--; /* DEFECT: the formula that is written down lacks the last assumption */
  char header[96];
  snprintf (header, sizeof header, "pseudo-Boolean proof version 3.0\nf %d ;\n", count);
  if (ref_proof_reserve_line (proof, 8)) ref_proof_write_word (proof, header);
  if (claim->model)
    write_solution (proof, claim,
                    HAS (claim->options, PROOF_OLD_SOLUTION) && claim->older
                      ? claim->older
                      : claim->model); /* DEFECT */
  refute (proof, &s);
  write_conclusion (proof, claim);
  free (s.values);
  free (s.reasons);
  free (s.marked);
  ref_vector_free (&s.trail);
  ref_vector_free (&s.clauses);
}
