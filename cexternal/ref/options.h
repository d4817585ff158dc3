/* The options of the library, the same for every model. */
#ifndef REF_OPTIONS_H
#define REF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct ref_options {
  int32_t defect; /* number of the planted defect, 0: healthy (defects.h) */
  int32_t second; /* another defect, which the first may hide */
  int32_t burden; /* a way to be expensive (burdens.h) */
  int32_t reduce; /* conflicts before learned clauses are first reduced */
  int32_t proof;  /* its format, an enum ref_proof_format + 1; 0: none (proof.h) */
  int32_t seed;   /* breaks ties between variables; 0: by the order of first use */
  bool restart;   /* restart the search from time to time */
  bool phase;     /* the value that decisions try first */
  bool minimize;  /* drop redundant literals from learned clauses */
  bool improving; /* MaxSAT by improving models instead of by cores */
};

extern const struct ref_options ref_default_options;

/* Sets an option and returns 0; returns non-zero and changes nothing when the name
 * or the value is unknown. */
int ref_set_option (struct ref_options *options, const char *name, const char *value);

/* Returns the options as text, one per line, as apimodel.ParseDescription reads it. */
const char *ref_describe (void);

#pragma GCC visibility pop

#endif
