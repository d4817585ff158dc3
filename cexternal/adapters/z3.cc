// Z3: IPAMIR over the Optimize part of its C API.
//
// A solver stores the hard clauses, the weight of each soft literal and the assumptions
// of the next solve. Declaring a literal again changes its weight. Every solve turns
// the soft literals into one objective of Z3, because soft constraints of Z3 cannot
// be changed or removed.
//
// Options of the adapter:
//   rebuild        false: one Optimize object for all solves; hard clauses are
//                  asserted once, the rest between push and pop.
//                  true: a new object for every solve.
//   assumptions    asserted: as unit clauses. given: as arguments of check.
//   objective      model: the cost of the model, added up here.
//                  lower, upper: the bound that Z3 reports after the check. Both
//                  are the optimum if Z3 is right.
// The other options are parameters of Z3 with the same names.
//
// While a callback is set, watch.hpp stops the check by Z3_interrupt, which is meant for
// other threads. Z3 has no solution then, so solve returns 0.
//
// An error that Z3 reports to its error handler goes to stderr and makes solve return
// 40.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <z3.h>

#include "described.hpp"
#include "watch.hpp"

namespace {

enum Answer { Interrupted = 0, Unsatisfiable = 20, Optimum = 30, Error = 40 };
enum class Source { Model, Lower, Upper };

struct Parameter {
  const char *name;
  char kind; // b: bool, n: number, s: symbol
};

const Parameter parameters[] = {
  {"maxsat_engine", 's'},
  {"enable_lns", 'b'},
  {"enable_sls", 'b'},
  {"enable_sat", 'b'},
  {"elim_01", 'b'},
  {"lns_conflicts", 'n'},
  {"maxlex.enable", 'b'},
  {"maxres.add_upper_bound_block", 'b'},
  {"maxres.hill_climb", 'b'},
  {"maxres.max_core_size", 'n'},
  {"maxres.max_correction_set_size", 'n'},
  {"maxres.max_num_cores", 'n'},
  {"maxres.maximize_assignment", 'b'},
  {"maxres.pivot_on_correction_set", 'b'},
  {"maxres.wmax", 'b'},
  {"pb.compile_equality", 'b'},
};

// Z3 passes only the context to its error handler.
thread_local bool error_seen;

void report (Z3_context context, Z3_error_code code) {
  error_seen = true;
  std::fprintf (stderr, "z3: error %d: %s\n", int (code), Z3_get_error_msg (context, code));
}

class Z3Solver {
  Z3_context context;
  Z3_optimize optimize = nullptr;
  std::unordered_map<int, Z3_ast> variables;
  std::unordered_map<int, bool> values;
  std::vector<int> open_clause, assumptions;
  std::vector<std::vector<int>> clauses;
  std::map<int, uint64_t> weights; // of soft literals, in a fixed order
  std::map<std::string, std::string> settings;
  bool rebuild = false, assumptions_given = false;
  Source source = Source::Model;
  uint64_t objective = 0;

  void open () {
    optimize = Z3_mk_optimize (context);
    Z3_optimize_inc_ref (context, optimize);
    Z3_params given = Z3_mk_params (context);
    Z3_params_inc_ref (context, given);
    for (const Parameter &parameter : parameters) {
      const auto set = settings.find (parameter.name);
      if (set == settings.end ()) continue;
      const Z3_symbol name = Z3_mk_string_symbol (context, parameter.name);
      const char *value = set->second.c_str ();
      if (parameter.kind == 'b')
        Z3_params_set_bool (context, given, name, set->second == "true");
      else if (parameter.kind == 'n')
        Z3_params_set_uint (context, given, name, unsigned (std::strtoul (value, nullptr, 10)));
      else
        Z3_params_set_symbol (context, given, name, Z3_mk_string_symbol (context, value));
    }
    Z3_optimize_set_params (context, optimize, given);
    Z3_params_dec_ref (context, given);
  }

  void close () {
    if (optimize) Z3_optimize_dec_ref (context, optimize);
    optimize = nullptr;
  }

  Z3_ast literal (int literal) {
    Z3_ast &variable = variables[std::abs (literal)];
    if (!variable)
      variable = Z3_mk_const (context, Z3_mk_int_symbol (context, int (variables.size ())),
                              Z3_mk_bool_sort (context));
    return literal < 0 ? Z3_mk_not (context, variable) : variable;
  }

  void assert_clause (const std::vector<int> &clause) {
    std::vector<Z3_ast> terms;
    for (int l : clause) terms.push_back (literal (l));
    Z3_optimize_assert (context, optimize,
                        terms.empty ()
                          ? Z3_mk_false (context)
                          : Z3_mk_or (context, unsigned (terms.size ()), terms.data ()));
  }

  Z3_lbool check (unsigned count, const Z3_ast *given, bool &stopped) {
    stopped = stop_callback && stop_callback (stop_state);
    if (stopped) return Z3_L_UNDEF;
    if (!stop_callback) return Z3_optimize_check (context, optimize, count, given);
    adapter::Watch watch ([this] { return stop_callback (stop_state) != 0; },
                          [this] { Z3_interrupt (context); });
    const Z3_lbool answer = Z3_optimize_check (context, optimize, count, given);
    stopped = watch.end ();
    return answer;
  }

  uint64_t bound (unsigned index) {
    const Z3_ast value = source == Source::Lower ? Z3_optimize_get_lower (context, optimize, index)
                                                 : Z3_optimize_get_upper (context, optimize, index);
    const char *text = Z3_get_numeral_string (context, value);
    char *end = nullptr;
    const uint64_t number = std::strtoull (text, &end, 10);
    if (*end) std::fprintf (stderr, "z3: the bound is %s\n", text);
    return *end ? UINT64_MAX : number;
  }

  void keep_model () {
    Z3_model model = Z3_optimize_get_model (context, optimize);
    Z3_model_inc_ref (context, model);
    values.clear ();
    for (const auto &variable : variables) {
      Z3_ast value = nullptr;
      Z3_model_eval (context, model, variable.second, true, &value);
      values[variable.first] = Z3_get_bool_value (context, value) == Z3_L_TRUE;
    }
    Z3_model_dec_ref (context, model);
    objective = 0;
    for (const auto &soft : weights)
      if (values[std::abs (soft.first)] == (soft.first > 0)) objective += soft.second;
  }

public:
  void *stop_state = nullptr;
  int (*stop_callback) (void *) = nullptr;

  Z3Solver () {
    Z3_config config = Z3_mk_config ();
    context = Z3_mk_context (config);
    Z3_del_config (config);
    Z3_set_error_handler (context, report);
  }

  ~Z3Solver () {
    close ();
    Z3_del_context (context);
  }

  void add (int literal_or_zero) {
    if (literal_or_zero) {
      literal (literal_or_zero);
      open_clause.push_back (literal_or_zero);
      return;
    }
    clauses.push_back (open_clause);
    if (optimize) assert_clause (open_clause);
    open_clause.clear ();
  }

  void soft (int l, uint64_t weight) {
    literal (l);
    weights[l] = weight;
  }

  void assume (int l) {
    literal (l);
    assumptions.push_back (l);
  }

  int solve () {
    error_seen = false;
    if (rebuild) close ();
    if (!optimize) {
      open ();
      for (const auto &clause : clauses) assert_clause (clause);
    }
    Z3_optimize_push (context, optimize);
    unsigned index = 0;
    bool has_objective = false;
    for (const auto &soft : weights) {
      if (!soft.second) continue;
      const std::string weight = std::to_string (soft.second);
      index = Z3_optimize_assert_soft (context, optimize, literal (-soft.first), weight.c_str (),
                                       Z3_mk_string_symbol (context, "cost"));
      has_objective = true;
    }
    std::vector<Z3_ast> given;
    for (int l : assumptions) {
      if (assumptions_given)
        given.push_back (literal (l));
      else
        Z3_optimize_assert (context, optimize, literal (l));
    }
    assumptions.clear ();
    bool stopped = false;
    const Z3_lbool found = check (unsigned (given.size ()), given.data (), stopped);
    int answer = Interrupted;
    // An interruption that came too late would stop the functions that read the model.
    if (found == Z3_L_TRUE && !stopped) {
      keep_model ();
      if (has_objective && source != Source::Model) objective = bound (index);
      answer = error_seen ? Error : Optimum;
    } else if (found == Z3_L_FALSE)
      answer = Unsatisfiable;
    else if (error_seen && !stopped)
      answer = Error;
    Z3_optimize_pop (context, optimize);
    return answer;
  }

  uint64_t cost () const { return objective; }

  int value (int l) const {
    const auto known = values.find (std::abs (l));
    if (known == values.end ()) return 0;
    return known->second == (l > 0) ? l : -l;
  }

  bool set (const std::string &name, const std::string &value) {
    if (name == "rebuild") return rebuild = value == "true", true;
    if (name == "assumptions") return assumptions_given = value == "given", true;
    if (name == "objective")
      return source = value == "lower"   ? Source::Lower
                      : value == "upper" ? Source::Upper
                                         : Source::Model,
             true;
    for (const Parameter &parameter : parameters)
      if (name == parameter.name) return settings[name] = value, true;
    return false;
  }
};

Z3Solver *of (void *solver) { return static_cast<Z3Solver *> (solver); }

} // namespace

extern "C" {

const char *ipamir_signature () {
  static const std::string name = std::string ("z3-") + Z3_get_full_version ();
  return name.c_str ();
}

void *ipamir_init () { return new Z3Solver; }
void ipamir_release (void *solver) { delete of (solver); }
void ipamir_add_hard (void *solver, int32_t literal_or_zero) { of (solver)->add (literal_or_zero); }
void ipamir_add_soft_lit (void *solver, int32_t literal, uint64_t weight) {
  of (solver)->soft (literal, weight);
}
void ipamir_assume (void *solver, int32_t literal) { of (solver)->assume (literal); }
int ipamir_solve (void *solver) { return of (solver)->solve (); }
uint64_t ipamir_val_obj (void *solver) { return of (solver)->cost (); }
int32_t ipamir_val_lit (void *solver, int32_t literal) { return of (solver)->value (literal); }

void ipamir_set_terminate (void *solver, void *state, int (*terminate) (void *)) {
  of (solver)->stop_state = state;
  of (solver)->stop_callback = terminate;
}

const char *ipafuzz_describe () {
  return "model ipamir\n"
         "fixed maxsat_engine choice maxres|pd-maxres|wmax|sortmax maxres when=start\n"
         "option rebuild bool false when=start # a new Optimize object for every solve\n"
         "option assumptions choice asserted|given asserted when=start\n"
         "fixed objective choice model|lower|upper model when=start # where its value is taken "
         "from\n"
         "option enable_lns bool false when=start\n"
         "option lns_conflicts int 1 10000 1000 when=start\n"
         "option enable_sls bool false when=start\n"
         "option enable_sat bool true when=start\n"
         "option elim_01 bool true when=start\n"
         "option maxlex.enable bool true when=start\n"
         "option maxres.add_upper_bound_block bool false when=start\n"
         "option maxres.hill_climb bool true when=start\n"
         "option maxres.max_core_size int 1 100 3 when=start\n"
         "option maxres.max_correction_set_size int 0 100 3 when=start\n"
         "option maxres.max_num_cores int 1 1000000 1000000 when=start\n"
         "option maxres.maximize_assignment bool false when=start\n"
         "option maxres.pivot_on_correction_set bool true when=start\n"
         "option maxres.wmax bool false when=start\n"
         "option pb.compile_equality bool false when=start\n";
}

int ipafuzz_set_option (void *solver, const char *name, const char *value) {
  return !adapter::describes (ipafuzz_describe (), name, value) || !of (solver)->set (name, value);
}

} // extern "C"
