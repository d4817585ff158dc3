/* The library under its public names, for a shared library:
 *
 *   cc -shared -fPIC -O2 -DREF_SHARED -I../exec *.c -o libreference.so
 */
#include <stdlib.h>

#include "handle.h"
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

#define IN_ALL(MODEL) \
  const char *MODEL##_signature (void) { return ref_##MODEL##_target.signature (); } \
  void *MODEL##_init (void) { return planted (ref_##MODEL##_target.init ()); } \
  void MODEL##_release (void *solver) { ref_##MODEL##_target.release (solver); } \
  int MODEL##_solve (void *solver) { return ref_##MODEL##_target.solve (solver); } \
  void MODEL##_set_terminate (void *solver, void *state, int (*terminate) (void *state)) { \
    ref_##MODEL##_target.set_terminate (solver, state, terminate); \
  } \
  NUMBER (MODEL, assume, assume)
#define PLAIN(MODEL, NAME, MEMBER) \
  void MODEL##_##NAME (void *solver) { ref_##MODEL##_target.MEMBER (solver); }
#define NUMBER(MODEL, NAME, MEMBER) \
  void MODEL##_##NAME (void *solver, int32_t n) { ref_##MODEL##_target.MEMBER (solver, n); }
#define ASKS(TYPE, MODEL, NAME, MEMBER) \
  TYPE MODEL##_##NAME (void *solver, int32_t lit) { \
    return ref_##MODEL##_target.MEMBER (solver, lit); \
  }

IN_ALL (ipasir)
NUMBER (ipasir, add, add)
ASKS (int32_t, ipasir, val, val)
ASKS (int, ipasir, failed, failed)

void ipasir_set_learn (void *solver, void *state, int max_length,
                       void (*learn) (void *state, int32_t *clause)) {
  ref_ipasir_target.set_learn (solver, state, max_length, learn);
}

IN_ALL (ipamir)
NUMBER (ipamir, add_hard, add)
ASKS (int32_t, ipamir, val_lit, val)

void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight) {
  ref_ipamir_target.add_soft (solver, lit, weight);
}

uint64_t ipamir_val_obj (void *solver) { return ref_ipamir_target.val_obj (solver); }

IN_ALL (qbf)
NUMBER (qbf, exists, exists)
NUMBER (qbf, forall, forall)
NUMBER (qbf, add, add)
PLAIN (qbf, push, push)
PLAIN (qbf, pop, pop)
NUMBER (qbf, open_group, open_group)
NUMBER (qbf, close_group, close_group)
NUMBER (qbf, activate_group, activate_group)
NUMBER (qbf, deactivate_group, deactivate_group)
NUMBER (qbf, delete_group, delete_group)
ASKS (int32_t, qbf, val, val)
ASKS (int, qbf, failed, failed)

void qbf_extend (void *solver, int32_t level, int32_t var_or_zero) {
  ref_qbf_target.extend (solver, level, var_or_zero);
}

const char *ipafuzz_proof (void *solver, uint64_t *size) {
  const bool is_maxsat = ((struct ref_handle *) solver)->interface == IPAFUZZ_IPAMIR;
  return (is_maxsat ? ref_ipamir_target : ref_ipasir_target).proof (solver, size);
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
