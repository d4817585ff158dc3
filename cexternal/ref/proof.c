#include "proof.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_MARKED, IN_LEMMA, NEEDED }; /* values of a variable's seen */

void ref_proof_open (struct ref_proof *proof, int32_t inputs, size_t limit) {
  memset (proof, 0, sizeof *proof);
  ref_proof_reset (proof, inputs, limit);
}

void ref_proof_reset (struct ref_proof *proof, int32_t inputs, size_t limit) {
  proof->inputs = proof->last_lemma = inputs;
  proof->added = proof->last = 0;
  proof->size = 0;
  proof->limit = limit;
  proof->is_given_up = false;
}

void ref_proof_close (struct ref_proof *proof) {
  free (proof->text);
  ref_vector_free (&proof->fact_ids);
  ref_vector_free (&proof->facts);
  ref_vector_free (&proof->hints);
  ref_vector_free (&proof->marked);
}

static void write_number (struct ref_proof *proof, int32_t number) {
  char digits[12];
  int start = sizeof digits;
  uint32_t rest = number < 0 ? -(uint32_t) number : (uint32_t) number;
  digits[--start] = ' ';
  do digits[--start] = (char) ('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) digits[--start] = '-';
  size_t length = sizeof digits - (size_t) start;
  memcpy (proof->text + proof->size, digits + start, length);
  proof->size += length;
}

/* Makes room for a line of so many numbers. Returns false if the limit forbids it. */
static bool reserve_line (struct ref_proof *proof, size_t numbers) {
  size_t needed = proof->size + 12 * (numbers + 4);
  if (proof->is_given_up || needed > proof->limit) {
    proof->is_given_up = true;
    return false;
  }
  if (needed > proof->capacity) {
    while (needed > proof->capacity) proof->capacity = proof->capacity ? 2 * proof->capacity : 512;
    proof->text = ref_resize (proof->text, proof->capacity, 1);
  }
  return true;
}

static void end_line (struct ref_proof *proof) {
  write_number (proof, 0);
  proof->text[proof->size - 1] = '\n';
}

static void mark (struct ref_sat *sat, int32_t variable, uint8_t as) {
  sat->variables[variable].seen = as;
  ref_push (&sat->proof->marked, variable);
}

/* Notes what falsifies a clause: root-level facts, which have ids of their own, and
 * literals to be derived, whose number it returns. Literals of the lemma are false
 * by assumption. */
static int32_t need_falsified (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  int32_t needed = 0;
  for (size_t i = 0; i < count; i++) {
    int32_t variable = ref_variable_of (literals[i]);
    if (sat->values[literals[i]] >= 0 || sat->variables[variable].seen != NOT_MARKED) continue;
    mark (sat, variable, NEEDED);
    if (sat->variables[variable].level == 0)
      ref_push (&sat->proof->facts, sat->proof->fact_ids.data[variable]);
    else
      needed++;
  }
  return needed;
}

/* Finds the hints from the last, the conflict, to the first, by following the trail
 * backwards: each literal on it follows from earlier ones. How the lemma was found,
 * and which literals were redundant in it, does not matter. */
static void collect_hints (struct ref_sat *sat, const ref_lit *lemma, size_t lemma_count,
                           const ref_lit *conflict, size_t conflict_count, int32_t conflict_id) {
  struct ref_proof *proof = sat->proof;
  proof->facts.size = proof->hints.size = proof->marked.size = 0;
  for (size_t i = 0; i < lemma_count; i++) mark (sat, ref_variable_of (lemma[i]), IN_LEMMA);
  ref_push (&proof->hints, conflict_id);
  int32_t needed = need_falsified (sat, conflict, conflict_count);
  for (int32_t i = sat->trail_size - 1; needed > 0 && i >= 0; i--) {
    const struct ref_variable *variable = sat->variables + ref_variable_of (sat->trail[i]);
    if (variable->seen != NEEDED) continue;
    needed--;
    if (variable->reason == REF_NONE) continue; /* a planted defect; the proof will be rejected */
    const int32_t *words = sat->clauses.data + variable->reason;
    size_t size = (size_t) words[REF_CLAUSE_SIZE];
    ref_push (&proof->hints, words[REF_CLAUSE_LITERALS + size]);
    needed += need_falsified (sat, words + REF_CLAUSE_LITERALS, size);
  }
  for (size_t i = 0; i < proof->marked.size; i++)
    sat->variables[proof->marked.data[i]].seen = NOT_MARKED;
}

static void write_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t lemma_count,
                         const ref_lit *conflict, size_t conflict_count, int32_t conflict_id) {
  struct ref_proof *proof = sat->proof;
  if (proof->last_lemma == INT32_MAX) {
    proof->is_given_up = true;
    return;
  }
  proof->last = ++proof->last_lemma;
  collect_hints (sat, lemma, lemma_count, conflict, conflict_count, conflict_id);
  if (!reserve_line (proof, lemma_count + proof->facts.size + proof->hints.size)) return;
  write_number (proof, proof->last);
  for (size_t i = 0; i < lemma_count; i++)
    write_number (proof, ref_names_user (sat->names, lemma[i]));
  write_number (proof, 0);
  for (size_t i = 0; i < proof->facts.size; i++) write_number (proof, proof->facts.data[i]);
  for (size_t i = proof->hints.size; i > 0; i--) write_number (proof, proof->hints.data[i - 1]);
  end_line (proof);
}

void ref_proof_write_input (struct ref_sat *sat) {
  struct ref_proof *proof = sat->proof;
  if (proof->added == proof->inputs)
    proof->is_given_up = true;
  else
    proof->last = ++proof->added;
}

void ref_proof_write_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                            int32_t conflict) {
  const int32_t *words = sat->clauses.data + conflict;
  size_t size = (size_t) words[REF_CLAUSE_SIZE];
  write_lemma (sat, lemma, count, words + REF_CLAUSE_LITERALS, size,
               words[REF_CLAUSE_LITERALS + size]);
}

void ref_proof_write_shortened (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                const ref_lit *literals, size_t literal_count) {
  write_lemma (sat, lemma, count, literals, literal_count, sat->proof->last);
}

void ref_proof_write_fact (struct ref_sat *sat, ref_lit literal, int32_t reason) {
  struct ref_vector *fact_ids = &sat->proof->fact_ids;
  if (reason != REF_NONE) ref_proof_write_lemma (sat, &literal, 1, reason);
  while ((int32_t) fact_ids->size < sat->variable_count) ref_push (fact_ids, 0);
  fact_ids->data[ref_variable_of (literal)] = sat->proof->last;
}

void ref_proof_write_deletion (struct ref_sat *sat, const struct ref_vector *ids) {
  struct ref_proof *proof = sat->proof;
  if (!ids->size || !reserve_line (proof, ids->size)) return;
  write_number (proof, proof->last_lemma);
  memcpy (proof->text + proof->size, "d ", 2);
  proof->size += 2;
  for (size_t i = 0; i < ids->size; i++) write_number (proof, ids->data[i]);
  end_line (proof);
}
