// The C interface that all SAT adapters share: the ten functions of ipasir.h and the
// three of ipafuzz.h, over a class with five methods to define and four more that it may have.
//
// An adapter includes this file once, derives from adapter::Solver, and defines
// adapter::make, adapter::signature and adapter::description. This file does the
// following for it:
//
// - Clauses arrive complete. The user's variables, 1 to INT32_MAX, become 1, 2, 3, ...
//   in the order of first use, so a library whose tables grow with the largest
//   variable accepts a clause over variable INT32_MAX.
// - assume is called when the user assumes. solve also gets the list of assumptions, for
//   libraries that take them there; afterwards the list is empty.
// - value is called for variables only, and the sign is applied here; unknown
//   variables are 0. failed is called for literals of known variables only.
//
// It does not store answers: the argument of havoc says whether values or failed assumptions of
// the last solve may still be queried.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "described.hpp"

namespace adapter {

enum Answer { Interrupted = 0, Satisfiable = 10, Unsatisfiable = 20 };

class Solver {
public:
  virtual ~Solver () = default;

  // Called once before a variable is first used: with 1, 2, 3, ...
  virtual void variable (int number) = 0;
  virtual void add (const std::vector<int> &clause) = 0;
  virtual void assume (int literal) { (void) literal; }
  virtual Answer solve (const std::vector<int> &assumptions) = 0;
  virtual int value (int variable) = 0; // 1 true, -1 false, 0 not important
  virtual bool failed (int literal) = 0;

  // Sets an option of the description; returns false to refuse it.
  virtual bool set (const std::string &name, const std::string &value) {
    return (void) name, (void) value, false;
  }
  // Makes a rare, legal call. When answered is true, values or failed
  // assumptions of the last solve may still be queried and must not change.
  virtual void havoc (uint64_t value, bool answered, const std::vector<int> &assumptions) {
    (void) value, (void) answered, (void) assumptions;
  }
  // Makes the solver call learned with clauses of at most this length; 0: with none.
  virtual void learn_up_to (int max_length) { (void) max_length; }

  bool has_terminate () const { return stop_callback; }
  bool should_stop () const { return stop_callback && stop_callback (stop_state); }

  void learned (const std::vector<int> &clause) const {
    if (!learner) return;
    std::vector<int32_t> named;
    for (int literal : clause)
      named.push_back (literal < 0 ? -names[size_t (-literal)] : names[size_t (literal)]);
    named.push_back (0);
    learner (learner_state, named.data ());
  }

  // For the functions below.
  void *stop_state = nullptr, *learner_state = nullptr;
  int (*stop_callback) (void *) = nullptr;
  void (*learner) (void *, int32_t *) = nullptr;
  std::vector<int> clause, assumptions, names{0};
  std::unordered_map<int, int> numbers;
  bool answered = false;

  int find (int user) const // 0: unknown
  {
    auto found = numbers.find (std::abs (user));
    if (found == numbers.end ()) return 0;
    return user < 0 ? -found->second : found->second;
  }

  int intern (int user) {
    if (!find (user)) {
      const int number = int (names.size ());
      names.push_back (std::abs (user));
      numbers[std::abs (user)] = number;
      variable (number);
    }
    return find (user);
  }
};

std::unique_ptr<Solver> make ();
const char *signature ();
const char *description (); // docs/targets.md

// Parses the value of an option; returns false if it is malformed.
inline bool read (const std::string &text, bool &value) {
  if (text != "true" && text != "false") return false;
  value = text == "true";
  return true;
}

inline bool read (const std::string &text, int &value) {
  char *end = nullptr;
  const long number = std::strtol (text.c_str (), &end, 10);
  if (text.empty () || *end || number < INT32_MIN || number > INT32_MAX) return false;
  value = int (number);
  return true;
}

inline bool read (const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod (text.c_str (), &end);
  return !text.empty () && !*end;
}

} // namespace adapter

extern "C" {

const char *ipasir_signature () { return adapter::signature (); }
void *ipasir_init () { return adapter::make ().release (); }
void ipasir_release (void *solver) { delete static_cast<adapter::Solver *> (solver); }

void ipasir_add (void *pointer, int32_t literal_or_zero) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  s->answered = false;
  if (literal_or_zero) {
    s->clause.push_back (s->intern (literal_or_zero));
    return;
  }
  s->add (s->clause);
  s->clause.clear ();
}

void ipasir_assume (void *pointer, int32_t literal) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  s->answered = false;
  s->assumptions.push_back (s->intern (literal));
  s->assume (s->assumptions.back ());
}

int ipasir_solve (void *pointer) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  const int answer = s->solve (s->assumptions);
  s->assumptions.clear ();
  s->answered = answer != adapter::Interrupted;
  return answer;
}

int32_t ipasir_val (void *pointer, int32_t literal) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  const int number = std::abs (s->find (literal));
  const int value = number ? s->value (number) : 0;
  if (!value) return 0;
  return (value > 0) == (literal > 0) ? literal : -literal;
}

int ipasir_failed (void *pointer, int32_t literal) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  const int known = s->find (literal);
  return known && s->failed (known);
}

void ipasir_set_terminate (void *pointer, void *state, int (*terminate) (void *)) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  s->stop_state = state;
  s->stop_callback = terminate;
}

void ipasir_set_learn (void *pointer, void *state, int max_length,
                       void (*learn) (void *, int32_t *)) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  s->learner_state = state;
  s->learner = learn;
  s->learn_up_to (learn ? max_length : 0);
}

const char *ipafuzz_describe () { return adapter::description (); }

int ipafuzz_set_option (void *pointer, const char *name, const char *value) {
  if (!adapter::describes (adapter::description (), name, value)) return 1;
  return !static_cast<adapter::Solver *> (pointer)->set (name, value);
}

void ipafuzz_havoc (void *pointer, uint64_t value) {
  auto *s = static_cast<adapter::Solver *> (pointer);
  s->havoc (value, s->answered, s->assumptions);
}

} // extern "C"
