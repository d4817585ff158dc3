// CryptoMiniSat: IPASIR over CMSat::SATSolver.
//
// Only another thread can interrupt it, through a flag; watch.hpp does that while a
// callback is set. The library itself restores eliminated variables that are used
// again. There is no option for set_greedy_undef, because the library says that it
// is broken.
#include "ipasir.hpp"
#include "watch.hpp"

#include <cryptominisat5/cryptominisat.h>

namespace {

CMSat::Lit to_engine (int literal) {
  return CMSat::Lit (unsigned (std::abs (literal) - 1), literal < 0);
}

std::vector<CMSat::Lit> to_engine (const std::vector<int> &literals) {
  std::vector<CMSat::Lit> converted;
  for (int literal : literals) converted.push_back (to_engine (literal));
  return converted;
}

class CryptoMiniSat : public adapter::Solver {
  std::atomic<bool> stop{false};
  CMSat::SATSolver engine{nullptr, &stop};

public:
  void variable (int) override { engine.new_var (); }
  void add (const std::vector<int> &clause) override { engine.add_clause (to_engine (clause)); }

  adapter::Answer solve (const std::vector<int> &assumptions) override {
    const std::vector<CMSat::Lit> given = to_engine (assumptions);
    stop = false;
    if (should_stop ()) return adapter::Interrupted;
    CMSat::lbool answer;
    if (has_terminate ()) {
      adapter::Watch watch ([this] { return should_stop (); }, [this] { stop = true; });
      answer = engine.solve (&given);
    } else
      answer = engine.solve (&given);
    return answer == CMSat::l_True    ? adapter::Satisfiable
           : answer == CMSat::l_False ? adapter::Unsatisfiable
                                      : adapter::Interrupted;
  }

  int value (int variable) override {
    const std::vector<CMSat::lbool> &model = engine.get_model ();
    if (size_t (variable) > model.size ()) return 0;
    const CMSat::lbool value = model[size_t (variable) - 1];
    return value == CMSat::l_True ? 1 : value == CMSat::l_False ? -1 : 0;
  }

  bool failed (int literal) override {
    for (CMSat::Lit blamed : engine.get_conflict ())
      if (blamed == to_engine (-literal)) return true;
    return false;
  }

  bool set (const std::string &name, const std::string &value) override {
    bool flag = false;
    int number = 0;
    if (name == "seed")
      return adapter::read (value, number) && (engine.set_seed (unsigned (number)), true);
    if (name == "min_bva_gain")
      return adapter::read (value, number) && (engine.set_min_bva_gain (unsigned (number)), true);
    if (!adapter::read (value, flag)) return false;
    if (name == "simplify") return engine.set_simplify (flag), true;
    if (name == "bve") return engine.set_bve (flag), true;
    if (name == "full_bve") return engine.set_full_bve (flag), true;
    if (name == "bva") return engine.set_bva (flag), true;
    if (name == "scc") return engine.set_scc (flag), true;
    if (name == "sls") return engine.set_sls (flag), true;
    if (name == "distill") return engine.set_distill (flag), true;
    if (name == "intree_probe") return engine.set_intree_probe (flag), true;
    if (name == "find_xors") return engine.set_find_xors (flag), true;
    if (name == "renumber") return engine.set_renumber (flag), true;
    if (name == "polarity") return engine.set_default_polarity (flag), true;
    if (name == "simplify_at_startup") return flag || (engine.set_no_simplify_at_startup (), true);
    return false;
  }

  void havoc (uint64_t value, bool answered, const std::vector<int> &assumptions) override {
    if (answered) return;
    const std::vector<CMSat::Lit> given = to_engine (assumptions);
    if (value % 4 == 0)
      engine.reset_vsids ();
    else
      engine.simplify (value % 4 == 1 ? &given : nullptr);
  }
};

} // namespace

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<CryptoMiniSat> (); }

const char *adapter::signature () {
  static const std::string name = std::string ("cryptominisat-") + CMSat::SATSolver::get_version ();
  return name.c_str ();
}

const char *adapter::description () {
  return "model ipasir\n"
         "lacks learn\n"
         "option seed int 0 1000000 0 when=start\n"
         "option simplify bool true when=start\n"
         "option simplify_at_startup bool true when=start\n"
         "option bve bool true when=start\n"
         "option full_bve bool false when=start\n"
         "option bva bool false when=start\n"
         "option min_bva_gain int 1 64 32 when=start\n"
         "option scc bool true when=start\n"
         "option sls bool true when=start\n"
         "option distill bool true when=start\n"
         "option intree_probe bool true when=start\n"
         "option find_xors bool true when=start\n"
         "option renumber bool true when=start\n"
         "option polarity bool false when=start\n";
}
