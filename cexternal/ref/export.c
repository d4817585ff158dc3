/* The library under its public names, for a shared library:
 *
 *   cc -shared -fPIC -O2 -DREF_SHARED -I../exec *.c -o libreference.so
 */
#include <stdlib.h>

#include "options.h"
#include "ref.h"

#ifdef REF_SHARED

#pragma GCC visibility push(default)
#include "ipafuzz.h"
#include "ipamir.h"
#include "ipasir.h"
#include "ipasir2.h"
#include "qbf.h"
#pragma GCC visibility pop

/* Plants the defect whose number or name the environment gives, for programs that
 * set no options, such as exported ones. */
static void *planted (void *solver) {
  const char *defect = getenv ("IPAFUZZ_REF_DEFECT");
  if (solver && defect) ref_set_solver_option (solver, "defect", defect);
  return solver;
}

const char *ipasir_signature (void) { return ref_ipasir_target.signature (); }

void *ipasir_init (void) { return planted (ref_ipasir_target.init ()); }

void ipasir_release (void *solver) { ref_ipasir_target.release (solver); }

void ipasir_add (void *solver, int32_t lit_or_zero) { ref_ipasir_target.add (solver, lit_or_zero); }

void ipasir_assume (void *solver, int32_t lit) { ref_ipasir_target.assume (solver, lit); }

int ipasir_solve (void *solver) { return ref_ipasir_target.solve (solver); }

int32_t ipasir_val (void *solver, int32_t lit) { return ref_ipasir_target.val (solver, lit); }

int ipasir_failed (void *solver, int32_t lit) { return ref_ipasir_target.failed (solver, lit); }

void ipasir_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  ref_ipasir_target.set_terminate (solver, state, terminate);
}

void ipasir_set_learn (void *solver, void *state, int max_length,
                       void (*learn) (void *state, int32_t *clause)) {
  ref_ipasir_target.set_learn (solver, state, max_length, learn);
}

const char *ipamir_signature (void) { return ref_ipamir_target.signature (); }

void *ipamir_init (void) { return planted (ref_ipamir_target.init ()); }

void ipamir_release (void *solver) { ref_ipamir_target.release (solver); }

void ipamir_add_hard (void *solver, int32_t lit_or_zero) {
  ref_ipamir_target.add (solver, lit_or_zero);
}

void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight) {
  ref_ipamir_target.add_soft (solver, lit, weight);
}

void ipamir_assume (void *solver, int32_t lit) { ref_ipamir_target.assume (solver, lit); }

int ipamir_solve (void *solver) { return ref_ipamir_target.solve (solver); }

uint64_t ipamir_val_obj (void *solver) { return ref_ipamir_target.val_obj (solver); }

int32_t ipamir_val_lit (void *solver, int32_t lit) { return ref_ipamir_target.val (solver, lit); }

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  ref_ipamir_target.set_terminate (solver, state, terminate);
}

const char *qbf_signature (void) { return ref_qbf_target.signature (); }

void *qbf_init (void) { return planted (ref_qbf_target.init ()); }

void qbf_release (void *solver) { ref_qbf_target.release (solver); }

void qbf_exists (void *solver, int32_t var_or_zero) { ref_qbf_target.exists (solver, var_or_zero); }

void qbf_forall (void *solver, int32_t var_or_zero) { ref_qbf_target.forall (solver, var_or_zero); }

void qbf_extend (void *solver, int32_t level, int32_t var_or_zero) {
  ref_qbf_target.extend (solver, level, var_or_zero);
}

void qbf_add (void *solver, int32_t lit_or_zero) { ref_qbf_target.add (solver, lit_or_zero); }

void qbf_push (void *solver) { ref_qbf_target.push (solver); }

void qbf_pop (void *solver) { ref_qbf_target.pop (solver); }

void qbf_open_group (void *solver, int32_t group) { ref_qbf_target.open_group (solver, group); }

void qbf_close_group (void *solver, int32_t group) { ref_qbf_target.close_group (solver, group); }

void qbf_activate_group (void *solver, int32_t group) {
  ref_qbf_target.activate_group (solver, group);
}

void qbf_deactivate_group (void *solver, int32_t group) {
  ref_qbf_target.deactivate_group (solver, group);
}

void qbf_delete_group (void *solver, int32_t group) { ref_qbf_target.delete_group (solver, group); }

void qbf_assume (void *solver, int32_t lit) { ref_qbf_target.assume (solver, lit); }

int qbf_solve (void *solver) { return ref_qbf_target.solve (solver); }

int32_t qbf_val (void *solver, int32_t lit) { return ref_qbf_target.val (solver, lit); }

int qbf_failed (void *solver, int32_t lit) { return ref_qbf_target.failed (solver, lit); }

void qbf_set_terminate (void *solver, void *state, int (*terminate) (void *state)) {
  ref_qbf_target.set_terminate (solver, state, terminate);
}

const char *ipafuzz_proof (void *solver, uint64_t *size) {
  return ref_ipasir_target.proof (solver, size);
}

int ipasir2_signature (const char **text) { return ref_ipasir2.signature (text); }

int ipasir2_init (void **solver) {
  const int code = ref_ipasir2.init (solver);
  const char *defect = getenv ("IPAFUZZ_REF_DEFECT");
  if (!code && defect) ref_plant_in_ipasir2 (*solver, defect);
  return code;
}

int ipasir2_release (void *solver) { return ref_ipasir2.release (solver); }

int ipasir2_options (void *solver, const struct ipasir2_option **options, int *count) {
  return ref_ipasir2.options (solver, options, count);
}

int ipasir2_set_option (void *solver, const struct ipasir2_option *option, int64_t value,
                        int64_t index) {
  return ref_ipasir2.set_option (solver, option, value, index);
}

int ipasir2_add (void *solver, const int32_t *clause, int32_t len, int32_t forgettable,
                 void *proofmeta) {
  return ref_ipasir2.add (solver, clause, len, forgettable, proofmeta);
}

int ipasir2_solve (void *solver, int *result, const int32_t *assumptions, int32_t len) {
  return ref_ipasir2.solve (solver, result, assumptions, len);
}

int ipasir2_value (void *solver, int32_t lit, int32_t *result) {
  return ref_ipasir2.value (solver, lit, result);
}

int ipasir2_failed (void *solver, int32_t lit, int *result) {
  return ref_ipasir2.failed (solver, lit, result);
}

int ipasir2_set_terminate (void *solver, void *data, int (*callback) (void *data)) {
  return ref_ipasir2.set_terminate (solver, data, callback);
}

int ipasir2_set_export (void *solver, void *data, int max_length, IPASIR2_CLAUSES) {
  return ref_ipasir2.set_export (solver, data, max_length, callback);
}

int ipasir2_set_delete (void *solver, void *data, IPASIR2_CLAUSES) {
  return ref_ipasir2.set_delete (solver, data, callback);
}

int ipasir2_set_import (void *solver, void *data, void (*callback) (void *data)) {
  return ref_ipasir2.set_import (solver, data, callback);
}

int ipasir2_set_fixed (void *solver, void *data, void (*callback) (void *data, int32_t fixed)) {
  return ref_ipasir2.set_fixed (solver, data, callback);
}

const char *ipafuzz_describe (void) { return ref_describe (); }

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  return ref_set_solver_option (solver, name, value);
}

#endif
