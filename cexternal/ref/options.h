/* The options of the library, for both models. All are set right after init. */
#ifndef REF_OPTIONS_H
#define REF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct ref_options {
  int32_t defect; /* number of the planted defect, 0: healthy (defects.h) */
  int32_t second; /* another one beside it, which it may hide */
  int32_t reduce; /* conflicts until learned clauses are first reduced */
  int32_t seed;   /* breaks ties among variables; 0: in the order of their use */
  bool restart;   /* restart the search now and then */
  bool phase;     /* the value that a decision tries first */
  bool minimize;  /* drop redundant literals from learned clauses */
  bool improving; /* MaxSAT by ever better models instead of by cores */
};

extern const struct ref_options ref_default_options;

/* 0: taken. Non-zero: no such option or no such value; nothing changed. */
int ref_set_option (struct ref_options *options, const char *name, const char *value);

/* The options as text, one a line, as apimodel.ParseDescription reads them. */
const char *ref_describe (void);

#pragma GCC visibility pop

#endif
