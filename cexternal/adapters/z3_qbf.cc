// Z3 as a QBF solver: quantified Booleans through its C++ API. A formula is asserted as
// qbf.hpp poses it, with the variables of the outermost block as constants.
//
// Options of the adapter:
//   engine       solver: the one that Z3 chooses. smt: its core for quantifiers, with
//                model-based instantiation. qsat: the tactic that plays the game of the
//                quantifiers. elimination: the tactic qe, then smt. Tactics give no
//                cores: assumptions are asserted, and an answer rests on all of them.
//   object       what gets a new object of Z3: every solve, every solver (its solves are
//                between push and pop), or the process. A context takes a millisecond;
//                it is made for every solver or for the process.
// The other options are parameters of its core (engine smt) with the same names.
//
// While a callback is set, watch.hpp stops the check by Z3_interrupt.
#define ADAPTER_TERMINATES
#include "qbf.hpp"

#include <cstdio>

#include <z3++.h>

#include "watch.hpp"

namespace {

class Z3Engine : public adapter::Engine {
  // What is made for every solver, or for the process.
  struct Objects {
    z3::context context;
    std::unique_ptr<z3::solver> solver;
  };
  std::unique_ptr<Objects> own;
  Objects *objects = nullptr;
  std::map<int, bool> values;
  std::set<int> blamed;

  std::string engine () const { return choice ("engine", "solver"); }
  bool plays_tactic () const { return engine () == "qsat" || engine () == "elimination"; }

  z3::expr literal (int literal) {
    const z3::symbol name = objects->context.int_symbol (std::abs (literal));
    const z3::expr variable = objects->context.constant (name, objects->context.bool_sort ());
    return literal < 0 ? !variable : variable;
  }

  z3::solver made () {
    z3::context &context = objects->context;
    if (engine () == "qsat")
      return (z3::tactic (context, "simplify") & z3::tactic (context, "qsat")).mk_solver ();
    if (engine () == "elimination")
      return (z3::tactic (context, "qe") & z3::tactic (context, "smt")).mk_solver ();
    return engine () == "smt" ? z3::solver (context, z3::solver::simple ()) : z3::solver (context);
  }

  void open () {
    static Objects *of_process;
    const std::string object = choice ("object", "solve");
    if (object == "process" && !of_process) of_process = new Objects;
    if (object != "process" && !own) own.reset (new Objects);
    objects = object == "process" ? of_process : own.get ();
    if (object == "solve") objects->solver.reset ();
    if (objects->solver) return;
    objects->solver.reset (new z3::solver (made ()));
    if (engine () != "smt") return;
    z3::solver &solver = *objects->solver;
    for (const auto &parameter : settings) {
      const std::string &value = parameter.second;
      if (value == "true" || value == "false")
        solver.set (parameter.first.c_str (), value == "true");
      else
        solver.set (parameter.first.c_str (),
                    unsigned (std::strtoul (value.c_str (), nullptr, 10)));
    }
  }

  z3::expr sentence (const adapter::Game &game) {
    z3::expr_vector clauses (objects->context);
    for (const auto *clause : game.clauses) {
      z3::expr_vector literals (objects->context);
      for (int l : *clause) literals.push_back (literal (l));
      clauses.push_back (z3::mk_or (literals));
    }
    z3::expr made = z3::mk_and (clauses);
    for (auto block = game.inner.rbegin (); block != game.inner.rend (); ++block) {
      z3::expr_vector bound (objects->context);
      for (int v : block->variables) bound.push_back (literal (v));
      made = block->universal ? z3::forall (bound, made) : z3::exists (bound, made);
    }
    return game.universal ? !made : made;
  }

  z3::check_result check (z3::expr_vector &given, bool &stopped) {
    stopped = stop_callback && stop_callback (stop_state);
    if (stopped) return z3::unknown;
    z3::solver *const solver = objects->solver.get ();
    if (!stop_callback) return solver->check (given);
    adapter::Watch watch ([this] { return stop_callback (stop_state) != 0; },
                          [this] { objects->context.interrupt (); });
    const z3::check_result answer = solver->check (given);
    stopped = watch.end ();
    if (stopped) take_interruption ();
    return answer;
  }

  // A late interruption would stop the next call. A check clears it, so this makes one.
  void take_interruption () { z3::solver (objects->context).check (); }

  adapter::Answer ask (const adapter::Game &game) {
    z3::solver *const solver = objects->solver.get ();
    solver->add (sentence (game));
    z3::expr_vector given (objects->context);
    for (int l : game.assumptions)
      if (plays_tactic ())
        solver->add (literal (l));
      else
        given.push_back (literal (l));
    bool stopped = false;
    const z3::check_result found = check (given, stopped);
    if (found == z3::sat && !stopped) {
      const z3::model model = solver->get_model ();
      for (int v : game.outer) values[v] = model.eval (literal (v), true).is_true ();
      return adapter::Wins;
    }
    if (found == z3::unsat && plays_tactic ()) {
      blamed.insert (game.assumptions.begin (), game.assumptions.end ());
      return adapter::Loses;
    }
    if (found == z3::unsat) {
      const z3::expr_vector core = solver->unsat_core ();
      for (unsigned i = 0; i < core.size (); i++)
        for (int l : game.assumptions)
          if (z3::eq (core[int (i)], literal (l))) blamed.insert (l);
      return adapter::Loses;
    }
    if (!stopped) std::fprintf (stderr, "z3: unknown: %s\n", solver->reason_unknown ().c_str ());
    return adapter::Unknown;
  }

public:
  adapter::Answer solve (const adapter::Game &game) override {
    values.clear ();
    blamed.clear ();
    adapter::Answer answer = adapter::Unknown;
    try {
      open ();
      objects->solver->push ();
      answer = ask (game);
      objects->solver->pop ();
    } catch (const z3::exception &problem) {
      std::fprintf (stderr, "z3: error: %s\n", problem.msg ());
      objects->solver.reset ();
    }
    return answer;
  }

  bool value (int variable) override { return values[variable]; }
  bool failed (int l) override { return blamed.count (l) > 0; }
};

} // namespace

std::unique_ptr<adapter::Engine> adapter::make () { return std::make_unique<Z3Engine> (); }

const char *adapter::signature () {
  static const std::string name = std::string ("z3-") + Z3_get_full_version ();
  return name.c_str ();
}

const char *adapter::description () {
  return "model qbf\n"
         "fixed engine choice solver|smt|qsat|elimination solver when=start\n"
         "fixed object choice solve|solver|process solve when=start\n"
         "option random_seed int 0 1000000 0 when=start\n"
         "option relevancy int 0 2 2 when=start\n"
         "option pull_nested_quantifiers bool false when=start\n"
         "option macro_finder bool false when=start\n"
         "option restricted_quasi_macros bool false when=start\n"
         "option phase_selection int 0 6 3 when=start\n"
         "option restart_strategy int 0 4 1 when=start\n"
         "option case_split int 0 6 1 when=start\n";
}
