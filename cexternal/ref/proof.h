/* A clausal proof in LRAT text, which any checker of that format accepts:
 *
 *   ID LITERALS 0 HINTS 0    a learned clause
 *   ID d IDS 0               clauses that are not needed any more
 *
 * in the user's literals. The hints name the clauses that turn unit one after
 * the other when all literals of the new clause are false, and last the one
 * that is then false itself. The clauses that were added have the ids 1, 2, 3,
 * ... in their order; the ids of learned clauses start behind the last that
 * was set aside for added ones. A solve that fails under assumptions learns
 * the clause "one of the core is false".
 *
 * The ids: that of a clause in memory follows its last literal; that of a
 * root-level fact is in a table by variable. Without a proof neither exists,
 * and all there is to pay is one look at a pointer for a root-level fact, a
 * learned clause, an added clause.
 */
#ifndef REF_PROOF_H
#define REF_PROOF_H

#include "sat.h"

#pragma GCC visibility push(hidden)

struct ref_proof {
  char *text;
  size_t size, capacity;
  size_t limit;     /* in bytes */
  bool is_given_up; /* too long, or ids ran out: the text is of no use */
  int32_t inputs;   /* ids set aside for added clauses */
  int32_t added;    /* of which this many are in use */
  int32_t last_lemma;
  int32_t last;                           /* the clause that got its id last */
  struct ref_vector fact_ids;             /* by variable: the unit clause of a root-level fact */
  struct ref_vector facts, hints, marked; /* scratch */
};

void ref_proof_open (struct ref_proof *proof, int32_t inputs, size_t limit);
/* Empties it, but keeps its memory. */
void ref_proof_reset (struct ref_proof *proof, int32_t inputs, size_t limit);
void ref_proof_close (struct ref_proof *proof);

/* What the solver tells, see below. */
void ref_proof_write_input (struct ref_sat *sat);
void ref_proof_write_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                            int32_t conflict);
void ref_proof_write_shortened (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                const ref_lit *literals, size_t literal_count);
void ref_proof_write_fact (struct ref_sat *sat, ref_lit literal, int32_t reason);
void ref_proof_write_deletion (struct ref_sat *sat, const struct ref_vector *ids);

/* A clause is about to be added. */
static inline void ref_proof_input (struct ref_sat *sat) {
  if (sat->proof) ref_proof_write_input (sat);
}

/* Follows by propagation, in which the conflict is the last clause. */
static inline void ref_proof_lemma (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                    int32_t conflict) {
  if (sat->proof) ref_proof_write_lemma (sat, lemma, count, conflict);
}

/* What is left of the clause that is being added. */
static inline void ref_proof_shortened (struct ref_sat *sat, const ref_lit *lemma, size_t count,
                                        const ref_lit *literals, size_t literal_count) {
  if (sat->proof) ref_proof_write_shortened (sat, lemma, count, literals, literal_count);
}

/* A literal became true at the root; without a reason, the clause that got its
 * id last says so. */
static inline void ref_proof_fact (struct ref_sat *sat, ref_lit literal, int32_t reason) {
  if (sat->proof) ref_proof_write_fact (sat, literal, reason);
}

#pragma GCC visibility pop

#endif
