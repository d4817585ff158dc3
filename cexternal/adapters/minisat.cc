// MiniSat: IPASIR over Minisat::Solver, or over Minisat::SimpSolver when SIMP is
// defined.
//
// MiniSat has no callback: while one is set, the search runs in slices of a thousand
// conflicts, and the callback is asked before each.
//
// SimpSolver does not allow new clauses over eliminated variables, but IPASIR does. So
// every variable is frozen, which leaves subsumption. With elimination=true none is
// frozen, and when an eliminated variable is used again, a new solver with all
// clauses so far replaces the old one.
#include "ipasir.hpp"

#ifdef SIMP
#include <minisat/simp/SimpSolver.h>
typedef Minisat::SimpSolver Engine;
#else
#include <minisat/core/Solver.h>
typedef Minisat::Solver Engine;
#endif

namespace {

using Minisat::lbool;

Minisat::Lit to_engine (int literal) {
  return Minisat::mkLit (std::abs (literal) - 1, literal < 0);
}

class MiniSat : public adapter::Solver {
  std::unique_ptr<Engine> engine = std::make_unique<Engine> ();
  std::vector<std::pair<std::string, std::string>> settings; // for a new engine
  std::vector<std::vector<int>> clauses;                     // likewise, with elimination=true
  bool elimination = false;

  void give (const std::vector<int> &clause) {
    Minisat::vec<Minisat::Lit> given;
    for (int literal : clause) given.push (to_engine (literal));
    engine->addClause_ (given);
  }

  void create (int number) {
    while (engine->nVars () < number) {
      const Minisat::Var created = engine->newVar ();
      (void) created;
#ifdef SIMP
      engine->setFrozen (created, !elimination);
#endif
    }
  }

  void revive (const std::vector<int> &literals) {
#ifdef SIMP
    bool gone = false;
    for (int literal : literals) gone |= engine->isEliminated (std::abs (literal) - 1);
    if (!gone) return;
    const int count = engine->nVars ();
    engine = std::make_unique<Engine> ();
    for (const auto &setting : settings) configure (setting.first, setting.second);
    create (count);
    for (const auto &clause : clauses) give (clause);
#else
    (void) literals;
#endif
  }

  bool configure (const std::string &name, const std::string &value) {
    using adapter::read;
    if (name == "var_decay") return read (value, engine->var_decay);
    if (name == "clause_decay") return read (value, engine->clause_decay);
    if (name == "random_var_freq") return read (value, engine->random_var_freq);
    if (name == "random_seed") return read (value, engine->random_seed);
    if (name == "luby_restart") return read (value, engine->luby_restart);
    if (name == "ccmin_mode") return read (value, engine->ccmin_mode);
    if (name == "phase_saving") return read (value, engine->phase_saving);
    if (name == "rnd_pol") return read (value, engine->rnd_pol);
    if (name == "rnd_init_act") return read (value, engine->rnd_init_act);
    if (name == "garbage_frac") return read (value, engine->garbage_frac);
    if (name == "restart_first") return read (value, engine->restart_first);
    if (name == "restart_inc") return read (value, engine->restart_inc);
    if (name == "learntsize_factor") return read (value, engine->learntsize_factor);
    if (name == "learntsize_inc") return read (value, engine->learntsize_inc);
#ifdef SIMP
    if (name == "grow") return read (value, engine->grow);
    if (name == "clause_lim") return read (value, engine->clause_lim);
    if (name == "subsumption_lim") return read (value, engine->subsumption_lim);
    if (name == "use_asymm") return read (value, engine->use_asymm);
    if (name == "use_rcheck") return read (value, engine->use_rcheck);
    if (name == "elimination") return read (value, elimination);
#endif
    return false;
  }

public:
  void variable (int number) override { create (number); }

  void add (const std::vector<int> &clause) override {
    revive (clause);
    if (elimination) clauses.push_back (clause);
    give (clause);
  }

  adapter::Answer solve (const std::vector<int> &assumptions) override {
    revive (assumptions);
    Minisat::vec<Minisat::Lit> given;
    for (int literal : assumptions) given.push (to_engine (literal));
    lbool answer = l_Undef;
    do {
      if (should_stop ()) return adapter::Interrupted;
      if (has_terminate ())
        engine->setConfBudget (1000);
      else
        engine->budgetOff ();
      answer = engine->solveLimited (given);
    } while (answer == l_Undef);
    return answer == l_True ? adapter::Satisfiable : adapter::Unsatisfiable;
  }

  int value (int variable) override {
    if (variable > engine->model.size ()) return 0;
    const lbool value = engine->model[variable - 1];
    return value == l_True ? 1 : value == l_False ? -1 : 0;
  }

  bool failed (int literal) override {
    for (int i = 0; i < engine->conflict.size (); i++)
      if (engine->conflict[i] == to_engine (-literal)) return true;
    return false;
  }

  bool set (const std::string &name, const std::string &value) override {
    settings.emplace_back (name, value);
    return configure (name, value);
  }

  void havoc (uint64_t value, bool, const std::vector<int> &assumptions) override {
    (void) assumptions;
    switch (value % 4) {
    case 0: engine->simplify (); return;
    case 1: engine->garbageCollect (); return;
    case 2: engine->checkGarbage (0); return;
    default: break;
    }
    if (engine->nVars ()) {
      const int some = int (value / 8 % unsigned (engine->nVars ()));
      engine->setPolarity (some, value & 4 ? l_True : l_False);
    }
  }
};

} // namespace

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<MiniSat> (); }

const char *adapter::signature () {
#ifdef SIMP
  return "minisat-2.2-simp";
#else
  return "minisat-2.2-core";
#endif
}

const char *adapter::description () {
  return "model ipasir\n"
         "lacks learn\n"
         "option var_decay real 0.5 0.999 0.95 when=start\n"
         "option clause_decay real 0.5 0.9999 0.999 when=start\n"
         "option random_var_freq real 0 1 0 when=start\n"
         "option random_seed real 1 1000000000 91648253 when=start\n"
         "option luby_restart bool true when=start\n"
         "option ccmin_mode int 0 2 2 when=start\n"
         "option phase_saving int 0 2 2 when=start\n"
         "option rnd_pol bool false when=start\n"
         "option rnd_init_act bool false when=start\n"
         "option garbage_frac real 0.01 1 0.2 when=start\n"
         "option restart_first int 1 1000 100 when=start\n"
         // MiniSat accepts all values above 1. With 1.01, restart_first=1 and few learned clauses
         // it restarts after each conflict and never terminates.
         "option restart_inc real 1.5 4 2 when=start\n"
         "option learntsize_factor real 0.01 2 0.333 when=start\n"
         "option learntsize_inc real 1.01 2 1.1 when=start\n"
#ifdef SIMP
         "option grow int 0 100 0 when=start\n"
         "option clause_lim int -1 100 20 when=start\n"
         "option subsumption_lim int -1 1000 1000 when=start\n"
         "option use_asymm bool false when=start\n"
         "option use_rcheck bool false when=start\n"
         "option elimination bool false when=start # variables are not frozen\n"
#endif
    ;
}
