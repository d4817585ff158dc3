// DepQBF: the model qbf over qdpll.h.
//
// Options are the flags of qdpll_configure. The first call that needs the solver sets them. Two
// more decide how the adapter uses the library:
//   incremental   true: --dep-man=simple and --incremental-use, without which frames and groups
//                 are refused.
//                 false: every solve gets a new object with the current formula. Nothing is
//                 removed from it, so the library works as the program does.
//   relevant      false: the adapter never calls qdpll_get_relevant_assumptions, and reports
//                 that an answer rests on all assumptions.
//
// depqbf.h has the library's own rules; exclusions below say which options they forbid.
// docs/bugs-found.md lists where the library differs from qdpll.h; the adapter hides none of
// these differences.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "../exec/depqbf.h"
#include "../exec/qbf.h"
#include "described.hpp"

#ifdef DEPQBF_6
#define VERSION "6.03"
#else
#define VERSION "5.01"
#endif

namespace {

const char *const flag_names[] = {
  "dep-man",
  "traditional-qcdcl",
  "long-dist-res",
  "no-lazy-qpup",
  "no-qpup-cdcl",
  "no-qpup-sdcl",
  "no-cdcl",
  "no-sdcl",
  "no-pure-literals",
  "no-unit-mtf",
  "no-res-mtf",

  "lclauses-init-size",
  "lcubes-init-size",
  "orestart-dist-init",
  "irestart-dist-init",
#ifdef DEPQBF_6
  "no-trivial-falsity",
  "no-trivial-truth",
#endif
};

struct Block {
  bool universal;
  std::vector<int> variables;
};

struct Clause {
  std::vector<int> literals;
  size_t frame;
  int group; // -1: none
};

class DepQbf {
  QDPLL *solver = nullptr;
  std::map<std::string, std::string> flags; // by option
  bool incremental = true, ask_relevant = true, with_qbce = false;
  int solved = false; // since the last change

  // The formula, to fill new objects with.
  std::vector<Block> prefix;
  std::vector<Clause> clauses;
  std::vector<int> open_clause, assumptions;
  size_t frames = 0;
  int open_group = -1;
  std::set<int> inactive;

  std::vector<Nesting> nestings; // of the blocks
  std::map<int, ClauseGroupID> groups;
  int block = -1; // the block that is being read
  bool block_is_new = false;
  std::unordered_set<int> relevant;
  bool assumed = false, relevant_known = false; // for the last solve

  void create () {
    const auto manager = flags.find ("--dep-man");
    solver = depqbf_create (incremental, with_qbce,
                            manager == flags.end () ? nullptr : manager->second.c_str ());
    for (const auto &flag : flags)
      if (flag.first != "--dep-man") depqbf_configure (solver, flag.second.c_str ());
  }

  // Makes the solver ready for a change of the formula.
  void change () {
    if (!incremental) {
      solved = false;
      return;
    }
    if (!solver) create ();
    depqbf_change (solver, &solved);
  }

  static QDPLLQuantifierType type (bool universal) {
    return universal ? QDPLL_QTYPE_FORALL : QDPLL_QTYPE_EXISTS;
  }

  void add_block (const Block &given) {
    nestings.push_back (qdpll_new_scope (solver, type (given.universal)));
    for (int variable : given.variables) qdpll_add (solver, variable);
    qdpll_add (solver, 0);
  }

  void add_clause (const std::vector<int> &literals) {
    for (int literal : literals) qdpll_add (solver, literal);
    qdpll_add (solver, 0);
  }

  // Replaces the object by a new one with the current formula.
  void renew () {
    if (solver) qdpll_delete (solver);
    create ();
    nestings.clear ();
    for (const Block &given : prefix) add_block (given);
    for (const Clause &clause : clauses)
      if (clause.group < 0 || !inactive.count (clause.group)) add_clause (clause.literals);
  }

  template <class Gone>
  void remove (Gone gone) {
    std::vector<Clause> kept;
    for (Clause &clause : clauses)
      if (!gone (clause)) kept.push_back (std::move (clause));
    clauses.swap (kept);
  }

public:
  ~DepQbf () {
    if (solver) qdpll_delete (solver);
  }

  void quantify (bool universal, int variable) {
    if (block < 0) {
      block = int (prefix.size ());
      block_is_new = true;
      prefix.push_back ({universal, {}});
    }
    give (variable);
  }

  void extend (int level, int variable) {
    if (block < 0) {
      block = level - 1;
      block_is_new = false;
      extension.clear ();
    }
    give (variable);
  }

  void add (int literal) {
    if (literal) {
      open_clause.push_back (literal);
      return;
    }
    change ();
    if (incremental)
      add_clause (open_clause);
    else
      clauses.push_back ({open_clause, frames, open_group});
    open_clause.clear ();
  }

  void push () {
    change ();
    frames++;
    if (incremental) qdpll_push (solver);
  }

  void pop () {
    change ();
    if (incremental)
      qdpll_pop (solver);
    else
      remove ([this] (const Clause &clause) { return clause.frame == frames; });
    frames--;
  }

  void open (int group) {
    change ();
    open_group = group;
    if (!incremental) return;
    if (!groups.count (group)) groups[group] = qdpll_new_clause_group (solver);
    qdpll_open_clause_group (solver, groups[group]);
  }

  void close (int group) {
    change ();
    open_group = -1;
    if (incremental) qdpll_close_clause_group (solver, groups[group]);
  }

  void activate (int group) {
    change ();
    inactive.erase (group);
    if (incremental) qdpll_activate_clause_group (solver, groups[group]);
  }

  void deactivate (int group) {
    change ();
    inactive.insert (group);
    if (incremental) qdpll_deactivate_clause_group (solver, groups[group]);
  }

  void erase (int group) {
    change ();
    if (incremental) {
      qdpll_delete_clause_group (solver, groups[group]);
      groups.erase (group);
    } else
      remove ([group] (const Clause &clause) { return clause.group == group; });
  }

  void assume (int literal) {
    change ();
    assumptions.push_back (literal);
  }

  int solve () {
    change ();
    if (!incremental) renew ();
    relevant.clear ();
    assumed = false;
    for (int literal : assumptions)
      if (depqbf_assume (solver, literal)) assumed = true;
    assumptions.clear ();
    relevant_known = false;
    const int answer = qdpll_sat (solver);
    solved = true;
    return answer;
  }

  int value (int literal) {
    if (!solver) return 0;
    const int variable = std::abs (literal);
    const int value = depqbf_value (solver, literal);
    return value == QDPLL_ASSIGNMENT_UNDEF  ? 0
           : value == QDPLL_ASSIGNMENT_TRUE ? variable
                                            : -variable;
  }

  bool failed (int literal) {
    if (!ask_relevant) return true;
    if (!relevant_known) {
      LitID *given = depqbf_relevant (solver, assumed);
      for (LitID *p = given; p && *p; p++) relevant.insert (*p);
      std::free (given);
    }
    relevant_known = true;
    return relevant.count (literal) > 0;
  }

  int set (const char *name, const char *value) {
    const std::string flag = std::string ("--") + name;
    const bool truth = !std::strcmp (value, "true");
    if (!std::strcmp (name, "incremental")) return incremental = truth, 0;
    if (!std::strcmp (name, "relevant")) return ask_relevant = truth, 0;
    if (!std::strcmp (name, "no-qbce-dynamic")) return with_qbce = !truth, 0;
    bool known = false;
    for (const char *flag_name : flag_names) known |= !std::strcmp (name, flag_name);
    if (!known) return 1;
    flags.erase (flag);
    if (std::strcmp (value, "false")) flags[flag] = truth ? flag : flag + "=" + value;
    return 0;
  }

private:
  std::vector<int> extension;

  // Takes a variable of the open block, or the 0 that ends the block.
  void give (int variable) {
    if (variable) {
      prefix[size_t (block)].variables.push_back (variable);
      extension.push_back (variable);
      return;
    }
    change ();
    if (incremental && block_is_new)
      add_block (prefix[size_t (block)]);
    else if (incremental)
      for (int added : extension)
        qdpll_add_var_to_scope (solver, VarID (added), nestings[size_t (block)]);
    extension.clear ();
    block = -1;
  }
};

DepQbf *of (void *solver) { return static_cast<DepQbf *> (solver); }

} // namespace

extern "C" {

const char *qbf_signature (void) { return "depqbf-" VERSION; }
void *qbf_init (void) { return new DepQbf; }
void qbf_release (void *solver) { delete of (solver); }
void qbf_exists (void *solver, int32_t variable) { of (solver)->quantify (false, variable); }
void qbf_forall (void *solver, int32_t variable) { of (solver)->quantify (true, variable); }
void qbf_extend (void *solver, int32_t level, int32_t variable) {
  of (solver)->extend (level, variable);
}
void qbf_add (void *solver, int32_t literal) { of (solver)->add (literal); }
void qbf_push (void *solver) { of (solver)->push (); }
void qbf_pop (void *solver) { of (solver)->pop (); }
void qbf_open_group (void *solver, int32_t group) { of (solver)->open (group); }
void qbf_close_group (void *solver, int32_t group) { of (solver)->close (group); }
void qbf_activate_group (void *solver, int32_t group) { of (solver)->activate (group); }
void qbf_deactivate_group (void *solver, int32_t group) { of (solver)->deactivate (group); }
void qbf_delete_group (void *solver, int32_t group) { of (solver)->erase (group); }
void qbf_assume (void *solver, int32_t literal) { of (solver)->assume (literal); }
int qbf_solve (void *solver) { return of (solver)->solve (); }
int32_t qbf_val (void *solver, int32_t literal) { return of (solver)->value (literal); }
int qbf_failed (void *solver, int32_t literal) { return of (solver)->failed (literal); }

const char *ipafuzz_describe (void) {
  return "model qbf\n"
         "lacks terminate\n"
         "policy qbf-other-val=any\n" // qdpll.h: any assignment of the variable
         "option incremental bool true when=start # false: a new object for every solve\n"
         "option relevant bool true when=start # false: an answer rests on all assumptions\n"
         "option dep-man choice simple|qdag simple when=start # qdag: the standard dependency "
         "scheme\n"
         "option traditional-qcdcl bool false when=start # learn as version 2 did\n"
         "option long-dist-res bool false when=start # learn by long-distance resolution\n"
         "option no-lazy-qpup bool false when=start # make all resolution steps\n"
         "option no-qpup-cdcl bool false when=start\n"
         "option no-qpup-sdcl bool false when=start\n"
         "option no-qbce-dynamic bool true when=start # false: values falsify clauses\n"
         "option no-cdcl bool false when=start # do not learn clauses\n"
         "option no-sdcl bool false when=start # do not learn cubes\n"
         "option no-pure-literals bool false when=start\n"
         "option no-unit-mtf bool false when=start\n"
         "option no-res-mtf bool false when=start\n"
         "option lclauses-init-size int 1 1000 1000 when=start\n"
         "option lcubes-init-size int 1 1000 1000 when=start\n"
         "option orestart-dist-init int 1 100 10 when=start\n"
         "option irestart-dist-init int 1 100 100 when=start\n"
#ifdef DEPQBF_6
         // incremental=true sets them
         "option no-trivial-falsity bool false when=start # without looking for an empty clause\n"
         "option no-trivial-truth bool false when=start # without looking for a satisfying "
         "assignment\n"
#endif
         "exclude incremental=true dep-man=qdag\n"
         "exclude incremental=true no-qbce-dynamic=false\n"
         "exclude long-dist-res=true dep-man=qdag\n";
}

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  return !adapter::describes (ipafuzz_describe (), name, value) || of (solver)->set (name, value);
}
}
