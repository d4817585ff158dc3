// CaDiCaL: IPASIR over the C++ interface, which offers more than the ipasir_*
// functions of libcadical.a. Those are another target (cadical-ipasir), because
// their val has the wrong sign for negative literals; this adapter calls val for
// variables only.
//
// - The options are those of 'cadical --help', with their ranges, except those that
//   only print or check contracts. Elimination may add at most 64 clauses per
//   variable, where CaDiCaL allows 2,000,000: large values make easy instances take
//   minutes, as the option demands.
// - slice=N solves N conflicts at a time, then twice as many, and so on, until there
//   is an answer: every slice ends one search and begins another.
// - havoc simplifies, sets phases, freezes and melts, and sets limits that do not
//   make solve give up. Limits on conflicts or decisions would; slice covers those.
//   simplify clears the assumptions, so havoc repeats them.
// - The functions at the end of this file extend the model to ipasir+cadical. Their
//   names are those of ccadical.h; they take the pointer of ipasir_init. havoc sets
//   a tautology as constraint unless the user has set a constraint.
// - proof=FORMAT writes a proof, which ipafuzz_proof returns (cadical_proof.hpp); CaDiCaL 1.5
//   has DRAT only.
// - raw=true passes the user's variables unchanged; tables then grow with the largest
//   variable.
// - Compiled with -DCADICAL_SOURCES and the sources of CaDiCaL 2.2 or later in the
//   include path, it takes the options from there, and has more: cadical_more.hpp.
#include "ipasir.hpp"

#include <algorithm>

#include <cadical.hpp>

#ifdef CADICAL_SOURCES
#include "cadical_more.hpp"
#else
#include "cadical_options.hpp"
#include "cadical_proof.hpp"
#endif

namespace {

class CaDiCaLSolver : public adapter::Solver, CaDiCaL::Terminator, CaDiCaL::Learner {
  std::unique_ptr<CaDiCaL::Solver> engine = std::make_unique<CaDiCaL::Solver> ();
  std::vector<int> being_learned;
  std::vector<int> frozen;
  int slice = 0, longest = 0;
  bool raw = false;
  std::vector<int> constraint; // of the next solve
  bool constrained = false;
  bool limited = false;               // the user has set a limit for the next solve
  std::vector<int> outer{0};          // the solver's number of each variable
  std::unordered_map<int, int> inner; // the variable of each of the solver's numbers
#ifdef CADICAL_SOURCES
  adapter::More more;

  void begin () {
    if (!more.fixed)
      more.fixed = [this] (int literal) {
        if (longest < 1) return;
        learn (literal);
        learn (0);
      };
    more.begin (*engine);
  }
  adapter::Proof &proof () { return more.proof; }
#else
  adapter::Proof own_proof;
  adapter::Proof &proof () { return own_proof; }
  bool begun = false;

  void begin () {
    if (begun) return;
    begun = true;
    if (!own_proof.is_wanted ()) return;
    engine->set ("quiet", 1); // else it reports on stdout what it wrote
    own_proof.open (*engine);
  }
#endif

  void constrain_again () {
    if (!constrained) return;
    for (int literal : constraint) engine->constrain (given (literal));
    engine->constrain (0);
  }

  bool terminate () override { return should_stop (); }

  bool learning (int size) override { return size <= longest; }

  void learn (int literal) override {
    if (literal) {
      const auto found = inner.find (std::abs (literal));
      const int known = found == inner.end () ? 0 : found->second;
      being_learned.push_back (literal < 0 ? -known : known);
      return;
    }
    // Clauses with extension variables do not concern the user.
    if (std::find (being_learned.begin (), being_learned.end (), 0) == being_learned.end ())
      learned (being_learned);
    being_learned.clear ();
  }

  int given (int literal) const {
    return literal < 0 ? -outer[size_t (-literal)] : outer[size_t (literal)];
  }

  void assume_all (const std::vector<int> &assumptions) {
    for (int literal : assumptions) engine->assume (given (literal));
  }

public:
  ~CaDiCaLSolver () override {
#ifdef CADICAL_SOURCES
    more.end (*engine);
#else
    own_proof.close (*engine);
#endif
    engine->disconnect_terminator ();
    engine->disconnect_learner ();
  }

  void variable (int number) override {
    begin ();
    int named = raw ? names[size_t (number)] : number;
#ifdef CADICAL_SOURCES
    if (more.declares ()) named = engine->declare_one_more_variable ();
    more.variable (*engine, named);
#endif
    outer.push_back (named);
    inner[named] = number;
  }

  void add (const std::vector<int> &clause) override {
    begin ();
#ifdef CADICAL_SOURCES
    std::vector<int> translated;
    for (int literal : clause) translated.push_back (given (literal));
    if (more.take (translated)) return;
#endif
    for (int literal : clause) engine->add (given (literal));
    engine->add (0);
  }

  void assume (int literal) override {
    begin ();
    engine->assume (given (literal));
  }

  adapter::Answer solve (const std::vector<int> &assumptions) override {
    begin ();
    if (has_terminate ())
      engine->connect_terminator (this);
    else
      engine->disconnect_terminator ();
#ifdef CADICAL_SOURCES
    std::vector<int> assumed;
    for (int literal : assumptions) assumed.push_back (given (literal));
    const bool was_constrained = constrained;
    int answer = 0;
    if (!limited) answer = more.before (*engine, assumed, constrained);
    if (!answer) answer = search (assumptions);
    limited = constrained = false;
    more.after (*engine, answer, assumed, was_constrained);
    return adapter::Answer (answer);
  }

  adapter::Answer search (const std::vector<int> &assumptions) {
#endif
    if (limited) { // a slice would overwrite the limit
      limited = constrained = false;
      return adapter::Answer (engine->solve ());
    }
    const int slice =
      proof ().has_searches () ? 0 : this->slice; // each slice would be a solve in the proof
    for (int conflicts = slice;; conflicts = conflicts > INT32_MAX / 2 ? -1 : 2 * conflicts) {
      if (slice) engine->limit ("conflicts", conflicts);
      const int answer = engine->solve ();
      if (answer || !slice || should_stop ()) {
        constrained = false;
        return adapter::Answer (answer);
      }
      assume_all (assumptions);
      constrain_again ();
    }
  }

  void constrain (const std::vector<int> &clause) {
    begin ();
    constraint = clause;
    constrained = true;
    constrain_again ();
  }

  void freeze (int literal) {
    engine->freeze (given (literal));
    kept.push_back (std::abs (given (literal)));
  }
  void melt (int literal) {
    engine->melt (given (literal));
    kept.erase (std::find (kept.begin (), kept.end (), std::abs (given (literal))));
  }
  void phase (int literal) { engine->phase (given (literal)); }
  void unphase (int literal) { engine->unphase (given (literal)); }

  void limit (const char *name, int most) {
    begin ();
    engine->limit (name, most);
    limited = true;
  }

  int fixed (int literal) { return engine->fixed (given (literal)); }
  int is_frozen (int literal) { return engine->frozen (given (literal)); }
  bool declares () const {
#ifdef CADICAL_SOURCES
    return more.declares ();
#else
    return false;
#endif
  }
  bool constraint_failed () { return engine->constraint_failed (); }

  int simplify () {
    begin ();
    constrained = limited = false;
    return engine->simplify ();
  }

  int value (int variable) override { return engine->val (given (variable)); }
  bool failed (int literal) override { return engine->failed (given (literal)); }

  void learn_up_to (int max_length) override {
    begin ();
    longest = max_length;
    if (max_length)
      engine->connect_learner (this);
    else
      engine->disconnect_learner ();
  }

  bool set (const std::string &name, const std::string &value) override {
    int number = 0;
    if (name == "raw") return adapter::read (value, raw);
#ifndef CADICAL_SOURCES
    if (name == "proof") return own_proof.set (value);
#endif
#ifdef CADICAL_SOURCES
    if (more.set (name, value)) return true;
    if (value == "true" || value == "false") return engine->set (name.c_str (), value == "true");
#endif
    if (!adapter::read (value, number)) return false;
    if (name == "slice") return slice = number, true;
    return engine->set (name.c_str (), number);
  }

  void havoc (uint64_t value, bool answered, const std::vector<int> &assumptions) override {
    const int named = int (names.size ()) - 1;
    if (!named) return;
    begin ();
    const int some = given (1 + int (value / 16 % unsigned (named)));
    switch (value % 8) {
    case 0: engine->phase (value & 8 ? some : -some); return;
    case 1: engine->unphase (some); return;
    case 2:
      engine->freeze (some);
      frozen.push_back (some);
      return;
    case 3:
      if (frozen.empty ()) return;
      engine->melt (frozen.back ());
      frozen.pop_back ();
      return;
    default: break;
    }
    if (answered) return;
#ifdef CADICAL_SOURCES
    if (value % 8 == 4 && more.copies () && !constrained && !limited) return copy (assumptions);
#endif
    switch (value % 8) {
    case 4: engine->limit ("preprocessing", int (value / 8 % 3)); return;
    case 5: engine->limit ("localsearch", int (value / 8 % 3)); return;
    case 6:
      if (constrained) return;
      engine->constrain (some);
      engine->constrain (-some);
      engine->constrain (0);
      return;
    default:
      engine->simplify (int (value / 8 % 4));
      assume_all (assumptions);
      constrain_again ();
      return;
    }
  }

#ifdef CADICAL_SOURCES
  // Replaces the solver by a copy, which keeps the options and what the solver knows about
  // variables, but not assumptions, callbacks and frozen variables.
  void copy (const std::vector<int> &assumptions) {
    auto other = std::make_unique<CaDiCaL::Solver> ();
    engine->copy (*other);
    engine->disconnect_terminator ();
    engine->disconnect_learner ();
    more.end (*engine);
    engine = std::move (other);
    more.copied (*engine);
    if (longest) engine->connect_learner (this);
    for (int literal : kept) engine->freeze (literal);
    for (int literal : frozen) engine->freeze (literal);
    assume_all (assumptions);
  }
#endif
  // The proof so far, with the user's variables.
  const std::string *proof_text () {
    return proof ().text (
      *engine,
      [this] (int variable) {
        const auto found = inner.find (variable);
        return found == inner.end () ? 0 : names[size_t (found->second)];
      },
      [this] (int variable) { return numbers.count (variable) > 0; });
  }

  std::vector<int> kept;        // frozen by the user
  std::vector<int> being_given; // the open constraint
};

CaDiCaLSolver *of (void *solver) {
  return static_cast<CaDiCaLSolver *> (static_cast<adapter::Solver *> (solver));
}

} // namespace

extern "C" {

void ccadical_constrain (void *solver, int32_t literal_or_zero) {
  CaDiCaLSolver *s = of (solver);
  s->answered = false;
  if (literal_or_zero) {
    s->being_given.push_back (s->intern (literal_or_zero));
    return;
  }
  s->constrain (s->being_given);
  s->being_given.clear ();
}

void ccadical_freeze (void *solver, int32_t literal) {
  of (solver)->freeze (of (solver)->intern (literal));
}
void ccadical_melt (void *solver, int32_t literal) {
  of (solver)->melt (of (solver)->intern (literal));
}
void ccadical_phase (void *solver, int32_t literal) {
  of (solver)->phase (of (solver)->intern (literal));
}
void ccadical_unphase (void *solver, int32_t literal) {
  of (solver)->unphase (of (solver)->intern (literal));
}

int ccadical_simplify (void *solver) {
  CaDiCaLSolver *s = of (solver);
  s->answered = false;
  s->assumptions.clear ();
  return s->simplify ();
}

void ccadical_limit (void *solver, const char *name, int limit) {
  of (solver)->answered = false;
  of (solver)->limit (name, limit);
}

int ccadical_fixed (void *solver, int32_t literal) {
  // Declaring a variable would change the state.
  if (of (solver)->declares () && !of (solver)->find (literal)) return 0;
  return of (solver)->fixed (of (solver)->intern (literal));
}

int ccadical_frozen (void *solver, int32_t literal) {
  if (of (solver)->declares () && !of (solver)->find (literal)) return 0;
  return of (solver)->is_frozen (of (solver)->intern (literal));
}

const char *ipafuzz_proof (void *solver, uint64_t *size) {
  const std::string *text = of (solver)->proof_text ();
  if (!text) return nullptr;
  *size = text->size ();
  return text->c_str ();
}

int ccadical_constraint_failed (void *solver) { return of (solver)->constraint_failed (); }

} // extern "C"

std::unique_ptr<adapter::Solver> adapter::make () { return std::make_unique<CaDiCaLSolver> (); }

const char *adapter::signature () { return CaDiCaL::Solver::signature (); }

const char *adapter::description () {
#ifdef CADICAL_SOURCES
  static const std::string text = std::string ("model ipasir\n"
                                               "model ipasir+cadical\n"
                                               "policy failed-non-assumption=any\n"
                                               "fixed raw bool false when=start\n"
                                               "option slice int 0 1000 0 when=start\n"
                                               "exclude raw=true declare=true\n") +
                                  described_options ();
  return text.c_str ();
#else
  static const std::string text = std::string ("model ipasir\n"
                                               "model ipasir+cadical\n"
                                               "policy failed-non-assumption=any\n"
                                               "fixed raw bool false when=start\n"
                                               "option slice int 0 1000 0 when=start\n"
                                               "fixed proof choice none|drat none when=start\n") +
                                  cadical_options;
  return text.c_str ();
#endif
}
