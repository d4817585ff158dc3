// The C interface of the model qbf for libraries that take a whole formula for every solve,
// such as SMT solvers: the functions of qbf.h and ipafuzz.h, over a class of three methods.
//
// An adapter includes this file once, derives from adapter::Engine, and defines
// adapter::make, adapter::signature and adapter::description. This file keeps blocks,
// clauses, frames, groups and assumptions, and asks the engine about a game:
//
// - Does the player of the outermost block win? For an existential block the question is whether
//   the formula is satisfiable with the block's variables free, for a universal one whether the
//   negated formula is. The values are how a player wins, and the failed assumptions why a player
//   loses.
// - Only variables of the outermost block have values; all others are 0. An answer with values
//   rests on no assumption.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "../exec/qbf.h"
#include "described.hpp"

namespace adapter {

enum Answer { Unknown = 0, Wins = 1, Loses = 2 };

struct Block {
  bool universal;
  std::vector<int> variables;
};

struct Clause {
  std::vector<int> literals;
  size_t frame; // 0: none
  int group;    // -1: none
};

// What one solve asks.
struct Game {
  bool universal = false; // the player of the outermost block
  std::vector<int> outer; // its variables, free ones included
  std::vector<Block> inner;
  std::vector<const std::vector<int> *> clauses;
  std::vector<int> assumptions;
};

class Engine {
public:
  virtual ~Engine () = default;
  virtual Answer solve (const Game &game) = 0;
  virtual bool value (int variable) = 0; // of a variable of game.outer; after Wins
  virtual bool failed (int literal) = 0; // an assumption; after Loses
  // Sets an option of the adapter ("fixed" in the description) or of the library ("option").
  // It refuses all others, so that a trace for another solver sets none by accident.
  bool set (const std::string &name, const std::string &value);
  // For libraries that a callback, or another thread, can stop.
  void *stop_state = nullptr;
  int (*stop_callback) (void *) = nullptr;

protected:
  std::map<std::string, std::string> settings; // of the library
  // Returns the value of an option of the adapter.
  std::string choice (const std::string &name, const std::string &usual) const {
    const auto found = choices.find (name);
    return found == choices.end () ? usual : found->second;
  }

private:
  std::map<std::string, std::string> choices;
};

std::unique_ptr<Engine> make ();
const char *signature ();
const char *description (); // docs/targets.md

inline bool Engine::set (const std::string &name, const std::string &value) {
  const std::string described = std::string ("\n") + description ();
  if (!describes (description (), name, value)) return false;
  if (described.find ("\nfixed " + name + ' ') != std::string::npos) {
    choices[name] = value;
    return true;
  }
  settings[name] = value;
  return true;
}

class Formula {
  std::vector<Block> prefix;
  std::vector<Clause> clauses;
  std::vector<int> open_clause, assumptions, free;
  std::unordered_set<int> named; // in a block or free
  std::set<int> inactive;
  size_t frames = 0;
  int open_group = -1;
  Block *block = nullptr; // the block that is being read

  void name (Block &into, int variable) {
    named.insert (variable);
    into.variables.push_back (variable);
  }

  template <class Gone>
  void remove (Gone gone) {
    clauses.erase (std::remove_if (clauses.begin (), clauses.end (), gone), clauses.end ());
  }

  Game game () const {
    Game asked;
    asked.outer = free;
    asked.assumptions = assumptions;
    bool outermost = !free.empty ();
    for (const Block &given : prefix) {
      if (given.variables.empty ()) continue;
      if (asked.outer.empty ()) {
        asked.universal = given.universal;
        outermost = true;
      }
      outermost = outermost && given.universal == asked.universal;
      if (outermost)
        asked.outer.insert (asked.outer.end (), given.variables.begin (), given.variables.end ());
      else
        asked.inner.push_back (given);
    }
    for (const Clause &clause : clauses)
      if (clause.group < 0 || !inactive.count (clause.group))
        asked.clauses.push_back (&clause.literals);
    return asked;
  }

public:
  std::unique_ptr<Engine> engine = make ();
  Answer answer = Unknown; // of the last solve, while it may be queried
  bool universal = false;
  std::unordered_set<int> outer;

  void quantify (bool is_universal, int variable) {
    answer = Unknown;
    if (!block) {
      prefix.push_back ({is_universal, {}});
      block = &prefix.back ();
    }
    give (variable);
  }

  void extend (int level, int variable) {
    answer = Unknown;
    if (level < 1 || size_t (level) > prefix.size ()) mistake ("extend: there is no such block");
    block = &prefix[size_t (level - 1)];
    give (variable);
  }

  void give (int variable) {
    if (variable)
      name (*block, variable);
    else
      block = nullptr;
  }

  void add (int literal) {
    answer = Unknown;
    if (literal) {
      if (named.insert (std::abs (literal)).second) free.push_back (std::abs (literal));
      open_clause.push_back (literal);
      return;
    }
    clauses.push_back ({open_clause, frames, open_group});
    open_clause.clear ();
  }

  void push () { answer = Unknown, frames++; }
  void pop () {
    answer = Unknown;
    remove ([this] (const Clause &clause) { return clause.frame == frames; });
    frames--;
  }
  void open (int group) { answer = Unknown, open_group = group; }
  void close () { answer = Unknown, open_group = -1; }
  void activate (int group) { answer = Unknown, inactive.erase (group); }
  void deactivate (int group) { answer = Unknown, inactive.insert (group); }
  void erase (int group) {
    answer = Unknown;
    remove ([group] (const Clause &clause) { return clause.group == group; });
  }
  void assume (int literal) { answer = Unknown, assumptions.push_back (literal); }

  int solve () {
    const Game asked = game ();
    assumptions.clear ();
    universal = asked.universal;
    outer = std::unordered_set<int> (asked.outer.begin (), asked.outer.end ());
    answer = engine->solve (asked);
    return answer == Unknown ? 0 : (answer == Wins) != universal ? 10 : 20;
  }

  int32_t value (int literal) {
    const int variable = std::abs (literal);
    if (answer != Wins || !outer.count (variable)) return 0;
    return engine->value (variable) ? variable : -variable;
  }

  bool failed (int literal) {
    return answer == Loses && outer.count (std::abs (literal)) && engine->failed (literal);
  }
};

inline Formula *of (void *solver) { return static_cast<Formula *> (solver); }

} // namespace adapter

extern "C" {

const char *qbf_signature (void) { return adapter::signature (); }
void *qbf_init (void) { return new adapter::Formula; }
void qbf_release (void *solver) { delete adapter::of (solver); }
void qbf_exists (void *solver, int32_t variable) {
  adapter::of (solver)->quantify (false, variable);
}
void qbf_forall (void *solver, int32_t variable) {
  adapter::of (solver)->quantify (true, variable);
}
void qbf_extend (void *solver, int32_t level, int32_t variable) {
  adapter::of (solver)->extend (level, variable);
}
void qbf_add (void *solver, int32_t literal) { adapter::of (solver)->add (literal); }
void qbf_push (void *solver) { adapter::of (solver)->push (); }
void qbf_pop (void *solver) { adapter::of (solver)->pop (); }
void qbf_open_group (void *solver, int32_t group) { adapter::of (solver)->open (group); }
void qbf_close_group (void *solver, int32_t group) {
  (void) group;
  adapter::of (solver)->close ();
}
void qbf_activate_group (void *solver, int32_t group) { adapter::of (solver)->activate (group); }
void qbf_deactivate_group (void *solver, int32_t group) {
  adapter::of (solver)->deactivate (group);
}
void qbf_delete_group (void *solver, int32_t group) { adapter::of (solver)->erase (group); }
void qbf_assume (void *solver, int32_t literal) { adapter::of (solver)->assume (literal); }
int qbf_solve (void *solver) { return adapter::of (solver)->solve (); }
int32_t qbf_val (void *solver, int32_t literal) { return adapter::of (solver)->value (literal); }
int qbf_failed (void *solver, int32_t literal) { return adapter::of (solver)->failed (literal); }

#ifdef ADAPTER_TERMINATES
void qbf_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  adapter::of (solver)->engine->stop_state = state;
  adapter::of (solver)->engine->stop_callback = terminate;
}
#endif

const char *ipafuzz_describe (void) { return adapter::description (); }

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  return !adapter::of (solver)->engine->set (name, value);
}

} // extern "C"
