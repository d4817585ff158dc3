/* The functions of the table have the types that the headers declare. */
#include "exec.h"
#include "ipafuzz.h"
#include "ipamir.h"
#include "ipasir.h"
#include "qbf.h"

#define SAME(MEMBER, FUNCTION) \
  _Static_assert(__builtin_types_compatible_p (__typeof__ (((struct ipafuzz_target *) 0)->MEMBER), \
                                               __typeof__ (&FUNCTION)), \
                 #FUNCTION)
#define IN_ALL(MEMBER) \
  SAME (MEMBER, ipasir_##MEMBER); \
  SAME (MEMBER, ipamir_##MEMBER); \
  SAME (MEMBER, qbf_##MEMBER)
IN_ALL (signature);
IN_ALL (init);
IN_ALL (release);
IN_ALL (assume);
IN_ALL (solve);
IN_ALL (set_terminate);
SAME (add, ipasir_add);
SAME (add, ipamir_add_hard);
SAME (add, qbf_add);
SAME (val, ipasir_val);
SAME (val, ipamir_val_lit);
SAME (val, qbf_val);
SAME (failed, ipasir_failed);
SAME (failed, qbf_failed);
SAME (exists, qbf_exists);
SAME (forall, qbf_forall);
SAME (extend, qbf_extend);
SAME (push, qbf_push);
SAME (pop, qbf_pop);
SAME (open_group, qbf_open_group);
SAME (close_group, qbf_close_group);
SAME (activate_group, qbf_activate_group);
SAME (deactivate_group, qbf_deactivate_group);
SAME (delete_group, qbf_delete_group);
SAME (set_learn, ipasir_set_learn);
SAME (add_soft, ipamir_add_soft_lit);
SAME (val_obj, ipamir_val_obj);
SAME (describe, ipafuzz_describe);
SAME (set_option, ipafuzz_set_option);
SAME (havoc, ipafuzz_havoc);
SAME (proof, ipafuzz_proof);
