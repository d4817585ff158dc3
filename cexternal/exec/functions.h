/* Generated from package apimodel by 'go generate ./apimodel'; do not edit. */
#ifndef IPAFUZZ_FUNCTIONS_H
#define IPAFUZZ_FUNCTIONS_H

/* The numbers of the API models, as in the binary trace. */
enum {
  IPAFUZZ_IPASIR = 1, /* ipasir */
  IPAFUZZ_IPAMIR = 2, /* ipamir */
  IPAFUZZ_CADICAL = 3, /* ipasir+cadical */
  IPAFUZZ_ENUMERATE = 4, /* ipasir+enumerate */
  IPAFUZZ_IPASIR2 = 6, /* ipasir2 */
  IPAFUZZ_QBF = 5, /* qbf */
};

/* Capabilities that are functions of the target, as one bit each. */
enum {
  IPAFUZZ_HAS_TERMINATE = 0x1,
  IPAFUZZ_HAS_LEARN = 0x2,
  IPAFUZZ_HAS_OPTIONS = 0x4,
  IPAFUZZ_HAS_HAVOC = 0x8,
  IPAFUZZ_HAS_PROOF = 0x10,
  IPAFUZZ_HAS_CONSTRAIN = 0x20,
  IPAFUZZ_HAS_FREEZE = 0x40,
  IPAFUZZ_HAS_PHASE = 0x80,
  IPAFUZZ_HAS_SIMPLIFY = 0x100,
  IPAFUZZ_HAS_LIMIT = 0x200,
  IPAFUZZ_HAS_CONSTRAINT_FAILED = 0x400,
  IPAFUZZ_HAS_FIXED = 0x800,
  IPAFUZZ_HAS_FROZEN = 0x1000,
  IPAFUZZ_HAS_ENUMERATE = 0x2000,
  IPAFUZZ_HAS_IMPORT = 0x4000,
  IPAFUZZ_HAS_MISUSE = 0x8000,
  IPAFUZZ_HAS_ERRORS = 0x10000,
  IPAFUZZ_HAS_EXTEND = 0x20000,
  IPAFUZZ_HAS_PUSH = 0x40000,
  IPAFUZZ_HAS_GROUPS = 0x80000,
};

/* HAS (bit, condition): the target has a capability. */
#define IPAFUZZ_CAPABILITIES(HAS) \
  HAS (IPAFUZZ_HAS_TERMINATE, target->set_terminate) \
  HAS (IPAFUZZ_HAS_LEARN, target->set_learn) \
  HAS (IPAFUZZ_HAS_OPTIONS, target->set_option) \
  HAS (IPAFUZZ_HAS_HAVOC, target->havoc) \
  HAS (IPAFUZZ_HAS_PROOF, target->proof) \
  HAS (IPAFUZZ_HAS_CONSTRAIN, target->constrain) \
  HAS (IPAFUZZ_HAS_FREEZE, target->freeze && target->melt) \
  HAS (IPAFUZZ_HAS_PHASE, target->phase && target->unphase) \
  HAS (IPAFUZZ_HAS_SIMPLIFY, target->simplify) \
  HAS (IPAFUZZ_HAS_LIMIT, target->limit) \
  HAS (IPAFUZZ_HAS_CONSTRAINT_FAILED, target->constraint_failed) \
  HAS (IPAFUZZ_HAS_FIXED, target->fixed) \
  HAS (IPAFUZZ_HAS_FROZEN, target->frozen) \
  HAS (IPAFUZZ_HAS_ENUMERATE, target->enumerate) \
  HAS (IPAFUZZ_HAS_IMPORT, target->import) \
  HAS (IPAFUZZ_HAS_MISUSE, target->misuse) \
  HAS (IPAFUZZ_HAS_ERRORS, target->errors) \
  HAS (IPAFUZZ_HAS_EXTEND, target->extend) \
  HAS (IPAFUZZ_HAS_PUSH, target->push && target->pop) \
  HAS (IPAFUZZ_HAS_GROUPS, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group)

/* NEEDS (op, condition): the target has the functions that a call needs. */
#define IPAFUZZ_NEEDS(NEEDS) \
  NEEDS (IPAFUZZ_OP_INIT, target->init) \
  NEEDS (IPAFUZZ_OP_RELEASE, target->release) \
  NEEDS (IPAFUZZ_OP_SIGNATURE, target->signature) \
  NEEDS (IPAFUZZ_OP_OPTION, target->set_option) \
  NEEDS (IPAFUZZ_OP_HAVOC, target->havoc) \
  NEEDS (IPAFUZZ_OP_CLAUSE, target->add) \
  NEEDS (IPAFUZZ_OP_SOFT, target->add_soft) \
  NEEDS (IPAFUZZ_OP_ASSUME, target->assume) \
  NEEDS (IPAFUZZ_OP_SOLVE, target->solve) \
  NEEDS (IPAFUZZ_OP_VAL, target->val) \
  NEEDS (IPAFUZZ_OP_OBJ, target->val_obj) \
  NEEDS (IPAFUZZ_OP_FAILED, target->failed) \
  NEEDS (IPAFUZZ_OP_CORE, target->failed) \
  NEEDS (IPAFUZZ_OP_MODEL, target->val) \
  NEEDS (IPAFUZZ_OP_TERMINATE, target->set_terminate) \
  NEEDS (IPAFUZZ_OP_LEARN, target->set_learn) \
  NEEDS (IPAFUZZ_OP_CONSTRAIN, target->constrain) \
  NEEDS (IPAFUZZ_OP_FREEZE, target->freeze && target->melt) \
  NEEDS (IPAFUZZ_OP_MELT, target->freeze && target->melt) \
  NEEDS (IPAFUZZ_OP_PHASE, target->phase && target->unphase) \
  NEEDS (IPAFUZZ_OP_UNPHASE, target->phase && target->unphase) \
  NEEDS (IPAFUZZ_OP_SIMPLIFY, target->simplify) \
  NEEDS (IPAFUZZ_OP_ENUMERATE, target->enumerate) \
  NEEDS (IPAFUZZ_OP_LIMIT_CONFLICTS, target->limit) \
  NEEDS (IPAFUZZ_OP_LIMIT_DECISIONS, target->limit) \
  NEEDS (IPAFUZZ_OP_CONSTRAINT_FAILED, target->constraint_failed) \
  NEEDS (IPAFUZZ_OP_FIXED, target->fixed) \
  NEEDS (IPAFUZZ_OP_EXISTS, target->exists) \
  NEEDS (IPAFUZZ_OP_FORALL, target->forall) \
  NEEDS (IPAFUZZ_OP_EXTEND, target->extend) \
  NEEDS (IPAFUZZ_OP_PUSH, target->push && target->pop) \
  NEEDS (IPAFUZZ_OP_POP, target->push && target->pop) \
  NEEDS (IPAFUZZ_OP_OPEN, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group) \
  NEEDS (IPAFUZZ_OP_CLOSE, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group) \
  NEEDS (IPAFUZZ_OP_ACTIVATE, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group) \
  NEEDS (IPAFUZZ_OP_DEACTIVATE, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group) \
  NEEDS (IPAFUZZ_OP_DELETE, target->open_group && target->close_group && target->activate_group && \
       target->deactivate_group && target->delete_group) \
  NEEDS (IPAFUZZ_OP_PROOF, target->proof) \
  NEEDS (IPAFUZZ_OP_IMPORT, target->import) \
  NEEDS (IPAFUZZ_OP_MISUSE, target->misuse) \
  NEEDS (IPAFUZZ_OP_ERRORS, target->errors) \
  NEEDS (IPAFUZZ_OP_FROZEN, target->frozen)

/* FUNCTION (model, member, symbol, result, parameters): what no SAT or MaxSAT standard has. */
#define IPAFUZZ_EXTENSIONS(FUNCTION) \
  FUNCTION (IPAFUZZ_CADICAL, constrain, ccadical_constrain, void, (void *solver, int32_t lit_or_zero)) \
  FUNCTION (IPAFUZZ_CADICAL, freeze, ccadical_freeze, void, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_CADICAL, melt, ccadical_melt, void, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_CADICAL, phase, ccadical_phase, void, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_CADICAL, unphase, ccadical_unphase, void, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_CADICAL, simplify, ccadical_simplify, int, (void *solver)) \
  FUNCTION (IPAFUZZ_CADICAL, limit, ccadical_limit, void, (void *solver, const char *name, int limit)) \
  FUNCTION (IPAFUZZ_CADICAL, constraint_failed, ccadical_constraint_failed, int, (void *solver)) \
  FUNCTION (IPAFUZZ_CADICAL, fixed, ccadical_fixed, int, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_CADICAL, frozen, ccadical_frozen, int, (void *solver, int32_t lit)) \
  FUNCTION (IPAFUZZ_ENUMERATE, enumerate, ipafuzz_enumerate, uint64_t, (void *solver, uint32_t most)) \
  FUNCTION (IPAFUZZ_IPASIR2, import, ipafuzz_import, void, (void *solver, int32_t lit_or_zero)) \
  FUNCTION (IPAFUZZ_IPASIR2, misuse, ipafuzz_misuse, uint64_t, (void *solver, uint32_t most)) \
  FUNCTION (IPAFUZZ_IPASIR2, errors, ipafuzz_errors, int, (void *solver)) \
  FUNCTION (IPAFUZZ_QBF, exists, qbf_exists, void, (void *solver, int32_t var_or_zero)) \
  FUNCTION (IPAFUZZ_QBF, forall, qbf_forall, void, (void *solver, int32_t var_or_zero)) \
  FUNCTION (IPAFUZZ_QBF, extend, qbf_extend, void, (void *solver, int32_t level, int32_t var_or_zero)) \
  FUNCTION (IPAFUZZ_QBF, push, qbf_push, void, (void *solver)) \
  FUNCTION (IPAFUZZ_QBF, pop, qbf_pop, void, (void *solver)) \
  FUNCTION (IPAFUZZ_QBF, open_group, qbf_open_group, void, (void *solver, int32_t group)) \
  FUNCTION (IPAFUZZ_QBF, close_group, qbf_close_group, void, (void *solver, int32_t group)) \
  FUNCTION (IPAFUZZ_QBF, activate_group, qbf_activate_group, void, (void *solver, int32_t group)) \
  FUNCTION (IPAFUZZ_QBF, deactivate_group, qbf_deactivate_group, void, (void *solver, int32_t group)) \
  FUNCTION (IPAFUZZ_QBF, delete_group, qbf_delete_group, void, (void *solver, int32_t group))

/* CALL (op, shape, member, word): how the executor makes these calls. */
#define IPAFUZZ_EXTENSION_CALLS(CALL) \
  CALL (IPAFUZZ_OP_CONSTRAIN, GIVE_LITS, constrain, "") \
  CALL (IPAFUZZ_OP_FREEZE, GIVE_LIT, freeze, "") \
  CALL (IPAFUZZ_OP_MELT, GIVE_LIT, melt, "") \
  CALL (IPAFUZZ_OP_PHASE, GIVE_LIT, phase, "") \
  CALL (IPAFUZZ_OP_UNPHASE, GIVE_LIT, unphase, "") \
  CALL (IPAFUZZ_OP_SIMPLIFY, ASK, simplify, "") \
  CALL (IPAFUZZ_OP_LIMIT_CONFLICTS, LIMIT, limit, "conflicts") \
  CALL (IPAFUZZ_OP_LIMIT_DECISIONS, LIMIT, limit, "decisions") \
  CALL (IPAFUZZ_OP_CONSTRAINT_FAILED, ASK, constraint_failed, "") \
  CALL (IPAFUZZ_OP_FIXED, ASK_LIT, fixed, "") \
  CALL (IPAFUZZ_OP_FROZEN, ASK_LIT, frozen, "") \
  CALL (IPAFUZZ_OP_ENUMERATE, COUNT, enumerate, "") \
  CALL (IPAFUZZ_OP_IMPORT, GIVE_LITS, import, "") \
  CALL (IPAFUZZ_OP_MISUSE, COUNT, misuse, "") \
  CALL (IPAFUZZ_OP_ERRORS, ASK, errors, "") \
  CALL (IPAFUZZ_OP_EXISTS, GIVE_LITS, exists, "") \
  CALL (IPAFUZZ_OP_FORALL, GIVE_LITS, forall, "") \
  CALL (IPAFUZZ_OP_EXTEND, GIVE_LEVEL, extend, "") \
  CALL (IPAFUZZ_OP_PUSH, DO, push, "") \
  CALL (IPAFUZZ_OP_POP, DO, pop, "") \
  CALL (IPAFUZZ_OP_OPEN, GIVE_NUMBER, open_group, "") \
  CALL (IPAFUZZ_OP_CLOSE, GIVE_NUMBER, close_group, "") \
  CALL (IPAFUZZ_OP_ACTIVATE, GIVE_NUMBER, activate_group, "") \
  CALL (IPAFUZZ_OP_DEACTIVATE, GIVE_NUMBER, deactivate_group, "") \
  CALL (IPAFUZZ_OP_DELETE, GIVE_NUMBER, delete_group, "")

#endif
