// cvc5 as a SAT engine: IPASIR over Boolean constants of its C++ interface.
//
// cvc5 has a time limit but no callback, so it lacks terminate. It is a hundred times
// slower than a SAT solver, because every clause becomes a term and passes its
// preprocessing.
#include "ipasir.hpp"

#include <algorithm>
#include <cvc5/cvc5.h>

namespace {

class Cvc5 : public adapter::Solver {
  cvc5::Solver engine;
  std::vector<cvc5::Term> terms{cvc5::Term ()};
  std::vector<cvc5::Term> blamed;
  bool started = false;

  // The logic is set late, because options must come first.
  void start () {
    if (started) return;
    engine.setOption ("incremental", "true");
    engine.setOption ("produce-models", "true");
    engine.setOption ("produce-unsat-assumptions", "true");
    engine.setLogic ("QF_UF");
    started = true;
  }

  cvc5::Term literal (int literal) {
    const cvc5::Term &variable = terms[size_t (std::abs (literal))];
    return literal < 0 ? variable.notTerm () : variable;
  }

public:
  void variable (int number) override {
    start ();
    terms.push_back (engine.mkConst (engine.getBooleanSort (), "x" + std::to_string (number)));
  }

  void add (const std::vector<int> &clause) override {
    start ();
    std::vector<cvc5::Term> given;
    for (int l : clause) given.push_back (literal (l));
    if (given.empty ()) given.push_back (engine.mkFalse ());
    engine.assertFormula (given.size () == 1 ? given[0] : engine.mkTerm (cvc5::OR, given));
  }

  adapter::Answer solve (const std::vector<int> &assumptions) override {
    start ();
    std::vector<cvc5::Term> given;
    for (int l : assumptions) given.push_back (literal (l));
    const cvc5::Result result =
      given.empty () ? engine.checkSat () : engine.checkSatAssuming (given);
    blamed.clear ();
    if (result.isUnsat () && !given.empty ()) blamed = engine.getUnsatAssumptions ();
    return result.isSat ()     ? adapter::Satisfiable
           : result.isUnsat () ? adapter::Unsatisfiable
                               : adapter::Interrupted;
  }

  int value (int variable) override {
    return engine.getValue (terms[size_t (variable)]).getBooleanValue () ? 1 : -1;
  }

  bool failed (int l) override {
    return std::find (blamed.begin (), blamed.end (), literal (l)) != blamed.end ();
  }

  bool set (const std::string &name, const std::string &value) override {
    try {
      engine.setOption (name, value);
    } catch (const cvc5::CVC5ApiException &problem) {
      adapter::mistake ("the description has a value that cvc5 refuses: " + problem.getMessage ());
    }
    return true;
  }
};

} // namespace

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<Cvc5> (); }

const char *adapter::signature () { return "cvc5"; }

const char *adapter::description () {
  return "model ipasir\n"
         "lacks terminate\n"
         "lacks learn\n"
         "option decision choice internal|justification|stoponly internal when=start\n"
         "option simplification choice batch|none batch when=start\n"
         "option random-freq real 0 1 0 when=start\n"
         "option restart-int-base int 1 1000 25 when=start\n"
         "option sat-random-seed int 0 1000000 0 when=start\n"
         "option repeat-simp bool false when=start\n";
}
