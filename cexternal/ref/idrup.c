/* Writes the solves into a proof in IDRUP: the query with its assumptions, the status, and
 * the model or the core. */
#include "defects.h"
#include "options.h"
#include "proof.h"

static void write_line (struct ref_sat *sat, const char *letter,
                        const struct ref_vector *literals) {
  if (!ref_proof_reserve_line (sat->proof, literals->size)) return;
  ref_proof_write_word (sat->proof, letter);
  ref_proof_write_literals (sat, literals->data, literals->size);
  ref_proof_end_line (sat->proof);
}

static void keep (struct ref_vector *copy, const struct ref_vector *literals) {
  copy->size = 0;
  for (size_t i = 0; i < literals->size; i++) ref_push (copy, literals->data[i]);
}

void ref_proof_write_query (struct ref_sat *sat, const struct ref_vector *assumptions) {
  struct ref_proof *proof = sat->proof;
  if (proof->format != REF_IDRUP) return;
  if (HAS (sat->options, PROOF_RESTARTED)) proof->size = 0; /* DEFECT: opens the file again */
  if (HAS (sat->options, PROOF_STALE_QUERY)) {
    write_line (sat, "q ",
                &proof->query); /* DEFECT: writes the assumptions of the previous solve */
    keep (&proof->query, assumptions);
    return;
  }
  write_line (sat, "q ", assumptions);
}

static void write_model (struct ref_sat *sat) {
  struct ref_proof *proof = sat->proof;
  struct ref_vector model = {0};
  for (int32_t i = 0; i < sat->variable_count; i++) {
    if (HAS (sat->options, PROOF_MODEL_PARTIAL) && sat->values[ref_literal (i, false)])
      continue; /* DEFECT: only what this solve has decided */
    ref_push (&model, ref_literal (i, sat->model[i] < 0));
  }
  if (HAS (sat->options, PROOF_STALE_MODEL) && proof->model.size)
    write_line (sat, "m ", &proof->model); /* DEFECT: of the first solve that had one */
  else {
    write_line (sat, "m ", &model);
    if (sat->options->defect) keep (&proof->model, &model);
  }
  ref_vector_free (&model);
}

static void write_core (struct ref_sat *sat) {
  struct ref_proof *proof = sat->proof;
  if (HAS (sat->options, PROOF_NO_CONCLUSION) && !sat->core.size) return; /* DEFECT */
  if (HAS (sat->options, PROOF_STALE_CORE) && proof->core.size)
    write_line (sat, "u ", &proof->core); /* DEFECT: of the first failure */
  else {
    write_line (sat, "u ", &sat->core);
    if (sat->options->defect) keep (&proof->core, &sat->core);
  }
}

void ref_proof_write_answer (struct ref_sat *sat, int status) {
  struct ref_proof *proof = sat->proof;
  if (proof->format != REF_IDRUP || !ref_proof_reserve_line (proof, 2)) return;
  if (HAS (sat->options, PROOF_UNKNOWN_STATUS) && status == REF_UNSATISFIABLE && sat->core.size)
    status = REF_INTERRUPTED; /* DEFECT: knows only what holds without assumptions */
  if (status == REF_SATISFIABLE) {
    ref_proof_write_word (proof, "s SATISFIABLE\n");
    write_model (sat);
  } else if (status == REF_UNSATISFIABLE) {
    ref_proof_write_word (proof, "s UNSATISFIABLE\n");
    write_core (sat);
  } else
    ref_proof_write_word (proof, "s UNKNOWN\n");
}
