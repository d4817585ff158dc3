// An external propagator for CaDiCaL 2.2 and later that knows some of the clauses: the
// solver gets them only from it, so every answer must be as if they had been added.
//
// - lazy: it observes, and rejects solutions that falsify one of its clauses.
// - clauses: it also decides, and gives clauses in the middle of the search, needed or not.
// - propagate: it also propagates, and explains.
//
// Its choices follow from a seed, so a trace always runs the same way.
#pragma once

#include <cadical.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>
#include <vector>

namespace adapter {

class Propagator : public CaDiCaL::ExternalPropagator {
public:
  enum Mode { Lazy = 1, Clauses, Propagate };

  Propagator (Mode mode, uint64_t seed) : mode (mode), state (seed * 2 + 1) {
    is_lazy = mode == Lazy;
    are_reasons_forgettable = seed & 1;
  }

  // Takes a user's clause, or leaves it to the solver.
  bool take (const std::vector<int> &clause) {
    if (clause.empty () || random () % 3 == 0) return false;
    clauses.push_back (clause);
    return true;
  }

  void observe (int variable) {
    if (size_t (variable) >= values.size ()) values.resize (size_t (variable) + 1, 0);
    observed.push_back (variable);
  }

  void notify_assignment (const std::vector<int> &literals) override {
    for (int literal : literals) {
      if (size_t (std::abs (literal)) >= values.size ()) continue;
      values[size_t (std::abs (literal))] = literal > 0 ? 1 : -1;
      trail.push_back (literal);
    }
  }

  void notify_new_decision_level () override { levels.push_back (trail.size ()); }

  void notify_backtrack (size_t level) override {
    if (level >= levels.size ()) return;
    while (trail.size () > levels[level]) {
      values[size_t (std::abs (trail.back ()))] = 0;
      trail.pop_back ();
    }
    levels.resize (level);
  }

  bool cb_check_found_model (const std::vector<int> &model) override {
    std::vector<signed char> found (values.size (), 0);
    for (int literal : model)
      if (size_t (std::abs (literal)) < found.size ())
        found[size_t (std::abs (literal))] = literal > 0 ? 1 : -1;
    pending.clear ();
    for (const auto &clause : clauses)
      if (std::none_of (clause.begin (), clause.end (), [&] (int l) { return holds (found, l); })) {
        pending.push_back (size_t (&clause - clauses.data ()));
        if (random () % 2) break;
      }
    return pending.empty ();
  }

  bool cb_has_external_clause (bool &is_forgettable) override {
    is_forgettable = random () % 2;
    if (pending.empty () && mode != Lazy && !clauses.empty () && random () % 8 == 0)
      pending.push_back (size_t (random () % clauses.size ()));
    if (pending.empty ()) return false;
    giving = pending.back ();
    pending.pop_back ();
    next = 0;
    return true;
  }

  int cb_add_external_clause_lit () override {
    return next < clauses[giving].size () ? clauses[giving][next++] : 0;
  }

  int cb_propagate () override {
    if (mode != Propagate) return 0;
    for (size_t at = 0; at < clauses.size (); at++) {
      int open = 0, last = 0;
      bool satisfied = false;
      for (int literal : clauses[at]) {
        if (holds (values, literal)) satisfied = true;
        if (!values[size_t (std::abs (literal))] && literal != last) open++, last = literal;
      }
      if (satisfied || open != 1) continue;
      reasons[last] = at;
      return last;
    }
    return 0;
  }

  // The clause that propagated it: all of its other literals were false then.
  int cb_add_reason_clause_lit (int propagated) override {
    if (explaining != propagated) explaining = propagated, next_reason = 0;
    const auto found = reasons.find (propagated);
    if (found != reasons.end () && next_reason < clauses[found->second].size ())
      return clauses[found->second][next_reason++];
    explaining = 0;
    return 0;
  }

  int cb_decide () override {
    if (mode == Lazy || observed.empty () || random () % 4) return 0;
    const int variable = observed[size_t (random () % observed.size ())];
    if (values[size_t (variable)]) return 0;
    return random () % 2 ? variable : -variable;
  }

private:
  const Mode mode;
  uint64_t state;
  std::vector<std::vector<int>> clauses;
  std::vector<int> observed, trail;
  std::vector<size_t> levels; // where on the trail each began
  std::vector<signed char> values;
  std::vector<size_t> pending; // clauses to give
  std::unordered_map<int, size_t> reasons;
  size_t giving = 0, next = 0, next_reason = 0;
  int explaining = 0;

  static bool holds (const std::vector<signed char> &of, int literal) {
    return size_t (std::abs (literal)) < of.size () &&
           of[size_t (std::abs (literal))] == (literal > 0 ? 1 : -1);
  }

  uint64_t random () {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
};

} // namespace adapter
