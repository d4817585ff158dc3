#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "burdens.h"
#include "defects.h"

const struct ref_options ref_default_options = {
  .reduce = 2000,
  .restart = true,
  .minimize = true,
};

#define TEXT(x) #x
#define TEXT_OF(x) TEXT (x)
#define LAST_DEFECT TEXT_OF (REF_LAST_PROOF_DEFECT)

/* 'fixed' keeps generators from changing the planted defect, the proof and the burden: a target has
 * the same for a whole campaign. The policies are promises beyond the standard. */
const char *ref_describe (void) {
  return "option maxsat choice core-guided|model-improving core-guided when=start\n"
         "option restart bool true when=start\n"
         "option phase bool false when=start\n"
         "option minimize bool true when=start\n"
         "option reduce int 10 100000 2000 when=start\n"
         "option seed int 0 1000000 0 when=start\n"
         "fixed defect int 0 " LAST_DEFECT " 0\n"
         "fixed second int 0 " LAST_DEFECT " 0\n"
         "fixed proof choice none|drat|lrat|idrup|veripb none when=start\n"
         "fixed burden choice none|tables|slow|memory|hangs|vectors none\n"
         "policy failed-non-assumption=zero\n"
         "policy terminate-stop=prompt\n"
         "policy unseen-val=zero\n"
         "policy weight=below-2^64\n";
}

static int parse_bool (const char *text, bool *value) {
  bool is_true = !strcmp (text, "true") || !strcmp (text, "1");
  if (!is_true && strcmp (text, "false") != 0 && strcmp (text, "0") != 0) return 1;
  *value = is_true;
  return 0;
}

static int parse_int (const char *text, long low, long high, int32_t *value) {
  char *end;
  errno = 0;
  long number = strtol (text, &end, 10);
  if (end == text || *end || errno || number < low || number > high) return 1;
  *value = (int32_t) number;
  return 0;
}

static int parse_engine (const char *text, bool *improving) {
  bool is_improving = !strcmp (text, "model-improving");
  if (!is_improving && strcmp (text, "core-guided") != 0) return 1;
  *improving = is_improving;
  return 0;
}

static int parse_proof (const char *text, int32_t *proof) {
  static const char *const names[] = {"none", "lrat", "drat", "idrup", "veripb"};
  for (int32_t i = 0; i < (int32_t) (sizeof names / sizeof *names); i++)
    if (!strcmp (text, names[i])) {
      *proof = i;
      return 0;
    }
  return 1;
}

static int parse_defect (const char *text, int32_t *defect) {
  for (int32_t i = 0; i < ref_defect_count () + ref_proof_defect_count (); i++)
    if (!strcmp (text, ref_defect (i)->name)) {
      *defect = ref_defect (i)->number;
      return 0;
    }
  return parse_int (text, 0, REF_LAST_PROOF_DEFECT, defect);
}

static int parse_burden (const char *text, int32_t *burden) {
  static const char *const names[] = {
    [REF_BURDEN_NONE] = "none",   [REF_BURDEN_TABLES] = "tables",
    [REF_BURDEN_SLOW] = "slow",   [REF_BURDEN_MEMORY] = "memory",
    [REF_BURDEN_HANGS] = "hangs", [REF_BURDEN_VECTORS] = "vectors",
  };
  for (int32_t i = 0; i < (int32_t) (sizeof names / sizeof *names); i++)
    if (!strcmp (text, names[i])) {
      *burden = i;
      return 0;
    }
  return 1;
}

int ref_set_option (struct ref_options *options, const char *name, const char *value) {
  if (!name || !value) return 1;
  if (!strcmp (name, "maxsat")) return parse_engine (value, &options->improving);
  if (!strcmp (name, "restart")) return parse_bool (value, &options->restart);
  if (!strcmp (name, "phase")) return parse_bool (value, &options->phase);
  if (!strcmp (name, "minimize")) return parse_bool (value, &options->minimize);
  if (!strcmp (name, "reduce")) return parse_int (value, 10, 100000, &options->reduce);
  if (!strcmp (name, "seed")) return parse_int (value, 0, 1000000, &options->seed);
  if (!strcmp (name, "proof")) return parse_proof (value, &options->proof);
  if (!strcmp (name, "defect")) {
    const int refused = parse_defect (value, &options->defect);
    ref_allocation_defect = options->defect;
    return refused;
  }
  if (!strcmp (name, "second")) return parse_defect (value, &options->second);
  if (!strcmp (name, "burden")) return parse_burden (value, &options->burden);
  return 1;
}
