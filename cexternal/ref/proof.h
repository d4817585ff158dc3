/* A clausal proof in the user's literals, in one of three text formats. LRAT:
 *
 *   ID LITERALS 0 HINTS 0    a learned clause
 *   ID d IDS 0               deleted clauses
 *
 * When all literals of a learned clause are false, its hints name the clauses
 * that become unit one after the other, and last the clause that becomes false.
 * Added clauses have the ids 1, 2, 3, ... in their order; ids of learned clauses
 * follow those reserved for added ones. A solve that fails under assumptions
 * learns the clause "some literal of the core is false".
 *
 * DRAT has neither ids nor hints. IDRUP is the same with a letter in front of each
 * line, and with the added clauses, the solves and what they answered (idrup.c).
 *
 * The id of a stored clause follows its last literal; a table by variable holds
 * the ids of root-level facts. Without a proof neither exists, and the cost is
 * one test of a pointer per root-level fact, learned clause and added clause.
 */
#ifndef REF_PROOF_H
#define REF_PROOF_H

#include "sat.h"

#pragma GCC visibility push(hidden)

enum ref_proof_format { REF_LRAT, REF_DRAT, REF_IDRUP, REF_VERIPB /* certificate.h */ };

struct ref_proof {
  enum ref_proof_format format;
  char *text;
  size_t size, capacity;
  size_t limit;     /* in bytes */
  bool is_given_up; /* too long, or out of ids: the text is useless */
  int32_t inputs;   /* ids reserved for added clauses */
  int32_t added;    /* of which this many are used */
  int32_t last_lemma;
  int32_t last;                           /* the latest id given to a clause */
  struct ref_vector fact_ids;             /* of each variable: its root-level unit clause */
  struct ref_vector facts, hints, marked; /* scratch */
  /* For planted defects only: what was written before. */
  struct ref_vector lemma, query, core, model;
  int32_t lemma_id;
};

/* Makes an empty proof in LRAT of at most limit bytes, for at most inputs added clauses. */
void ref_proof_open (struct ref_proof *proof, int32_t inputs, size_t limit);
/* Empties the proof but keeps its memory. */
void ref_proof_reset (struct ref_proof *proof, int32_t inputs, size_t limit);
void ref_proof_close (struct ref_proof *proof);

/* The solver calls these through the functions below; all require sat->proof. */
void ref_proof_write_input (struct ref_sat *sat, const ref_lit *literals, size_t count);
void ref_proof_write_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                            int32_t conflict);
void ref_proof_write_shortened (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                const ref_lit *literals, size_t literal_count);
void ref_proof_write_fact (struct ref_sat *sat, ref_lit literal, int32_t reason);
void ref_proof_write_deletion (struct ref_sat *sat, const struct ref_vector *ids);
/* For formats without ids: one clause. */
void ref_proof_write_deleted (struct ref_sat *sat, const ref_lit *literals, size_t count);

/* IDRUP; the other formats write nothing. */
void ref_proof_write_query (struct ref_sat *sat, const struct ref_vector *assumptions);
void ref_proof_write_answer (struct ref_sat *sat, int status);

/* For the functions that write. Returns false if the limit forbids that many more numbers. */
bool ref_proof_reserve_line (struct ref_proof *proof, size_t numbers);
void ref_proof_write_word (struct ref_proof *proof, const char *word);
void ref_proof_write_literals (struct ref_sat *sat, const ref_lit *literals, size_t count);
void ref_proof_end_line (struct ref_proof *proof);

/* Announces that a clause is about to be added. */
static inline void ref_proof_input (struct ref_sat *sat, const ref_lit *literals, size_t count) {
  if (sat->proof) ref_proof_write_input (sat, literals, count);
}

/* Writes a clause that follows by propagation, which ends with the conflict. */
static inline void ref_proof_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                    int32_t conflict) {
  if (sat->proof) ref_proof_write_lemma (sat, lemma, count, conflict);
}

/* Writes what simplification left of the clause being added. */
static inline void ref_proof_shortened (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                        const ref_lit *literals, size_t literal_count) {
  if (sat->proof) ref_proof_write_shortened (sat, lemma, count, literals, literal_count);
}

/* Writes a literal that became true at the root. Without a reason, the clause with
 * the latest id implies it. */
static inline void ref_proof_fact (struct ref_sat *sat, ref_lit literal, int32_t reason) {
  if (sat->proof) ref_proof_write_fact (sat, literal, reason);
}

#pragma GCC visibility pop

#endif
