#include "defects.h"

static const struct ref_defect defects[] = {
#define ROW(number, identifier, name, model, fault_class, text) \
  {number, name, model, fault_class, text},
  REF_DEFECTS (ROW) REF_PROOF_DEFECTS (ROW)
#undef ROW
};

enum { COUNT = sizeof defects / sizeof *defects };
_Static_assert(COUNT - (REF_LAST_PROOF_DEFECT - REF_FIRST_PROOF_DEFECT + 1) == REF_LAST_DEFECT,
               "REF_LAST_DEFECT and REF_LAST_PROOF_DEFECT are the last numbers");

int32_t ref_defect_count (void) { return REF_LAST_DEFECT; }

int32_t ref_proof_defect_count (void) { return COUNT - REF_LAST_DEFECT; }

const struct ref_defect *ref_defect (int32_t index) { return defects + index; }
