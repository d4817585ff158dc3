/* Generated from package apimodel by 'go generate ./apimodel'; do not edit. */
#ifndef IPAFUZZ_OPCODES_H
#define IPAFUZZ_OPCODES_H

#include <stdint.h>

#define IPAFUZZ_NUM_MODELS 6
#define IPAFUZZ_NUM_OPS 44 /* operation 0 is none */
#define IPAFUZZ_NUM_STATES 8
#define IPAFUZZ_NUM_CONDITIONS 8

/* Calls, as numbered in the binary trace. */
enum ipafuzz_op {
  IPAFUZZ_OP_INIT = 1, /* ipasir_init, ipamir_init, ipasir2_init, qbf_init */
  IPAFUZZ_OP_RELEASE = 2, /* ipasir_release, ipamir_release, ipasir2_release, qbf_release */
  IPAFUZZ_OP_SIGNATURE = 3, /* ipasir_signature, ipamir_signature, ipasir2_signature, qbf_signature */
  IPAFUZZ_OP_OPTION = 4, /* ipasir2_set_option */
  IPAFUZZ_OP_HAVOC = 5, /* ipafuzz_havoc */
  IPAFUZZ_OP_CLAUSE = 6, /* ipasir_add, ipamir_add_hard, ipasir2_add, qbf_add */
  IPAFUZZ_OP_SOFT = 7, /* ipamir_add_soft_lit */
  IPAFUZZ_OP_ASSUME = 8, /* ipasir_assume, ipamir_assume, qbf_assume */
  IPAFUZZ_OP_SOLVE = 9, /* ipasir_solve, ipamir_solve, ipasir2_solve, qbf_solve */
  IPAFUZZ_OP_VAL = 10, /* ipasir_val, ipamir_val_lit, ipasir2_value, qbf_val */
  IPAFUZZ_OP_OBJ = 11, /* ipamir_val_obj */
  IPAFUZZ_OP_FAILED = 12, /* ipasir_failed, ipasir2_failed, qbf_failed */
  IPAFUZZ_OP_CORE = 13,
  IPAFUZZ_OP_MODEL = 14,
  IPAFUZZ_OP_TERMINATE = 15, /* ipasir_set_terminate, ipamir_set_terminate, ipasir2_set_terminate, qbf_set_terminate */
  IPAFUZZ_OP_LEARN = 16, /* ipasir_set_learn, ipasir2_set_export */
  IPAFUZZ_OP_CONSTRAIN = 17, /* ccadical_constrain */
  IPAFUZZ_OP_FREEZE = 18, /* ccadical_freeze */
  IPAFUZZ_OP_MELT = 19, /* ccadical_melt */
  IPAFUZZ_OP_PHASE = 20, /* ccadical_phase */
  IPAFUZZ_OP_UNPHASE = 21, /* ccadical_unphase */
  IPAFUZZ_OP_SIMPLIFY = 22, /* ccadical_simplify */
  IPAFUZZ_OP_ENUMERATE = 23, /* ipafuzz_enumerate */
  IPAFUZZ_OP_LIMIT_CONFLICTS = 24, /* ccadical_limit */
  IPAFUZZ_OP_LIMIT_DECISIONS = 25, /* ccadical_limit */
  IPAFUZZ_OP_CONSTRAINT_FAILED = 26, /* ccadical_constraint_failed */
  IPAFUZZ_OP_FIXED = 27, /* ccadical_fixed */
  IPAFUZZ_OP_EXISTS = 28, /* qbf_exists */
  IPAFUZZ_OP_FORALL = 29, /* qbf_forall */
  IPAFUZZ_OP_EXTEND = 30, /* qbf_extend */
  IPAFUZZ_OP_PUSH = 31, /* qbf_push */
  IPAFUZZ_OP_POP = 32, /* qbf_pop */
  IPAFUZZ_OP_OPEN = 33, /* qbf_open_group */
  IPAFUZZ_OP_CLOSE = 34, /* qbf_close_group */
  IPAFUZZ_OP_ACTIVATE = 35, /* qbf_activate_group */
  IPAFUZZ_OP_DEACTIVATE = 36, /* qbf_deactivate_group */
  IPAFUZZ_OP_DELETE = 37, /* qbf_delete_group */
  IPAFUZZ_OP_PROOF = 38, /* ipafuzz_proof */
  IPAFUZZ_OP_IMPORT = 39, /* ipafuzz_import */
  IPAFUZZ_OP_MISUSE = 40, /* ipafuzz_misuse */
  IPAFUZZ_OP_ERRORS = 41, /* ipafuzz_errors */
  IPAFUZZ_OP_FROZEN = 42, /* ccadical_frozen */
};

/* States of one solver instance. */
enum ipafuzz_state {
  IPAFUZZ_STATE_NONE = 0,
  IPAFUZZ_STATE_START = 1,
  IPAFUZZ_STATE_INPUT = 2,
  IPAFUZZ_STATE_CLAUSE = 3,
  IPAFUZZ_STATE_SAT = 4,
  IPAFUZZ_STATE_UNSAT = 5,
  IPAFUZZ_STATE_OPTIMAL = 6,
  IPAFUZZ_STATE_ERROR = 7,
};

/* What decides between the states that one call may lead to. */
enum ipafuzz_condition {
  IPAFUZZ_ALWAYS = 0,
  IPAFUZZ_CLAUSE_CLOSED = 1,
  IPAFUZZ_CLAUSE_OPEN = 2,
  IPAFUZZ_ANSWERED_0 = 3,
  IPAFUZZ_ANSWERED_10 = 4,
  IPAFUZZ_ANSWERED_20 = 5,
  IPAFUZZ_ANSWERED_30 = 6,
  IPAFUZZ_ANSWERED_40 = 7,
};

/* How the arguments of a call stand in the trace. */
enum ipafuzz_form {
  IPAFUZZ_FORM_NONE = 0,
  IPAFUZZ_FORM_LITS = 1,
  IPAFUZZ_FORM_LIT = 2,
  IPAFUZZ_FORM_SOFT = 3,
  IPAFUZZ_FORM_NUMBER = 4,
  IPAFUZZ_FORM_LONG = 5,
  IPAFUZZ_FORM_TEXT = 6,
  IPAFUZZ_FORM_VARS = 7,
  IPAFUZZ_FORM_ASSUMED = 8,
  IPAFUZZ_FORM_EXTEND = 9,
};

/* What a call answers. */
enum ipafuzz_reply {
  IPAFUZZ_REPLY_NOTHING = 0,
  IPAFUZZ_REPLY_STATUS = 1,
  IPAFUZZ_REPLY_WEIGHT = 2,
  IPAFUZZ_REPLY_LITERAL = 3,
  IPAFUZZ_REPLY_FLAG = 4,
  IPAFUZZ_REPLY_MODEL = 5,
  IPAFUZZ_REPLY_CORE = 6,
  IPAFUZZ_REPLY_TEXT = 7,
  IPAFUZZ_REPLY_CODE = 8,
  IPAFUZZ_REPLY_TWO_COUNTS = 9,
};

struct ipafuzz_call {
  uint8_t form, reply;
  uint32_t most; /* of a number in one word */
};

__attribute__ ((unused)) static const struct ipafuzz_call ipafuzz_calls[IPAFUZZ_NUM_OPS] = {
    [IPAFUZZ_OP_INIT] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_RELEASE] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_SIGNATURE] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_TEXT, 0xffffffffu},
    [IPAFUZZ_OP_OPTION] = {IPAFUZZ_FORM_TEXT, IPAFUZZ_REPLY_CODE, 0xffffffffu},
    [IPAFUZZ_OP_HAVOC] = {IPAFUZZ_FORM_LONG, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_CLAUSE] = {IPAFUZZ_FORM_LITS, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_SOFT] = {IPAFUZZ_FORM_SOFT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_ASSUME] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_SOLVE] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_STATUS, 0xffffffffu},
    [IPAFUZZ_OP_VAL] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_LITERAL, 0xffffffffu},
    [IPAFUZZ_OP_OBJ] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_WEIGHT, 0xffffffffu},
    [IPAFUZZ_OP_FAILED] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_FLAG, 0xffffffffu},
    [IPAFUZZ_OP_CORE] = {IPAFUZZ_FORM_ASSUMED, IPAFUZZ_REPLY_CORE, 0xffffffffu},
    [IPAFUZZ_OP_MODEL] = {IPAFUZZ_FORM_VARS, IPAFUZZ_REPLY_MODEL, 0xffffffffu},
    [IPAFUZZ_OP_TERMINATE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_LEARN] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_CONSTRAIN] = {IPAFUZZ_FORM_LITS, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_FREEZE] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_MELT] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_PHASE] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_UNPHASE] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_SIMPLIFY] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_CODE, 0xffffffffu},
    [IPAFUZZ_OP_ENUMERATE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_TWO_COUNTS, 0x7fffffffu},
    [IPAFUZZ_OP_LIMIT_CONFLICTS] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_LIMIT_DECISIONS] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_CONSTRAINT_FAILED] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_FLAG, 0xffffffffu},
    [IPAFUZZ_OP_FIXED] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_CODE, 0xffffffffu},
    [IPAFUZZ_OP_EXISTS] = {IPAFUZZ_FORM_LITS, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_FORALL] = {IPAFUZZ_FORM_LITS, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_EXTEND] = {IPAFUZZ_FORM_EXTEND, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_PUSH] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_POP] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_OPEN] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_CLOSE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_ACTIVATE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_DEACTIVATE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_DELETE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_NOTHING, 0x7fffffffu},
    [IPAFUZZ_OP_PROOF] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_TEXT, 0xffffffffu},
    [IPAFUZZ_OP_IMPORT] = {IPAFUZZ_FORM_LITS, IPAFUZZ_REPLY_NOTHING, 0xffffffffu},
    [IPAFUZZ_OP_MISUSE] = {IPAFUZZ_FORM_NUMBER, IPAFUZZ_REPLY_TWO_COUNTS, 0x7fffffffu},
    [IPAFUZZ_OP_ERRORS] = {IPAFUZZ_FORM_NONE, IPAFUZZ_REPLY_CODE, 0xffffffffu},
    [IPAFUZZ_OP_FROZEN] = {IPAFUZZ_FORM_LIT, IPAFUZZ_REPLY_FLAG, 0xffffffffu},
};

/* The states that a call is legal in: bit s is set for state s. 0: the model
 * has no such call. By model number. */
__attribute__ ((unused)) static const uint16_t
    ipafuzz_legal[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS] = {
        [1] = {/* ipasir */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x0036, /* release: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIGNATURE] = 0x0037, /* signature: NONE or START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPTION] = 0x0036, /* option: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_HAVOC] = 0x0036, /* havoc: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLAUSE] = 0x003e, /* add: START or INPUT or CLAUSE or SAT or UNSAT */
            [IPAFUZZ_OP_ASSUME] = 0x0036, /* assume: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SOLVE] = 0x0036, /* solve: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_VAL] = 0x0010, /* val: SAT */
            [IPAFUZZ_OP_MODEL] = 0x0010, /* model: SAT */
            [IPAFUZZ_OP_FAILED] = 0x0020, /* failed: UNSAT */
            [IPAFUZZ_OP_CORE] = 0x0020, /* core: UNSAT */
            [IPAFUZZ_OP_TERMINATE] = 0x0036, /* terminate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LEARN] = 0x0036, /* learn: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_PROOF] = 0x0036, /* proof: START or INPUT or SAT or UNSAT */
        },
        [2] = {/* ipamir */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x00f6, /* release: START or INPUT or SAT or UNSAT or OPTIMAL or ERROR */
            [IPAFUZZ_OP_SIGNATURE] = 0x0077, /* signature: NONE or START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_OPTION] = 0x0076, /* option: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_HAVOC] = 0x0076, /* havoc: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_CLAUSE] = 0x007e, /* hard: START or INPUT or CLAUSE or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_SOFT] = 0x0076, /* soft: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_ASSUME] = 0x0076, /* assume: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_SOLVE] = 0x0076, /* solve: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_OBJ] = 0x0050, /* obj: SAT or OPTIMAL */
            [IPAFUZZ_OP_VAL] = 0x0050, /* val: SAT or OPTIMAL */
            [IPAFUZZ_OP_MODEL] = 0x0050, /* model: SAT or OPTIMAL */
            [IPAFUZZ_OP_TERMINATE] = 0x0076, /* terminate: START or INPUT or SAT or UNSAT or OPTIMAL */
            [IPAFUZZ_OP_PROOF] = 0x0076, /* proof: START or INPUT or SAT or UNSAT or OPTIMAL */
        },
        [3] = {/* ipasir+cadical */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x0036, /* release: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIGNATURE] = 0x0037, /* signature: NONE or START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPTION] = 0x0036, /* option: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_HAVOC] = 0x0036, /* havoc: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLAUSE] = 0x003e, /* add: START or INPUT or CLAUSE or SAT or UNSAT */
            [IPAFUZZ_OP_ASSUME] = 0x0036, /* assume: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SOLVE] = 0x0036, /* solve: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_VAL] = 0x0010, /* val: SAT */
            [IPAFUZZ_OP_MODEL] = 0x0010, /* model: SAT */
            [IPAFUZZ_OP_FAILED] = 0x0020, /* failed: UNSAT */
            [IPAFUZZ_OP_CORE] = 0x0020, /* core: UNSAT */
            [IPAFUZZ_OP_TERMINATE] = 0x0036, /* terminate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LEARN] = 0x0036, /* learn: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_PROOF] = 0x0036, /* proof: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CONSTRAIN] = 0x0036, /* constrain: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_FREEZE] = 0x0036, /* freeze: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_MELT] = 0x0036, /* melt: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_PHASE] = 0x0036, /* phase: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_UNPHASE] = 0x0036, /* unphase: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIMPLIFY] = 0x0036, /* simplify: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LIMIT_CONFLICTS] = 0x0036, /* limit-conflicts: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LIMIT_DECISIONS] = 0x0036, /* limit-decisions: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CONSTRAINT_FAILED] = 0x0020, /* constraint-failed: UNSAT */
            [IPAFUZZ_OP_FIXED] = 0x0036, /* fixed: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_FROZEN] = 0x0036, /* frozen: START or INPUT or SAT or UNSAT */
        },
        [4] = {/* ipasir+enumerate */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x0036, /* release: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIGNATURE] = 0x0037, /* signature: NONE or START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPTION] = 0x0036, /* option: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_HAVOC] = 0x0036, /* havoc: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLAUSE] = 0x003e, /* add: START or INPUT or CLAUSE or SAT or UNSAT */
            [IPAFUZZ_OP_ASSUME] = 0x0036, /* assume: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SOLVE] = 0x0036, /* solve: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_VAL] = 0x0010, /* val: SAT */
            [IPAFUZZ_OP_MODEL] = 0x0010, /* model: SAT */
            [IPAFUZZ_OP_FAILED] = 0x0020, /* failed: UNSAT */
            [IPAFUZZ_OP_CORE] = 0x0020, /* core: UNSAT */
            [IPAFUZZ_OP_TERMINATE] = 0x0036, /* terminate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LEARN] = 0x0036, /* learn: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_PROOF] = 0x0036, /* proof: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_ENUMERATE] = 0x0036, /* enumerate: START or INPUT or SAT or UNSAT */
        },
        [6] = {/* ipasir2 */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x0036, /* release: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIGNATURE] = 0x0037, /* signature: NONE or START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPTION] = 0x0036, /* option: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_HAVOC] = 0x0036, /* havoc: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLAUSE] = 0x003e, /* add: START or INPUT or CLAUSE or SAT or UNSAT */
            [IPAFUZZ_OP_ASSUME] = 0x0036, /* assume: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SOLVE] = 0x0036, /* solve: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_VAL] = 0x0010, /* val: SAT */
            [IPAFUZZ_OP_MODEL] = 0x0010, /* model: SAT */
            [IPAFUZZ_OP_FAILED] = 0x0020, /* failed: UNSAT */
            [IPAFUZZ_OP_CORE] = 0x0020, /* core: UNSAT */
            [IPAFUZZ_OP_TERMINATE] = 0x0036, /* terminate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_LEARN] = 0x0036, /* learn: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_PROOF] = 0x0036, /* proof: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_IMPORT] = 0x0036, /* import: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_MISUSE] = 0x0036, /* misuse: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_ERRORS] = 0x0036, /* errors: START or INPUT or SAT or UNSAT */
        },
        [5] = {/* qbf */
            [IPAFUZZ_OP_INIT] = 0x0001, /* init: NONE */
            [IPAFUZZ_OP_RELEASE] = 0x0036, /* release: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SIGNATURE] = 0x0037, /* signature: NONE or START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPTION] = 0x0036, /* option: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_HAVOC] = 0x0036, /* havoc: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_EXISTS] = 0x0036, /* exists: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_FORALL] = 0x0036, /* forall: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_EXTEND] = 0x0036, /* extend: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLAUSE] = 0x003e, /* clause: START or INPUT or CLAUSE or SAT or UNSAT */
            [IPAFUZZ_OP_PUSH] = 0x0036, /* push: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_POP] = 0x0036, /* pop: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_OPEN] = 0x0036, /* open: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_CLOSE] = 0x0036, /* close: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_ACTIVATE] = 0x0036, /* activate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_DEACTIVATE] = 0x0036, /* deactivate: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_DELETE] = 0x0036, /* delete: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_ASSUME] = 0x0036, /* assume: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_SOLVE] = 0x0036, /* solve: START or INPUT or SAT or UNSAT */
            [IPAFUZZ_OP_VAL] = 0x0030, /* val: SAT or UNSAT */
            [IPAFUZZ_OP_MODEL] = 0x0030, /* model: SAT or UNSAT */
            [IPAFUZZ_OP_FAILED] = 0x0030, /* failed: SAT or UNSAT */
            [IPAFUZZ_OP_CORE] = 0x0030, /* core: SAT or UNSAT */
            [IPAFUZZ_OP_TERMINATE] = 0x0036, /* terminate: START or INPUT or SAT or UNSAT */
        },
};

#define IPAFUZZ_THEN_STAYS 0xfe /* the call does not change the state */
#define IPAFUZZ_THEN_NONE 0xff  /* the call knows no such condition */

/* The state after a call of the model, by model, call and condition. A call has an
 * entry for ALWAYS, or for the conditions that decide between its states; never both. */
__attribute__ ((unused)) static const uint8_t
    ipafuzz_then[IPAFUZZ_NUM_MODELS + 1][IPAFUZZ_NUM_OPS][IPAFUZZ_NUM_CONDITIONS] = {
        [1] = {/* ipasir */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CORE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LEARN] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PROOF] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
        [2] = {/* ipamir */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOFT] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0x06, 0x07},
            [IPAFUZZ_OP_OBJ] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PROOF] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
        [3] = {/* ipasir+cadical */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CORE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LEARN] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PROOF] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CONSTRAIN] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FREEZE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MELT] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PHASE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_UNPHASE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIMPLIFY] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LIMIT_CONFLICTS] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LIMIT_DECISIONS] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CONSTRAINT_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FIXED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FROZEN] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
        [4] = {/* ipasir+enumerate */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CORE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LEARN] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PROOF] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ENUMERATE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
        [6] = {/* ipasir2 */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CORE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_LEARN] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PROOF] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_IMPORT] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MISUSE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ERRORS] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
        [5] = {/* qbf */
            [IPAFUZZ_OP_INIT] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_RELEASE] = {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SIGNATURE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPTION] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_HAVOC] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_EXISTS] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FORALL] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_EXTEND] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLAUSE] = {0xff, 0x02, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_PUSH] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_POP] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_OPEN] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CLOSE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ACTIVATE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_DEACTIVATE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_DELETE] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_ASSUME] = {0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_SOLVE] = {0xff, 0xff, 0xff, 0x02, 0x04, 0x05, 0xff, 0xff},
            [IPAFUZZ_OP_VAL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_MODEL] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_FAILED] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_CORE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
            [IPAFUZZ_OP_TERMINATE] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        },
};

#endif
