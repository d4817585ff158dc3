#include "proof.h"

#include <stdlib.h>
#include <string.h>

#include "defects.h"

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
  ref_vector_free (&proof->lemma);
  ref_vector_free (&proof->query);
  ref_vector_free (&proof->core);
  ref_vector_free (&proof->model);
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

/* Makes room for a line of that many numbers. Returns false if the limit forbids it. */
bool ref_proof_reserve_line (struct ref_proof *proof, size_t numbers) {
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

void ref_proof_end_line (struct ref_proof *proof) {
  write_number (proof, 0);
  proof->text[proof->size - 1] = '\n';
}

void ref_proof_write_word (struct ref_proof *proof, const char *word) {
  size_t length = strlen (word);
  memcpy (proof->text + proof->size, word, length);
  proof->size += length;
}

void ref_proof_write_literals (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  for (size_t i = 0; i < count; i++)
    write_number (sat->proof, ref_names_user (sat->names, literals[i]));
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

/* Writes into sat->proof->marked what planted defects make of a lemma. Returns its size. */
static size_t spoil_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count) {
  struct ref_vector *spoiled = &sat->proof->marked;
  spoiled->size = 0;
  for (size_t i = 0; i < count; i++) {
    int32_t level = sat->variables[ref_variable_of (lemma[i])].level;
    if (HAS (sat->options, PROOF_ASSUMED_LEMMA) && level > 0 && sat->values[lemma[i]] < 0 &&
        level <= (int32_t) sat->assumptions.size)
      continue; /* DEFECT: treats an assumption as a fact */
    ref_push (spoiled, lemma[i]);
  }
  if (HAS (sat->options, PROOF_FLIPPED_LITERAL) && spoiled->size > 1)
    spoiled->data[0] = ref_negate (spoiled->data[0]); /* DEFECT: as it is on the trail */
  return spoiled->size;
}

static void write_hints (struct ref_proof *proof, bool is_short) {
  write_number (proof, 0);
  for (size_t i = is_short && proof->facts.size; i < proof->facts.size; i++)
    write_number (proof, proof->facts.data[i]);
  for (size_t i = proof->hints.size; i > 0; i--) {
    if (is_short && i == proof->hints.size && !proof->facts.size) continue;
    write_number (proof, proof->hints.data[i - 1]);
  }
}

/* DEFECT: deletes the previous clause because this one does not need it, though others may. */
static void delete_too_early (struct ref_sat *sat, const ref_lit *lemma, size_t count) {
  struct ref_proof *proof = sat->proof;
  struct ref_vector before = proof->lemma, ids = {0};
  if (count < 2) return;
  proof->lemma = (struct ref_vector){0};
  for (size_t i = 0; i < count; i++) ref_push (&proof->lemma, lemma[i]);
  if (before.size) {
    ref_push (&ids, proof->lemma_id);
    ref_proof_write_deletion (sat, &ids);
    ref_proof_write_deleted (sat, before.data, before.size);
  }
  proof->lemma_id = proof->last;
  ref_vector_free (&before);
  ref_vector_free (&ids);
}

static void write_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t lemma_count,
                         const ref_lit *conflict, size_t conflict_count, int32_t conflict_id) {
  struct ref_proof *proof = sat->proof;
  if (proof->last_lemma == INT32_MAX) {
    proof->is_given_up = true;
    return;
  }
  proof->last = ++proof->last_lemma;
  if (HAS (sat->options, PROOF_LEMMA_MISSING) && lemma_count == 1) return; /* DEFECT: units */
  if (HAS (sat->options, PROOF_NO_CONCLUSION) && lemma_count == 0) return; /* DEFECT */
  if (proof->format == REF_LRAT)
    collect_hints (sat, lemma, lemma_count, conflict, conflict_count, conflict_id);
  else
    proof->facts.size = proof->hints.size = 0;
  if (!ref_proof_reserve_line (proof, lemma_count + proof->facts.size + proof->hints.size)) return;
  if (proof->format == REF_LRAT) write_number (proof, proof->last);
  if (proof->format == REF_IDRUP) ref_proof_write_word (proof, "l ");
  if (sat->options->defect) {
    size_t count = spoil_lemma (sat, lemma, lemma_count);
    ref_proof_write_literals (sat, proof->marked.data, count);
  } else
    ref_proof_write_literals (sat, lemma, lemma_count);
  if (proof->format == REF_LRAT)
    write_hints (proof, HAS (sat->options, PROOF_HINT_MISSING)); /* DEFECT: one too few */
  ref_proof_end_line (proof);
  if (HAS (sat->options, PROOF_EARLY_DELETION)) delete_too_early (sat, lemma, lemma_count);
}

/* Reports whether the clause is true whatever the solver still decides. */
static bool is_settled (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (sat->values[literals[i]] > 0) return true;
  return false;
}

void ref_proof_write_input (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  struct ref_proof *proof = sat->proof;
  if (proof->added == proof->inputs)
    proof->is_given_up = true;
  else
    proof->last = ++proof->added;
  if (proof->format != REF_IDRUP || !ref_proof_reserve_line (proof, count)) return;
  if (HAS (sat->options, PROOF_INPUT_LOST) && is_settled (sat, literals, count))
    return; /* DEFECT: the clause is not stored, so it is not written either */
  ref_proof_write_word (proof, "i ");
  for (size_t i = 0; i < count; i++) {
    if (HAS (sat->options, PROOF_INPUT_SHORTENED) && sat->values[literals[i]] < 0)
      continue; /* DEFECT: writes what is left of the clause */
    ref_proof_write_literals (sat, literals + i, 1);
  }
  ref_proof_end_line (proof);
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
  if (!ids->size || proof->format != REF_LRAT || !ref_proof_reserve_line (proof, ids->size)) return;
  write_number (proof, proof->last_lemma);
  ref_proof_write_word (proof, "d ");
  for (size_t i = 0; i < ids->size; i++) write_number (proof, ids->data[i]);
  ref_proof_end_line (proof);
}

void ref_proof_write_deleted (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  if (sat->proof->format == REF_LRAT || !ref_proof_reserve_line (sat->proof, count)) return;
  ref_proof_write_word (sat->proof, "d ");
  ref_proof_write_literals (sat, literals, count);
  ref_proof_end_line (sat->proof);
}
