// PicoSAT: IPASIR over picosat.h.
//
// A decision limit is not used, so solve answers unless the callback says stop.
// With partial=true, val asks picosat_deref_partial, which leaves variables
// open that the original clauses do not need.
#include "ipasir.hpp"

// The header does not say so itself.
extern "C" {
#include <picosat/picosat.h>
}

namespace {

class PicoSat : public adapter::Solver {
  ::PicoSAT *solver = picosat_init ();
  bool partial = false;

  static int interrupted (void *self) { return static_cast<PicoSat *> (self)->should_stop (); }

public:
  PicoSat () { picosat_set_interrupt (solver, this, interrupted); }
  ~PicoSat () override { picosat_reset (solver); }

  void variable (int number) override { picosat_adjust (solver, number); }

  void add (const std::vector<int> &clause) override
  {
    for (int literal : clause) picosat_add (solver, literal);
    picosat_add (solver, 0);
  }

  void assume (int literal) override { picosat_assume (solver, literal); }

  adapter::Answer solve (const std::vector<int> &) override
  {
    if (should_stop ()) { // PicoSAT asks during the search only
      picosat_sat (solver, 0);
      return adapter::Interrupted;
    }
    return adapter::Answer (picosat_sat (solver, -1));
  }

  int value (int variable) override
  {
    return partial ? picosat_deref_partial (solver, variable) : picosat_deref (solver, variable);
  }

  bool failed (int literal) override { return picosat_failed_assumption (solver, literal); }

  bool set (const std::string &name, const std::string &value) override
  {
    int number = 0;
    bool flag = false;
    if (name == "seed" && adapter::read (value, number))
      return picosat_set_seed (solver, unsigned (number)), true;
    if (name == "phase" && adapter::read (value, number) && 0 <= number && number <= 3)
      return picosat_set_global_default_phase (solver, number), true;
    if (name == "plain" && adapter::read (value, flag)) return picosat_set_plain (solver, flag), true;
    if (name == "partial" && adapter::read (value, flag)) {
      if (flag) picosat_save_original_clauses (solver);
      return partial = flag, true;
    }
    return false;
  }

  void havoc (uint64_t value, bool answered, const std::vector<int> &assumptions) override
  {
    const int named = int (names.size ()) - 1;
    const int some = named ? 1 + int (value / 8 % unsigned (named)) : 0;
    switch (value % 8) {
    case 0: picosat_reset_phases (solver); return;
    case 1: picosat_reset_scores (solver); return;
    case 2:
      if (some) picosat_set_more_important_lit (solver, some);
      return;
    case 3:
      if (some) picosat_set_less_important_lit (solver, -some);
      return;
    case 4:
      if (some) picosat_set_default_phase_lit (solver, some, value & 64 ? 1 : -1);
      return;
    default: break;
    }
    if (answered) return;
    switch (value % 8) {
    case 5: picosat_remove_learned (solver, unsigned (value / 8 % 101)); return;
    case 6:
      picosat_simplify (solver);
      break;
    default:
      if (!assumptions.empty ()) return; // a context is opened before anything is assumed
      picosat_push (solver);
      picosat_pop (solver);
      break;
    }
  }
};

} // namespace

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<PicoSat> (); }

const char *adapter::signature ()
{
  static const std::string name = std::string ("picosat-") + picosat_version ();
  return name.c_str ();
}

const char *adapter::description ()
{
  return "model ipasir\n"
         "lacks learn\n"
         "option seed int 0 1000000 0 when=start\n"
         "option phase int 0 3 2 when=start # 0 false, 1 true, 2 by occurrences, 3 random\n"
         "option plain bool false when=start # without preprocessing of failed literals\n"
         "option partial bool false when=start # values by picosat_deref_partial\n";
}
