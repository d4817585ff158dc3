// Proofs of CaDiCaL 2.2 and later in LRAT and VeriPB. In both formats the clauses of the formula
// have the numbers 1, 2, 3, ..., and steps follow them. The library counts clauses and steps
// together (only its parser of files reserves ids for clauses), so this tracer records which
// ids are clauses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <tracer.hpp>

namespace adapter {

class Ids : public CaDiCaL::Tracer {
public:
  void add_original_clause (int64_t id, bool, const std::vector<int> &, bool) override {
    clauses.emplace (id, int64_t (clauses.size ()) + 1); // a restored clause keeps its number
  }
  void add_derived_clause (int64_t id, bool, int, const std::vector<int> &,
                           const std::vector<int64_t> &) override {
    steps.emplace (id, int64_t (steps.size ()) + 1);
  }

  // The first lines of a proof, which the library writes to files only.
  std::string header (const std::string &format) const {
    if (format != "veripb") return "";
    return "pseudo-Boolean proof version 3.0\nf " + std::to_string (clauses.size ()) + ";\n";
  }

  // Returns a line with the numbers of the format and the names of variables.
  std::string line (const std::string &format, const std::string &from,
                    const std::function<int (int)> &name) const {
    return format == "lrat" ? lrat (from, name) : veripb (from, name);
  }

private:
  std::unordered_map<int64_t, int64_t> clauses, steps;

  // An unknown id gets an unused number.
  int64_t number (int64_t id) const {
    const auto clause = clauses.find (id), step = steps.find (id);
    if (clause != clauses.end ()) return clause->second;
    const int64_t before = int64_t (clauses.size ());
    return before + (step != steps.end () ? step->second : int64_t (steps.size ()) + id);
  }

  std::string number (const std::string &word) const {
    const int64_t id = std::strtoll (word.c_str (), nullptr, 10);
    return std::to_string (id < 0 ? -number (-id) : number (id));
  }

  static std::string replaced (const std::string &from,
                               const std::function<std::string (const std::string &)> &word) {
    std::string to;
    for (size_t at = 0; at < from.size ();) {
      const size_t end = std::min (from.find_first_of (" ;\n", at), from.size ());
      if (end > at) to += word (from.substr (at, end - at));
      if (end < from.size ()) to += from[end];
      at = end + 1;
    }
    return to;
  }

  // ID LITERAL ... 0 ID ... 0, or ID d ID ... 0.
  std::string lrat (const std::string &from, const std::function<int (int)> &name) const {
    enum { First, Literals, Hints } part = First;
    return replaced (from, [&] (const std::string &word) {
      if (word == "d" || word == "0") return part = Hints, word;
      if (part == First)
        part = Literals;
      else if (part == Literals) {
        const int literal = std::atoi (word.c_str ()), variable = name (std::abs (literal));
        return std::to_string (literal < 0 ? -variable : variable);
      }
      return number (word);
    });
  }

  // rup or red with terms "1 x5" or "1 ~x5", "del id ID", or "conclusion UNSAT : ID".
  std::string veripb (const std::string &from, const std::function<int (int)> &name) const {
    std::string before;
    return replaced (from, [&] (const std::string &word) {
      std::string to = word;
      const size_t x = word.find ('x');
      const bool is_id = before == "id" || before == ":";
      if (x == 0 || (x == 1 && word[0] == '~'))
        to = word.substr (0, x + 1) + std::to_string (name (std::atoi (word.c_str () + x + 1)));
      else if (is_id && word[0] >= '0' && word[0] <= '9')
        to = number (word);
      before = word;
      return to;
    });
  }
};

} // namespace adapter
