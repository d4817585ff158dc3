/* IPASIR, the re-entrant incremental SAT solver interface.
 *
 * The executor, the built-in library and every exported program are compiled with
 * these declarations.
 */
#ifndef IPASIR_H
#define IPASIR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *ipasir_signature (void);
void *ipasir_init (void);
void ipasir_release (void *solver);
void ipasir_add (void *solver, int32_t lit_or_zero);
void ipasir_assume (void *solver, int32_t lit);
int ipasir_solve (void *solver); /* 10 satisfiable, 20 unsatisfiable, 0 interrupted */
int32_t ipasir_val (void *solver, int32_t lit);
int ipasir_failed (void *solver, int32_t lit);
void ipasir_set_terminate (void *solver, void *state, int (*terminate) (void *state));
void ipasir_set_learn (void *solver, void *state, int max_length,
                       void (*learn) (void *state, int32_t *clause));

#ifdef __cplusplus
}
#endif

#endif
