/* Literals inside the solver: variables are 0, 1, 2, ...; a literal is twice its
 * variable, plus one when it is negative. */
#ifndef REF_LITERAL_H
#define REF_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

typedef int32_t ref_lit;

enum { REF_NONE = -1 }; /* no literal, clause or variable */

/* The answers of a solve, as the interfaces number them. */
enum {
  REF_INTERRUPTED = 0,
  REF_SATISFIABLE = 10,
  REF_UNSATISFIABLE = 20,
  REF_OPTIMUM = 30,
  REF_ERROR = 40
};

static inline ref_lit ref_literal (int32_t variable, bool negative) {
  return 2 * variable + negative;
}

static inline ref_lit ref_negate (ref_lit literal) { return literal ^ 1; }

static inline int32_t ref_variable_of (ref_lit literal) { return literal >> 1; }

static inline bool ref_is_negative (ref_lit literal) { return literal & 1; }

#endif
