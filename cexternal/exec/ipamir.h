/* IPAMIR, the re-entrant incremental MaxSAT solver interface.
 *
 * The executor, the built-in library and every exported program are compiled with
 * these declarations.
 */
#ifndef IPAMIR_H
#define IPAMIR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *ipamir_signature (void);
void *ipamir_init (void);
void ipamir_release (void *solver);
void ipamir_add_hard (void *solver, int32_t lit_or_zero);
/* The literal costs its weight when it is true. */
void ipamir_add_soft_lit (void *solver, int32_t lit, uint64_t weight);
void ipamir_assume (void *solver, int32_t lit);
/* 30 optimal, 20 unsatisfiable, 10 interrupted with a solution, 0 interrupted without, 40 error */
int ipamir_solve (void *solver);
uint64_t ipamir_val_obj (void *solver);
int32_t ipamir_val_lit (void *solver, int32_t lit);
void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *state));

#ifdef __cplusplus
}
#endif

#endif
