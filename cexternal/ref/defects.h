/* The planted defects. Each is a realistic mistake, selected by a solver's option
 * 'defect'. The comment DEFECT marks the code that makes it.
 *
 * A fuzzer can find every defect: it shows on traces of few variables and clauses,
 * at least once in some thousand traces (testdata/check.c prints how soon). The
 * class is the one that it usually shows as; another trace may show another class.
 */
#ifndef REF_DEFECTS_H
#define REF_DEFECTS_H

#include <stdint.h>

#include "options.h"

#pragma GCC visibility push(hidden)

/* DEFECT (number, identifier, "name", "model", "class", "what goes wrong") */
#define REF_DEFECTS(DEFECT) \
  DEFECT (1, LOST_WATCH, "lost-watch", "both", "2.6", \
          "A clause whose watch moves to its last literal is linked into no list.") \
  DEFECT (2, SKIPPED_WATCHES, "skipped-watches", "both", "2.4", \
          "After a backjump the watches of the learned clause's literal are not visited.") \
  DEFECT (3, ASSUMPTION_LEVEL_UNIT, "assumption-level-unit", "both", "5.3", \
          "Conflict analysis takes the levels of assumptions for the root level, so what it " \
          "learns stays too strong.") \
  DEFECT (4, ASSUMPTION_UNSAT_STICKS, "assumption-unsat-sticks", "both", "2.5", \
          "A failure under assumptions is remembered as unsatisfiability of the clauses.") \
  DEFECT ( \
    5, DIRTY_INTERRUPT, "dirty-interrupt", "ipasir", "2.5", \
    "The assumptions of an interrupted solve stay on the trail, where they look like facts.") \
  DEFECT (6, EMPTY_CLAUSE_IGNORED, "empty-clause-ignored", "both", "2.4", \
          "An empty clause is skipped.") \
  DEFECT (7, TAUTOLOGY_CANCELS, "tautology-cancels", "both", "2.5", \
          "In a clause with x and -x both literals are dropped instead of the clause.") \
  DEFECT (8, DUPLICATES_CANCEL, "duplicates-cancel", "both", "2.5", \
          "A literal that is twice in a clause is dropped altogether.") \
  DEFECT (9, VARIABLE_GAP, "variable-gap", "both", "2.5", \
          "A literal whose variable is more than 1000 above all others is lost from its clause.") \
  DEFECT ( \
    10, IGNORED_AFTER_UNSAT, "ignored-after-unsat", "both", "2.4", \
    "Clauses added after an UNSAT answer are ignored, though assumptions may have caused it.") \
  DEFECT (11, ASSUMPTIONS_STAY, "assumptions-stay", "both", "2.5", \
          "Assumptions are not cleared by a solve.") \
  DEFECT (12, INTERRUPT_KEEPS_ASSUMPTIONS, "interrupt-keeps-assumptions", "both", "2.5", \
          "Assumptions are not cleared by an interrupted solve.") \
  DEFECT (13, FIRST_ASSUMPTION_IGNORED, "first-assumption-ignored", "both", "2.6", \
          "The first assumption of a solve is skipped.") \
  DEFECT (14, FRESH_ASSUMPTION_IGNORED, "fresh-assumption-ignored", "both", "2.6", \
          "An assumption over a variable that was never used before is skipped.") \
  DEFECT (15, SHARED_ASSUMPTIONS, "shared-assumptions", "both", "5.5", \
          "The list of assumptions is shared by all instances.") \
  DEFECT (16, SHARED_MODEL, "shared-model", "both", "5.5", \
          "The values of the last model are shared by all instances.") \
  DEFECT (17, NEGATIVE_VAL_ZERO, "negative-val-zero", "both", "5.2", \
          "The value of a negative literal is always 0.") \
  DEFECT (18, UNUSED_VAL_GARBAGE, "unused-val-garbage", "both", "5.2", \
          "The value of a variable that is in no clause is another literal.") \
  DEFECT (19, VAL_FLIPS, "val-flips", "both", "5.2", \
          "The value of a variable that is in no clause changes from query to query.") \
  DEFECT (20, REPEAT_DIFFERS, "repeat-differs", "both", "5.4", \
          "A solution is excluded from the solves after it, as when iterating over models.") \
  DEFECT (21, STICKY_TERMINATE, "sticky-terminate", "both", "5.6", \
          "Once terminated, all later solves are interrupted, whatever the callback says.") \
  DEFECT (22, IGNORED_TERMINATE, "ignored-terminate", "both", "5.6", \
          "The answer of the terminate callback is ignored.") \
  DEFECT (23, UNASKED_INTERRUPT, "unasked-interrupt", "both", "4.4", \
          "Gives up after two conflicts without a limit.") \
  DEFECT (24, NULL_TERMINATE, "null-terminate", "both", "1.5", \
          "Removing the terminate callback makes the next solve call a null pointer.") \
  DEFECT (25, WIDE_VARIABLE, "wide-variable", "both", "1.5", \
          "Twice a variable above 2^30 overflows an int, which is then an index.") \
  DEFECT (26, DUPLICATES_RECURSE, "duplicates-recurse", "both", "1.5", \
          "A clause with repeated literals is simplified recursively until the stack is full.") \
  DEFECT (27, CORRUPTED_HEAP, "corrupted-heap", "both", "1.1", \
          "The second solve of an instance writes past the end of a buffer.") \
  DEFECT (28, DOUBLE_FREE, "double-free", "both", "1.1", \
          "Release after an UNSAT answer frees the same memory twice.") \
  DEFECT (29, ROOT_ASSERTION, "root-assertion", "both", "1.1", \
          "An assertion fails when an assumption contradicts a root-level fact.") \
  DEFECT (30, BUS_ERROR, "bus-error", "both", "1.2", \
          "Clauses of more than four literals are spilled to a mapped file that is too short.") \
  DEFECT (31, WATCHDOG_KILLS, "watchdog-kills", "both", "1.4", \
          "After an interrupted solve the process kills itself.") \
  DEFECT (32, QUIET_EXIT, "quiet-exit", "both", "1.6", \
          "Solving again after an UNSAT answer, with no call in between, ends the process with " \
          "exit code 0.") \
  DEFECT (33, EMPTY_CLAUSE_EXITS, "empty-clause-exits", "both", "1.6", \
          "An empty clause ends the process with a message and exit code 3.") \
  DEFECT (34, MEMORY_BLOW_UP, "memory-blow-up", "both", "3.2", \
          "Assuming the same literal twice for one solve eats memory, 64 MiB per step.") \
  DEFECT (35, LEAK_PER_SOLVE, "leak-per-solve", "both", "5.7", "Every solve loses 4 KiB.") \
  DEFECT (36, LEAK_PER_RELEASE, "leak-per-release", "both", "5.7", "Every release loses 4 KiB.") \
  DEFECT (37, CORE_MISSES_FIRST, "core-misses-first", "ipasir", "5.3", \
          "The first assumption is never blamed unless it is itself the falsified one.") \
  DEFECT (38, FAILED_ALL, "failed-all", "ipasir", "5.3", \
          "All literals are reported as failed, even those never assumed.") \
  DEFECT (39, FAILED_NONE, "failed-none", "ipasir", "5.3", \
          "No assumption is ever reported as failed.") \
  DEFECT (40, FAILED_STALE, "failed-stale", "ipasir", "5.3", \
          "Failed assumptions are those of the previous solve.") \
  DEFECT (41, FAILED_WRONG_SIGN, "failed-wrong-sign", "ipasir", "5.3", \
          "Failed assumptions are looked up with the wrong sign.") \
  DEFECT (42, LEARNED_NOT_IMPLIED, "learned-not-implied", "ipasir", "6.1", \
          "The listener gets learned clauses in which the first literal has the wrong sign.") \
  DEFECT (43, LEARNED_TOO_LONG, "learned-too-long", "ipasir", "6.2", \
          "The listener gets learned clauses with one literal more than it asked for.") \
  DEFECT (44, HARD_ONLY_DROPS_CLAUSE, "hard-only-drops-clause", "ipamir", "2.6", \
          "Without soft literals, the last hard clause is lost.") \
  DEFECT (45, LAST_CLAUSE_DROPPED, "last-clause-dropped", "ipamir", "2.6", \
          "The last hard clause is lost when it has the newest variable.") \
  DEFECT (46, WEIGHT_WRAPS_32, "weight-wraps-32", "ipamir", "2.3", \
          "The objective is summed up in 32 bits.") \
  DEFECT (47, WEIGHT_TRUNCATED, "weight-truncated", "ipamir", "2.3", \
          "Weights are kept in 32 bits.") \
  DEFECT (48, SUM_LIMIT_63, "sum-limit-63", "ipamir", "4.4", \
          "Gives an error when the weights sum up to 2^63 or more, not just from 2^64 on.") \
  DEFECT (49, REDECLARE_ADDS, "redeclare-adds", "ipamir", "2.3", \
          "Declaring a soft literal again adds to its weight.") \
  DEFECT (50, REDECLARE_IGNORED, "redeclare-ignored", "ipamir", "2.3", \
          "Declaring a soft literal again changes nothing.") \
  DEFECT (51, REDECLARE_PER_VARIABLE, "redeclare-per-variable", "ipamir", "2.3", \
          "Declaring a literal soft ends the softness of its negation.") \
  DEFECT (52, ZERO_WEIGHT_IGNORED, "zero-weight-ignored", "ipamir", "2.3", \
          "Declaring a soft literal again with the weight 0 leaves the old weight.") \
  DEFECT (53, COUNTS_FALSE_SOFTS, "counts-false-softs", "ipamir", "2.3", \
          "The objective is the weight of the soft literals that are false.") \
  DEFECT (54, COMPLEMENTARY_TWICE, "complementary-twice", "ipamir", "2.3", \
          "The cost that x and -x have in common is counted twice in the objective.") \
  DEFECT (55, COMPLEMENTARY_LOOP, "complementary-loop", "ipamir", "3.1", \
          "An endless loop when both x and -x are soft.") \
  DEFECT (56, STALE_OBJECTIVE, "stale-objective", "ipamir", "2.3", \
          "The objective is that of the first solution for which it was queried.") \
  DEFECT (57, STALE_MODEL, "stale-model", "ipamir", "2.3", \
          "The values are those of the first solution found, the objective is that of the best.") \
  DEFECT (58, ONE_CORE_EARLY, "one-core-early", "ipamir", "2.1", \
          "Core-guided search stops after the first core of two or more literals.") \
  DEFECT (59, CORE_PAID_IN_FULL, "core-paid-in-full", "ipamir", "2.1", \
          "Core-guided search pays the greatest instead of the least weight of a core.") \
  DEFECT (60, GAP_WITHOUT_CONSTANT, "gap-without-constant", "ipamir", "2.1", \
          "Core-guided search subtracts the common cost of x and -x from the gap between its " \
          "bounds, and fixes too much.") \
  DEFECT (61, ONE_IMPROVEMENT_EARLY, "one-improvement-early", "ipamir", "2.1", \
          "Model-improving search stops after one improvement (maxsat=model-improving).") \
  DEFECT (62, BOUND_TOO_TIGHT, "bound-too-tight", "ipamir", "2.1", \
          "Model-improving search demands an improvement by 2 (maxsat=model-improving).") \
  DEFECT (63, CARRY_LOST, "carry-lost", "ipamir", "2.1", \
          "Half adders lose their carry (maxsat=model-improving).") \
  DEFECT (64, INTERRUPTED_IS_OPTIMAL, "interrupted-is-optimal", "ipamir", "2.1", \
          "The best solution before an interruption is reported as optimal.") \
  DEFECT (65, HARDENING_STAYS, "hardening-stays", "ipamir", "2.5", \
          "A literal that costs more than the optimum is forbidden in all later solves.") \
  DEFECT (66, SOFT_WITHOUT_CLAUSE, "soft-without-clause", "ipamir", "4.4", \
          "Gives an error when the variable of a soft literal is in no hard clause.") \
  DEFECT (67, NO_SOFT_TABLE, "no-soft-table", "ipamir", "1.5", \
          "Without soft literals, a null pointer is read.") \
  DEFECT (68, NO_SOFT_DIVISION, "no-soft-division", "ipamir", "1.3", \
          "Without soft literals, the average weight is a division by zero.") \
  DEFECT (69, FALSE_COMPLAINT, "false-complaint", "both", "4.3", \
          "An internal check is wrong: when a solve follows an UNSAT answer, it prints an error " \
          "and continues.") \
  DEFECT (70, CONSTRAINT_STAYS, "constraint-stays", "ipasir+cadical", "2.5", \
          "A constraint holds in later solves as well.") \
  DEFECT (71, CONSTRAINT_FIRST_ONLY, "constraint-first-only", "ipasir+cadical", "2.5", \
          "Only the first literal of a constraint is used.") \
  DEFECT (72, PHASE_FORCES, "phase-forces", "ipasir+cadical", "2.5", \
          "A phase is treated as a fact.") \
  DEFECT (73, BLOCKS_TOO_MUCH, "blocks-too-much", "ipasir+enumerate", "5.4", \
          "The clause that blocks a solution lacks a literal, so others are blocked with it.") \
  DEFECT (74, CONSTRAINT_BLAMELESS, "constraint-blameless", "ipasir+cadical", "5.3", \
          "The constraint is never reported as failed.") \
  DEFECT (75, UNCHECKED_ALLOCATION, "unchecked-allocation", "both", "5.8", \
          "What malloc returns is used without a look (--fail-allocations).") \
  DEFECT (76, LOST_IN_FAILURE, "lost-in-failure", "both", "5.8", \
          "When a list cannot grow, what was to be added is lost (--fail-allocations).") \
  DEFECT ( \
    77, REDUCES_OUTER, "reduces-outer", "qbf", "2.5", \
    "Universal reduction drops universal variables that are outside of the existential one, too.") \
  DEFECT ( \
    78, TAUTOLOGY_REDUCED, "tautology-reduced", "qbf", "2.5", \
    "A clause with a literal and its negation is kept, and universal reduction takes it apart.") \
  DEFECT (79, PURE_FOR_BOTH, "pure-for-both", "qbf", "2.4", \
          "Pure universal literals are made true, as existential ones are.") \
  DEFECT (80, SOLUTION_TOO_WEAK, "solution-too-weak", "qbf", "2.4", \
          "The cube of a solution lacks universal literals, so their other value is not tried.") \
  DEFECT (81, FIRST_VALUE_FORGOTTEN, "first-value-forgotten", "qbf", "2.5", \
          "Backjumping forgets why the first value of a decision has lost, and jumps too far.") \
  DEFECT (82, DEPENDENCY_FORGOTTEN, "dependency-forgotten", "qbf", "2.5", \
          "Existential variables behind a universal block of one variable do not depend on it.") \
  DEFECT (83, BLOCKS_ALTERNATE, "blocks-alternate", "qbf", "2.5", \
          "Two neighbouring blocks with one quantifier are taken for an alternation.") \
  DEFECT (84, EMPTY_BLOCK_ENDS, "empty-block-ends", "qbf", "2.4", \
          "An empty block ends the prefix: the variables of all later ones are free.") \
  DEFECT (85, FREE_INNERMOST, "free-innermost", "qbf", "2.4", \
          "Free variables are innermost, so they may depend on universal ones.") \
  DEFECT (86, EXTENSION_INNERMOST, "extension-innermost", "qbf", "2.4", \
          "A variable that is added to a block goes to the innermost one.") \
  DEFECT (87, POP_KEEPS_CLAUSE, "pop-keeps-clause", "qbf", "2.5", \
          "A pop leaves the first clause of its frame.") \
  DEFECT (88, POP_DROPS_BELOW, "pop-drops-below", "qbf", "2.4", \
          "A pop also removes the clause before its frame.") \
  DEFECT (89, POP_AFTER_FALSE, "pop-after-false", "qbf", "1.5", \
          "A pop right after the answer 20 reads a null pointer.") \
  DEFECT (90, LEAK_PER_PUSH, "leak-per-push", "qbf", "5.7", "Every push loses 4 KiB.") \
  DEFECT (91, ANSWER_REUSED, "answer-reused", "qbf", "5.4", \
          "A solve after nothing but pops repeats the last answer.") \
  DEFECT (92, FALSE_FOREVER, "false-forever", "qbf", "2.5", \
          "A formula that was false once stays false, whatever is removed.") \
  DEFECT (93, ACTIVATION_LOST, "activation-lost", "qbf", "2.4", \
          "A group that is activated again stays deactivated.") \
  DEFECT (94, DEACTIVATED_COUNTS, "deactivated-counts", "qbf", "2.5", \
          "After the first solve, deactivating a group has no effect.") \
  DEFECT (95, DELETED_COUNTS, "deleted-counts", "qbf", "2.5", \
          "The clauses of a deleted group count.") \
  DEFECT (96, ASSUMPTIONS_PERSIST, "assumptions-persist", "qbf", "2.5", \
          "The answer 10 does not clear assumptions.") \
  DEFECT (97, UNIVERSAL_ASSUMPTION_IGNORED, "universal-assumption-ignored", "qbf", "2.5", \
          "Assumptions over universal variables are ignored.") \
  DEFECT (98, UNIVERSAL_ASSUMPTION_UNIT, "universal-assumption-unit", "qbf", "2.5", \
          "Assumptions over universal variables are added as unit clauses.") \
  DEFECT (99, CORE_MISSES_LAST, "core-misses-last", "qbf", "5.3", \
          "The last of several assumptions is never blamed.") \
  DEFECT (100, TRUE_BLAMELESS, "true-blameless", "qbf", "5.3", \
          "After the answer 10 no assumption is blamed.") \
  DEFECT (101, VALUES_OF_INNER, "values-of-inner", "qbf", "5.2", \
          "There are values for variables of the second block.") \
  DEFECT (102, VALUES_OF_FIRST_LEAF, "values-of-first-leaf", "qbf", "2.6", \
          "The values are those of the first leaf of the search, not of the winner's last one.") \
  DEFECT (103, FALSE_VALUES_NEGATED, "false-values-negated", "qbf", "2.6", \
          "After the answer 20 the values have the wrong sign.") \
  DEFECT (104, NO_CLAUSE_LOOPS, "no-clause-loops", "qbf", "3.1", \
          "An endless loop if there is a universal block but no clause.") \
  DEFECT (105, OPTION_BOUND, "option-bound", "ipasir2", "5.1", \
          "An option may be one above its greatest value.") \
  DEFECT (106, WRONG_CODE, "wrong-code", "ipasir2", "5.1", \
          "A value outside SAT is refused with the code of an invalid argument.") \
  DEFECT (107, STATE_UNCHECKED, "state-unchecked", "ipasir2", "5.1", \
          "Failed assumptions may be asked for in every state.") \
  DEFECT (108, IMPORT_LOST, "import-lost", "ipasir2", "2.6", \
          "The second clause that is imported in one solve is lost.") \
  DEFECT (109, IMPORT_CUT, "import-cut", "ipasir2", "2.5", \
          "Imported clauses lose their last literal.") \
  DEFECT (110, FIXED_ASSUMED, "fixed-assumed", "ipasir2", "6.1", \
          "Assumptions are reported as fixed literals.") \
  DEFECT (111, ADD_REFUSED, "add-refused", "ipasir2", "5.1", \
          "After UNSAT, a clause is refused with the code of an invalid state.") \
  DEFECT (112, SHARED_SCRATCH, "shared-scratch", "both", "5.5", \
          "All instances sort clauses in one static array (--threads).") \
  DEFECT (113, LAZY_TABLE, "lazy-table", "both", "5.5", \
          "A table is filled at first use, without synchronisation (--threads).") \
  DEFECT (114, FORGETS_NEXT, "forgets-next", "ipasir2", "2.6", \
          "The clause that follows a forgettable one is forgotten.") \
  DEFECT (115, INDEXED_FACT, "indexed-fact", "ipasir2", "2.5", \
          "The phase of a variable, an indexed option, is a fact.") \
  DEFECT (116, UNSEEN_FLIPS, "unseen-flips", "both", "5.2", \
          "Every second question about a literal that no call named gets another answer.") \
  DEFECT (117, SOLVING_UNCHECKED, "solving-unchecked", "ipasir2", "5.1", \
          "A callback may ask for values during a solve.") \
  DEFECT (118, SOLVES_INSIDE, "solves-inside", "ipasir2", "5.1", \
          "A solve that a callback asks for returns no error code.") \
  DEFECT (119, RELEASES_INSIDE, "releases-inside", "ipasir2", "5.1", \
          "A release that a callback asks for returns no error code.") \
  DEFECT (120, SETTERS_REFUSED, "setters-refused", "ipasir2", "5.1", \
          "A callback may not set callbacks.") \
  DEFECT (121, OPTIONS_LATE, "options-late", "ipasir2", "5.1", \
          "Options are listed at the beginning only.") \
  DEFECT (122, OPTION_INDEX, "option-index", "ipasir2", "5.1", \
          "Options without an index are refused with one.") \
  DEFECT (123, OPTION_CUT, "option-cut", "ipasir2", "5.1", \
          "Bounds are compared with the last 32 bits of a value.") \
  DEFECT (124, IMPORT_FIRST, "import-first", "ipasir2", "5.1", \
          "Later import callbacks do not replace the first.") \
  DEFECT (125, IMPORT_STAYS, "import-stays", "ipasir2", "5.1", \
          "NULL does not remove the import callback.") \
  DEFECT (126, FIXED_AT_ADD, "fixed-at-add", "ipasir2", "5.1", \
          "Unit clauses are reported as fixed when they are added.") \
  DEFECT (127, FIXED_IN_THREAD, "fixed-in-thread", "ipasir2", "5.1", \
          "Fixed literals are reported in another thread.") \
  DEFECT (128, OPTION_SOLVING, "option-solving", "ipasir2", "5.1", \
          "During a solve, every option may be set.") \
  DEFECT (129, OPTION_REFUSED, "option-refused", "ipasir2", "5.1", \
          "During a solve, no option may be set.") \
  DEFECT (130, OPTION_TWICE, "option-twice", "ipasir2", "5.1", \
          "Two options that are listed have one name.") \
  DEFECT (131, OPTION_INVERTED, "option-inverted", "ipasir2", "5.1", \
          "The bounds of an option that is listed are exchanged.") \
  DEFECT (132, EXPORT_FIRST, "export-first", "ipasir2", "5.1", \
          "Later export callbacks do not replace the first.") \
  DEFECT (133, DATA_SHARED, "data-shared", "ipasir2", "5.1", \
          "The export callback gets the data of the callback for fixed literals.")

#define REF_LAST_DEFECT 133

/* The planted defects of proofs: all answers are right. They show only if a trace asks for a proof.
 */
#define REF_PROOF_DEFECTS(DEFECT) \
  DEFECT (1001, PROOF_LEMMA_MISSING, "proof-lemma-missing", "ipasir", "6.4", \
          "Learned clauses of one literal are not written.") \
  DEFECT ( \
    1002, PROOF_EARLY_DELETION, "proof-early-deletion", "ipasir", "6.4", \
    "A learned clause is deleted in the proof when the next one is written, and used later.") \
  DEFECT ( \
    1003, PROOF_ASSUMED_LEMMA, "proof-assumed-lemma", "ipasir", "6.4", \
    "A learned clause is written without the literals that are false because of assumptions.") \
  DEFECT (1004, PROOF_FLIPPED_LITERAL, "proof-flipped-literal", "ipasir", "6.4", \
          "The first literal of a learned clause is written as it is on the trail.") \
  DEFECT (1005, PROOF_HINT_MISSING, "proof-hint-missing", "ipasir", "6.4", \
          "The first hint is missing (LRAT).") \
  DEFECT (1006, PROOF_NO_CONCLUSION, "proof-no-conclusion", "ipasir", "6.3", \
          "The proof ends without the empty clause, or without its core.") \
  DEFECT (1007, PROOF_TRUNCATED, "proof-truncated", "ipasir", "6.3", \
          "The last bytes stay in a buffer.") \
  DEFECT (1008, PROOF_INPUT_LOST, "proof-input-lost", "ipasir", "6.5", \
          "An added clause that is true already is not written (IDRUP).") \
  DEFECT (1009, PROOF_INPUT_SHORTENED, "proof-input-shortened", "ipasir", "6.5", \
          "An added clause is written without the literals that are false already (IDRUP).") \
  DEFECT (1010, PROOF_STALE_QUERY, "proof-stale-query", "ipasir", "6.5", \
          "A query has the assumptions of the one before (IDRUP).") \
  DEFECT (1011, PROOF_STALE_CORE, "proof-stale-core", "ipasir", "6.5", \
          "The core of a failure is that of the first failure (IDRUP).") \
  DEFECT (1012, PROOF_STALE_MODEL, "proof-stale-model", "ipasir", "6.4", \
          "The model of a solve is that of the first solve that had one (IDRUP).") \
  DEFECT (1013, PROOF_MODEL_PARTIAL, "proof-model-partial", "ipasir", "6.4", \
          "The model lacks what the clauses imply (IDRUP).") \
  DEFECT (1014, PROOF_UNKNOWN_STATUS, "proof-unknown-status", "ipasir", "6.5", \
          "A failure under assumptions is written as unknown (IDRUP).") \
  DEFECT (1015, PROOF_RESTARTED, "proof-restarted", "ipasir", "6.5", \
          "Every solve begins a new proof (IDRUP).") \
  DEFECT (1016, PROOF_SHARED, "proof-shared", "ipasir", "6.5", \
          "The proof handed over is that of the instance that solved last.") \
  DEFECT (1017, PROOF_BOUND_TOO_HIGH, "proof-bound-too-high", "ipamir", "6.4", \
          "The bounds in the conclusion are one too high (VeriPB).") \
  DEFECT (1018, PROOF_BOUND_OPEN, "proof-bound-open", "ipamir", "6.5", \
          "The lower bound in the conclusion is 0 (VeriPB).") \
  DEFECT (1019, PROOF_OLD_SOLUTION, "proof-old-solution", "ipamir", "6.4", \
          "The solution is that of the solve before (VeriPB).") \
  DEFECT (1020, PROOF_ASSUMPTION_LOST, "proof-assumption-lost", "ipamir", "6.5", \
          "The last assumption does not count as a constraint of the formula (VeriPB).") \
  DEFECT (1021, PROOF_STRONGER_STEP, "proof-stronger-step", "ipamir", "6.4", \
          "A learned clause is written without its last literal (VeriPB).") \
  DEFECT (1022, PROOF_STEP_MISSING, "proof-step-missing", "ipamir", "6.4", \
          "Learned clauses of one literal are not written (VeriPB).") \
  DEFECT (1023, PROOF_NOT_REFUTED, "proof-not-refuted", "ipamir", "6.4", \
          "The proof lacks the step after which no better solution can exist (VeriPB).")

#define REF_FIRST_PROOF_DEFECT 1001
#define REF_LAST_PROOF_DEFECT 1023

enum {
#define NUMBER(number, identifier, name, model, fault_class, text) REF_DEFECT_##identifier = number,
  REF_DEFECTS (NUMBER) REF_PROOF_DEFECTS (NUMBER)
#undef NUMBER
};

/* HAS (options, LOST_WATCH) tells whether this defect is planted in this solver. */
#define HAS(options, identifier) \
  __builtin_expect ((options)->defect == REF_DEFECT_##identifier || \
                      (options)->second == REF_DEFECT_##identifier, \
                    0)

struct ref_defect {
  int32_t number;
  const char *name, *model, *fault_class, *text;
};

int32_t ref_defect_count (void);
int32_t ref_proof_defect_count (void);
const struct ref_defect *ref_defect (int32_t index); /* from 0; those of proofs follow the others */

#pragma GCC visibility pop

#endif
