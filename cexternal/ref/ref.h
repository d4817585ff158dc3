/* The built-in reference library: a correct solver for every model, in which
 * defects can be planted (defects.h) to measure whether a fuzzer finds them, and
 * which can be made expensive (burdens.h) to measure whether it still finds them soon.
 *
 * Linked into a program it exports no symbol, so it never replaces a library
 * under test. Compiled with -DREF_SHARED it is such a library, see export.c.
 *
 * The functions of the tables below follow this contract, written as cadical.hpp
 * writes its own. A solver is always in one of these states:
 *
 *   FRESH     nothing but options has been set
 *   INPUT     the formula may change; there is no answer to query
 *   SAT       the last solve returned 10: values may be queried
 *   OPTIMAL   the last solve returned 30: values and the objective may be queried
 *   UNSAT     the last solve returned 20: failed assumptions may be queried
 *   ERROR     the last solve returned 40
 *
 *   READY = FRESH | INPUT | SAT | OPTIMAL | UNSAT | ERROR
 *
 * All models:
 *
 *   init            ensure (FRESH)
 *   set_option      require (FRESH), ensure (FRESH)
 *   add, assume     require (READY), ensure (INPUT)
 *   solve           require (READY), ensure (INPUT | SAT | OPTIMAL | UNSAT | ERROR)
 *                   ignores an open clause, which stays open; drops the assumptions
 *   val             require (SAT | OPTIMAL)
 *   set_terminate   require (READY), keeps the state
 *   release         require (READY), frees the solver
 *
 * IPAMIR:
 *
 *   add_soft        require (READY), ensure (INPUT)
 *   val_obj         require (SAT | OPTIMAL)
 *
 * IPASIR and the models that extend it:
 *
 *   failed          require (UNSAT)
 *   set_learn       require (READY), keeps the state
 *
 * ipasir+cadical:
 *
 *   constrain       require (READY), ensure (INPUT)
 *   freeze, melt    require (READY), keeps the state except FRESH, which becomes INPUT
 *   phase, unphase  likewise
 *   limit           require (READY), ensure (INPUT)
 *   simplify        require (READY), ensure (INPUT), drops the assumptions and the constraint
 *   constraint_failed  require (UNSAT)
 *   fixed, frozen   require (READY), keeps the state
 *
 * ipasir+enumerate:
 *
 *   enumerate       require (READY), ensure (INPUT), drops the assumptions
 *
 * QBF:
 *
 *   exists, forall, extend, push, pop, open_group, close_group, activate_group,
 *   deactivate_group, delete_group
 *                   require (READY), ensure (INPUT)
 *   val, failed     require (SAT | UNSAT)
 *
 * ipasir2: the functions check the states that the header of IPASIR-2 defines and return its codes.
 *
 * A call outside its states does no harm: set_option returns 1 and changes
 * nothing; val, val_obj and failed return 0.
 */
#ifndef REF_H
#define REF_H

#include "target.h"

#pragma GCC visibility push(hidden)

extern const struct ipafuzz_target ref_ipasir_target, ref_ipamir_target, ref_cadical_target,
  ref_enumerate_target, ref_qbf_target;

/* The functions of IPASIR-2, and the table over them, which the first call fills. */
struct ipasir2_functions;
void ref_plant_in_ipasir2 (void *solver, const char *defect);
extern const struct ipasir2_functions ref_ipasir2;
const struct ipafuzz_target *ref_ipasir2_target (void);

/* Returns the table of a model; that of IPAMIR when no model has this number. */
const struct ipafuzz_target *ref_target (uint32_t model);

/* Makes a solver of IPASIR write a proof (proof.h), which the caller still owns.
 *
 *   require (FRESH), ensure (FRESH)
 *
 * Returns non-zero when it refuses. The option proof is for traces, which may come from strangers:
 * it limits the proof's length. This function does not. */
struct ref_proof;
int ref_set_proof (void *solver, struct ref_proof *proof);

/* Stands as set_option in every table. */
int ref_set_solver_option (void *solver, const char *name, const char *value);

#pragma GCC visibility pop

#endif
