/* Model-improving MaxSAT: demand less than the best cost so far until there is no such
 * solution. Adders compute the cost as a binary number, so weights may be as large
 * as the interface allows, but propagation is weak: with two dozen soft literals, the last
 * proof may take millions of conflicts. So the search gives up early. */
#include "adder.h"
#include "defects.h"
#include "maxsat.h"

enum { MOST_CONFLICTS = 2000 };

int ref_maxsat_improve (struct ref_maxsat *maxsat) {
  struct ref_sat *sat = &maxsat->sat;
  if (maxsat->cost == maxsat->constant) return REF_OPTIMUM;
  ref_lit digits[REF_ADDER_BITS];
  ref_adder_build (maxsat, digits);
  sat->give_up_at = sat->conflicts + MOST_CONFLICTS;
  for (int improvements = 0; maxsat->cost > maxsat->constant; improvements++) {
    if (HAS (maxsat->options, ONE_IMPROVEMENT_EARLY) && improvements == 1)
      return REF_OPTIMUM; /* DEFECT */
    uint64_t before = maxsat->cost;
    uint64_t demanded = before - maxsat->constant - 1;
    if (HAS (maxsat->options, BOUND_TOO_TIGHT) && demanded > 0)
      demanded--; /* DEFECT: subtracts 1 twice */
    ref_adder_at_most (sat, digits, demanded);
    int answer = ref_sat_solve (sat);
    if (answer == REF_INTERRUPTED)
      return sat->conflicts < sat->give_up_at ? REF_SATISFIABLE : REF_INTERRUPTED;
    if (answer == REF_UNSATISFIABLE) return REF_OPTIMUM;
    ref_maxsat_record (maxsat);
    ref_maxsat_require (maxsat, maxsat->cost < before, "the next model is better");
    if (maxsat->cost >= before) return REF_OPTIMUM;
  }
  return REF_OPTIMUM;
}
