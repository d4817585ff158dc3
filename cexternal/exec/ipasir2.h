/* IPASIR-2, the interface in which every function returns an error code.
 *
 * The executor, the built-in library and every exported program are compiled with
 * these declarations. Codes and states are ints: C passes enums like them.
 */
#ifndef IPASIR2_H
#define IPASIR2_H

#include <stdint.h>

enum {
  IPASIR2_OK = 0,
  IPASIR2_UNKNOWN = 1,
  IPASIR2_UNSUPPORTED = 2,
  IPASIR2_UNSUPPORTED_ARGUMENT = 3,
  IPASIR2_UNSUPPORTED_OPTION = 4,
  IPASIR2_INVALID_STATE = 5,
  IPASIR2_INVALID_ARGUMENT = 6,
  IPASIR2_INVALID_OPTION_VALUE = 7
};

/* CONFIG comes before the next three, and those before SOLVING: an option may be set
 * up to its max_state. */
enum {
  IPASIR2_CONFIG = 0,
  IPASIR2_INPUT = 1,
  IPASIR2_SAT = 2,
  IPASIR2_UNSAT = 3,
  IPASIR2_SOLVING = 4
};

struct ipasir2_option {
  const char *name;
  int64_t min, max;
  int max_state, tunable, indexed;
  const void *handle;
};

/* Programs that link a library of the last draft of IPASIR-2 are compiled with -DIPASIR2_DRAFT. */
#ifdef IPASIR2_DRAFT
#define ipasir2_value ipasir2_val
#else
#define IPASIR2_DRAFT 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

int ipasir2_signature (const char **signature);
int ipasir2_init (void **solver);
int ipasir2_release (void *solver);
int ipasir2_options (void *solver, const struct ipasir2_option **options, int *count);
int ipasir2_set_option (void *solver, const struct ipasir2_option *option, int64_t value,
                        int64_t index);
int ipasir2_add (void *solver, const int32_t *clause, int32_t len, int32_t forgettable,
                 void *proofmeta);
int ipasir2_solve (void *solver, int *result, const int32_t *assumptions, int32_t len);
int ipasir2_value (void *solver, int32_t lit, int32_t *result);
int ipasir2_failed (void *solver, int32_t lit, int *result);
int ipasir2_set_terminate (void *solver, void *data, int (*callback) (void *data));
int ipasir2_set_export (void *solver, void *data, int max_length,
                        void (*callback) (void *data, const int32_t *clause, int32_t len,
                                          void *proofmeta));
int ipasir2_set_delete (void *solver, void *data,
                        void (*callback) (void *data, const int32_t *clause, int32_t len,
                                          void *proofmeta));
int ipasir2_set_import (void *solver, void *data, void (*callback) (void *data));
int ipasir2_set_fixed (void *solver, void *data, void (*callback) (void *data, int32_t fixed));

#ifdef __cplusplus
}
#endif

/* IPASIR2_FUNCTIONS (F) lists them as F (name, parameters, demanded). A library may lack
 * the others. */
#define IPASIR2_CLAUSES void (*callback) (void *, const int32_t *, int32_t, void *)
#define IPASIR2_FUNCTIONS(F) \
  F (signature, (const char **), 1) \
  F (init, (void **), 1) \
  F (release, (void *), 1) \
  F (options, (void *, const struct ipasir2_option **, int *), 0) \
  F (set_option, (void *, const struct ipasir2_option *, int64_t, int64_t), 0) \
  F (add, (void *, const int32_t *, int32_t, int32_t, void *), 1) \
  F (solve, (void *, int *, const int32_t *, int32_t), 1) \
  F (value, (void *, int32_t, int32_t *), 1) \
  F (failed, (void *, int32_t, int *), 1) \
  F (set_terminate, (void *, void *, int (*) (void *)), 0) \
  F (set_export, (void *, void *, int, IPASIR2_CLAUSES), 0) \
  F (set_delete, (void *, void *, IPASIR2_CLAUSES), 0) \
  F (set_import, (void *, void *, void (*) (void *)), 0) \
  F (set_fixed, (void *, void *, void (*) (void *, int32_t)), 0)

struct ipasir2_functions {
#define IPASIR2_MEMBER(NAME, PARAMETERS, DEMANDED) int (*NAME) PARAMETERS;
  IPASIR2_FUNCTIONS (IPASIR2_MEMBER)
#undef IPASIR2_MEMBER
};

#endif
