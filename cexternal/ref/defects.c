#include "defects.h"

static const struct ref_defect defects[] = {
#define ROW(number, identifier, name, model, fault_class, text) \
  {number, name, model, fault_class, text},
  REF_DEFECTS (ROW)
#undef ROW
};

_Static_assert(sizeof defects / sizeof *defects == REF_LAST_DEFECT,
               "REF_LAST_DEFECT is the last number");

int32_t ref_defect_count (void) { return REF_LAST_DEFECT; }

const struct ref_defect *ref_defect (int32_t index) { return defects + index; }
