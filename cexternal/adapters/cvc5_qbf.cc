// cvc5 as a QBF solver: quantified Booleans through its C++ interface. A formula is
// asserted as qbf.hpp poses it, with the variables of the outermost block as constants.
//
// Options of the adapter:
//   strategy     finite-model-find, mbqi, cegqi-all, full-saturate-quant: the option of
//                cvc5 that makes it decide such formulas. Without any it gives up on most.
//   object       what gets a new object of cvc5: every solve, every solver (its solves are
//                between push and pop), or the process.
// The other options are cvc5's. It has a time limit but no callback, so it lacks terminate.
#include "qbf.hpp"

#include <cstdio>

#include <cvc5/cvc5.h>

namespace {

class Cvc5Engine : public adapter::Engine {
  struct Objects {
    cvc5::Solver solver;
    std::map<int, cvc5::Term> constants;
  };
  std::unique_ptr<Objects> own, *kept = &own;
  std::map<int, bool> values;
  std::set<int> blamed;

  void open () {
    static std::unique_ptr<Objects> *of_process;
    const std::string object = choice ("object", "solve");
    if (object == "process" && !of_process) of_process = new std::unique_ptr<Objects>;
    kept = object == "process" ? of_process : &own;
    if (object == "solve") kept->reset ();
    if (*kept) return;
    kept->reset (new Objects);
    cvc5::Solver &solver = (*kept)->solver;
    for (const char *wanted : {"incremental", "produce-models", "produce-unsat-assumptions"})
      solver.setOption (wanted, "true");
    solver.setOption (choice ("strategy", "finite-model-find"), "true");
    for (const auto &setting : settings) solver.setOption (setting.first, setting.second);
    solver.setLogic ("UF");
  }

  cvc5::Solver &solver () { return (*kept)->solver; }

  cvc5::Term literal (int literal) {
    cvc5::Term &variable = (*kept)->constants[std::abs (literal)];
    if (variable.isNull ())
      variable =
        solver ().mkConst (solver ().getBooleanSort (), "x" + std::to_string (std::abs (literal)));
    return literal < 0 ? variable.notTerm () : variable;
  }

  cvc5::Term joined (cvc5::Kind kind, const std::vector<cvc5::Term> &terms) {
    if (terms.empty ()) return solver ().mkBoolean (kind == cvc5::AND);
    return terms.size () == 1 ? terms[0] : solver ().mkTerm (kind, terms);
  }

  cvc5::Term sentence (const adapter::Game &game) {
    std::map<int, cvc5::Term> bound;
    for (const auto &block : game.inner)
      for (int v : block.variables)
        bound[v] = solver ().mkVar (solver ().getBooleanSort (), "x" + std::to_string (v));
    std::vector<cvc5::Term> clauses;
    for (const auto *clause : game.clauses) {
      std::vector<cvc5::Term> literals;
      for (int l : *clause) {
        const auto found = bound.find (std::abs (l));
        literals.push_back (found == bound.end () ? literal (l)
                            : l < 0               ? found->second.notTerm ()
                                                  : found->second);
      }
      clauses.push_back (joined (cvc5::OR, literals));
    }
    cvc5::Term made = joined (cvc5::AND, clauses);
    for (auto block = game.inner.rbegin (); block != game.inner.rend (); ++block) {
      std::vector<cvc5::Term> variables;
      for (int v : block->variables) variables.push_back (bound[v]);
      made = solver ().mkTerm (block->universal ? cvc5::FORALL : cvc5::EXISTS,
                               {solver ().mkTerm (cvc5::VARIABLE_LIST, variables), made});
    }
    return game.universal ? made.notTerm () : made;
  }

  adapter::Answer ask (const adapter::Game &game) {
    solver ().assertFormula (sentence (game));
    std::vector<cvc5::Term> given;
    for (int l : game.assumptions) given.push_back (literal (l));
    const cvc5::Result result =
      given.empty () ? solver ().checkSat () : solver ().checkSatAssuming (given);
    if (result.isSat ()) {
      for (int v : game.outer) values[v] = solver ().getValue (literal (v)).getBooleanValue ();
      return adapter::Wins;
    }
    if (result.isUnsat ()) {
      if (given.empty ()) return adapter::Loses;
      const std::vector<cvc5::Term> core = solver ().getUnsatAssumptions ();
      for (int l : game.assumptions)
        if (std::find (core.begin (), core.end (), literal (l)) != core.end ()) blamed.insert (l);
      return adapter::Loses;
    }
    std::fprintf (stderr, "cvc5: unknown: %s\n", result.toString ().c_str ());
    return adapter::Unknown;
  }

public:
  adapter::Answer solve (const adapter::Game &game) override {
    values.clear ();
    blamed.clear ();
    adapter::Answer answer = adapter::Unknown;
    try {
      open ();
      solver ().push ();
      answer = ask (game);
      solver ().pop ();
    } catch (const cvc5::CVC5ApiException &problem) {
      std::fprintf (stderr, "cvc5: error: %s\n", problem.what ());
      kept->reset ();
    }
    return answer;
  }

  bool value (int variable) override { return values[variable]; }
  bool failed (int l) override { return blamed.count (l) > 0; }
};

} // namespace

std::unique_ptr<adapter::Engine> adapter::make () { return std::make_unique<Cvc5Engine> (); }

const char *adapter::signature () { return "cvc5"; }

const char *adapter::description () {
  return "model qbf\n"
         "lacks terminate\n"
         "fixed strategy choice finite-model-find|mbqi|cegqi-all|full-saturate-quant "
         "finite-model-find when=start\n"
         "fixed object choice solve|solver|process solve when=start\n"
         "option prenex-quant choice none|simple|norm simple when=start\n"
         "option miniscope-quant choice off|conj|fv|conj-and-fv|agg conj-and-fv when=start\n"
         "option pre-skolem-quant choice off|on|agg off when=start\n"
         "option ext-rewrite-quant bool false when=start\n"
         "option macros-quant bool false when=start\n"
         "option sat-random-seed int 0 1000000 0 when=start\n";
}
