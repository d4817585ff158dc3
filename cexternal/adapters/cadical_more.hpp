// What CaDiCaL 2.2 and later can do beyond 1.5.3, behind options of the adapter. No
// answer may depend on them, so the oracle judges them without knowing them; what it
// cannot see is checked here, and a violation ends the process with a message.
//
// - The options are those of the solver's own table (options.hpp), except those that
//   print, choose a format of proofs, or check contracts.
// - With factor (bounded variable addition) or declare, variables are declared as
//   cadical.hpp demands; the solver's extension variables lie between them.
// - flips=N flips up to N literals after an answer 10. It leaves assumed variables
//   alone: only the formula is promised to stay satisfied.
// - propagate and lookahead run before solve. Literals that propagate implied must be
//   true in the solution.
// - proof writes a proof (cadical_proof.hpp), listen reports fixed literals as learned clauses.
// - propagator keeps clauses from the solver (cadical_propagator.hpp).
// - copies lets havoc replace the solver by its copy.
// - configuration is one of cadical --plain and so on; O is cadical -O.
#pragma once

#include <cassert>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "cadical_proof.hpp"
#include "cadical_propagator.hpp"

namespace CaDiCaL {
struct Config;
using std::string;
} // namespace CaDiCaL
#include <options.hpp>

namespace adapter {

class More : CaDiCaL::FixedAssignmentListener {
public:
  std::function<void (int)> fixed;
  Proof proof;

  bool declares () const { return declare; }
  bool copies () const { return copy && !propagator && !proof.is_open (); }
  bool propagates () const { return propagator != nullptr; }

  // Sets an option of the adapter, or remembers one of the solver.
  bool set (const std::string &name, const std::string &value) {
    int number = 0;
    read (value, number);
    bool yes = false;
    read (value, yes);
    if (name == "declare") return declare = declare || yes, true;
    if (name == "flips") return flips = number, true;
    if (name == "propagate") return propagate = yes, true;
    if (name == "lookahead") return look = yes, true;
    if (name == "listen") return listen = yes, true;
    if (name == "copies") return copy = yes, true;
    if (name == "O") return optimize = number, true;
    if (name == "salt") return salt = uint64_t (number), true;
    if (name == "proof") return proof.set (value);
    if (name == "configuration") return configuration = value, true;
    if (name == "propagator") return mode = value, true;
    if (name == "factor") declare = declare || number || yes;
    if (name == "factorcheck") declare = declare || number > 1;
    return false;
  }

  // Called before the solver gets anything but an option.
  void begin (CaDiCaL::Solver &engine) {
    if (begun) return;
    begun = true;
    if (configuration != "default") engine.configure (configuration.c_str ());
    if (engine.get ("factor")) declare = true;
    // The clauses of a propagator are not part of a proof.
    if (proof.is_wanted () && mode == "none") proof.open (engine);
    if (optimize) engine.optimize (optimize);
    if (listen) engine.connect_fixed_listener (this);
    if (mode == "none") return;
    propagator = std::make_unique<Propagator> (mode == "lazy"      ? Propagator::Lazy
                                               : mode == "clauses" ? Propagator::Clauses
                                                                   : Propagator::Propagate,
                                               salt);
    engine.connect_external_propagator (propagator.get ());
  }

  void end (CaDiCaL::Solver &engine) {
    if (listen && begun) engine.disconnect_fixed_listener ();
    if (propagator) engine.disconnect_external_propagator ();
    proof.close (engine);
  }

  void copied (CaDiCaL::Solver &into) {
    if (listen) into.connect_fixed_listener (this);
  }

  void variable (CaDiCaL::Solver &engine, int number) {
    variables.push_back (number);
    if (!propagator) return;
    propagator->observe (number);
    engine.add_observed_var (number);
  }

  bool take (const std::vector<int> &clause) { return propagator && propagator->take (clause); }

  // Runs propagate and lookahead before a solve, and repeats the assumptions. It returns 10 or
  // 20 if that decided the formula, else 0.
  int before (CaDiCaL::Solver &engine, const std::vector<int> &assumed, bool constrained) {
    implied.clear ();
    if (constrained || propagator || proof.has_searches ()) return 0;
    const auto assume_again = [&] {
      for (int literal : assumed) engine.assume (literal);
    };
    if (look) {
      engine.lookahead ();
      assume_again ();
    }
    if (!propagate) return 0;
    const int answer = engine.propagate ();
    if (answer) return answer;
    if (engine.state () == CaDiCaL::INCONCLUSIVE) engine.implied (implied);
    assume_again ();
    return 0;
  }

  void after (CaDiCaL::Solver &engine, int answer, const std::vector<int> &assumed,
              bool constrained) {
    if (answer && (proof.is_incremental () || proof.name () == "veripb")) engine.conclude ();
    if (answer != 10) {
      implied.clear ();
      return;
    }
    for (int literal : implied)
      if ((engine.val (std::abs (literal)) > 0) != (literal > 0))
        violated ("implied() returned a literal that is false in the solution", literal);
    implied.clear ();
    // A propagator, or the reader of an incremental proof, would still know the old solution.
    if (constrained || propagator || proof.is_incremental ()) return;
    for (int n = 0; n < flips && !variables.empty (); n++) {
      const int variable = variables[size_t (random () % variables.size ())];
      const auto same = [&] (int literal) { return std::abs (literal) == variable; };
      if (std::any_of (assumed.begin (), assumed.end (), same)) continue;
      const bool was = engine.val (variable) > 0;
      const bool can = engine.flippable (variable);
      const bool did = engine.flip (variable);
      if (can != did) violated ("flippable() and flip() disagree about a variable", variable);
      if ((engine.val (variable) > 0) != (was != did))
        violated ("flip() says otherwise than val() of a variable", variable);
    }
  }

private:
  bool begun = false, declare = false, propagate = false, look = false, listen = false,
       copy = false;
  int flips = 0, optimize = 0;
  uint64_t salt = 0, state = 1;
  std::string configuration = "default", mode = "none";
  std::unique_ptr<Propagator> propagator;
  std::vector<int> variables, implied;

  void notify_fixed_assignment (int literal) override {
    if (fixed) fixed (literal);
  }

  [[noreturn]] static void violated (const char *what, int literal) {
    std::fprintf (stderr, "CaDiCaL: %s: %d\n", what, literal);
    std::abort ();
  }

  uint64_t random () {
    state = state * 6364136223846793005u + 1442695040888963407u + salt;
    return state >> 33;
  }
};

// The lines of the description: the solver's options, and those above.
inline const char *described_options () {
  static std::string text;
  if (!text.empty ()) return text.c_str ();
  const auto one_of = [] (const std::string &name, std::initializer_list<const char *> names) {
    return std::any_of (names.begin (), names.end (),
                        [&] (const char *other) { return name == other; });
  };
  const auto option = [&] (const std::string &name, double standard, double low, double high) {
    if (one_of (name, {"quiet", "verbose", "log", "logsort", "report", "reportall", "reportsolve",
                       "profile", "realtime", "stats", "exttracecalls", "checkfrozen", "binary",
                       "frat", "lrat", "idrup", "lidrup", "veripb"}))
      return;
    // Larger values make easy problems take minutes, as the options demand.
    if (one_of (name, {"elimboundmax", "elimboundmin", "fastelimbound"})) high = 64;
    if (name == "congruencexorarity") high = 8;
    if (name == "elimxorlim") high = 8;
    if (name == "elimrounds" || name == "fastelimrounds") high = 16;
    text += "option " + name;
    if (low == 0 && high == 1) {
      text += standard ? " bool 1" : " bool 0";
    } else {
      text += " int " + std::to_string (long (low)) + " " + std::to_string (long (high)) + " " +
              std::to_string (long (standard));
    }
    text += " when=start";
    if (name == "check") text += " checks=1"; // models, cores and every step of the proof
    text += "\n";
  };
  const double reportdefault = 0;
#define OPTION(NAME, STANDARD, LOW, HIGH, O, P, R, USAGE) option (#NAME, STANDARD, LOW, HIGH);
  OPTIONS
#undef OPTION
  text += "option declare bool false when=start\n"
          "option flips int 0 8 0 when=start\n"
          "option propagate bool false when=start\n"
          "option lookahead bool false when=start\n"
          "option listen bool false when=start\n"
          "option copies bool false when=start\n"
          "option O int 0 2 0 when=start\n"
          "option salt int 0 1000 0 when=start\n"
          "option proof choice none|drat|frat|lrat|idrup|lidrup|veripb none when=start\n"
          "option configuration choice default|plain|sat|unsat default when=start\n"
          "option propagator choice none|lazy|clauses|propagate none when=start\n";
  return text.c_str ();
}

} // namespace adapter
