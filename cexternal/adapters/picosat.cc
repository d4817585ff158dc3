// PicoSAT: IPASIR over picosat.h.
//
// There is no decision limit, so solve answers unless the callback stops it. With
// partial=true, val calls picosat_deref_partial, which gives no value to variables
// that the original clauses do not need.
//
// Some functions are legal right after a solve only, but invalidate its values and
// failed assumptions. When havoc selects one, the call is delayed until the next call
// that invalidates them anyway. Variables come from picosat_inc_max_var, because
// contexts (picosat_push) use numbers of the same range.
//
// picosat_simplify aborts the process when the clauses are unsatisfiable or every
// variable is fixed; the adapter does not call it then.
#include "ipasir.hpp"

// picosat.h lacks the extern "C".
extern "C" {
#include <picosat/picosat.h>
}

namespace {

class PicoSat : public adapter::Solver {
  ::PicoSAT *solver = picosat_init ();
  std::vector<int> indices{0}; // PicoSAT's number of each variable
  bool partial = false, solved = false;
  uint64_t later = 0; // a delayed havoc

  int given (int literal) const {
    return literal < 0 ? -indices[size_t (-literal)] : indices[size_t (literal)];
  }

  bool may_simplify () {
    bool open = false;
    for (size_t i = 1; i < indices.size (); i++)
      open |= !picosat_deref_toplevel (solver, indices[i]);
    return open && !picosat_inconsistent (solver);
  }

  void leave_answers () {
    if (solved && later % 4 == 1 && may_simplify ()) picosat_simplify (solver);
    if (solved && later % 4 == 2) picosat_remove_learned (solver, unsigned (later / 4 % 101));
    if (later % 4 == 3) {
      picosat_push (solver);
      picosat_pop (solver);
    }
    if (solved || later % 4 == 3) later = 0;
    solved = false;
  }

  static int interrupted (void *self) { return static_cast<PicoSat *> (self)->should_stop (); }

public:
  PicoSat () { picosat_set_interrupt (solver, this, interrupted); }
  ~PicoSat () override { picosat_reset (solver); }

  void variable (int) override { indices.push_back (picosat_inc_max_var (solver)); }

  void add (const std::vector<int> &clause) override {
    leave_answers ();
    for (int literal : clause) picosat_add (solver, given (literal));
    picosat_add (solver, 0);
  }

  void assume (int literal) override {
    leave_answers ();
    picosat_assume (solver, given (literal));
  }

  adapter::Answer solve (const std::vector<int> &) override {
    solved = true;
    if (should_stop ()) { // PicoSAT asks during the search only
      picosat_sat (solver, 0);
      return adapter::Interrupted;
    }
    return adapter::Answer (picosat_sat (solver, -1));
  }

  int value (int variable) override {
    return partial ? picosat_deref_partial (solver, given (variable))
                   : picosat_deref (solver, given (variable));
  }

  bool failed (int literal) override { return picosat_failed_assumption (solver, given (literal)); }

  bool set (const std::string &name, const std::string &value) override {
    int number = 0;
    bool flag = false;
    if (name == "seed" && adapter::read (value, number))
      return picosat_set_seed (solver, unsigned (number)), true;
    if (name == "phase" && adapter::read (value, number) && 0 <= number && number <= 3)
      return picosat_set_global_default_phase (solver, number), true;
    if (name == "plain" && adapter::read (value, flag))
      return picosat_set_plain (solver, flag), true;
    if (name == "partial" && adapter::read (value, flag)) {
      if (flag) picosat_save_original_clauses (solver);
      return partial = flag, true;
    }
    return false;
  }

  void havoc (uint64_t value, bool, const std::vector<int> &assumptions) override {
    const int named = int (names.size ()) - 1;
    const int number = named ? 1 + int (value / 8 % unsigned (named)) : 0;
    const int some = given (number);
    switch (value % 8) {
    case 0: picosat_reset_phases (solver); return;
    case 1: picosat_reset_scores (solver); return;
    case 2: // odd variables become more important, even ones less: none can be both
      if (some && number % 2) picosat_set_more_important_lit (solver, some);
      if (some && number % 2 == 0) picosat_set_less_important_lit (solver, -some);
      return;
    case 3:
    case 4:
      if (some) picosat_set_default_phase_lit (solver, some, value & 1 ? 1 : -1);
      return;
    default: break;
    }
    if (assumptions.empty () && clause.empty ()) // a context must be opened before any assumption
      later = 4 * (value / 8) + (value % 8 - 4);
  }
};

} // namespace

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<PicoSat> (); }

const char *adapter::signature () {
  static const std::string name = std::string ("picosat-") + picosat_version ();
  return name.c_str ();
}

const char *adapter::description () {
  return "model ipasir\n"
         "lacks learn\n"
         "option seed int 0 1000000 0 when=start\n"
         "option phase int 0 3 2 when=start # 0 false, 1 true, 2 by occurrences, 3 random\n"
         "option plain bool false when=start # without preprocessing of failed literals\n"
         "option partial bool false when=start # values by picosat_deref_partial\n";
}
