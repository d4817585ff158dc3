// The proof that CaDiCaL writes into memory, with the user's variables. Variables that the solver
// adds by itself get numbers that the user does not use, from INT32_MAX down.
//
// - The proof is text: its lines are rewritten. Lines of no known format stay as they are.
// - In lrat and veripb, lines get other ids, too (cadical_ids.hpp).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_map>

#include <cadical.hpp>

#ifdef CADICAL_SOURCES
#include "cadical_ids.hpp"
#endif

namespace adapter {

class Proof {
public:
  bool set (const std::string &value) { return format = value, true; }
  const std::string &name () const { return format; }
  bool is_wanted () const { return format != "none"; }
  bool is_open () const { return file; }
  // The proof covers what the client said in all solves, and nothing else.
  bool is_incremental () const { return format == "idrup" || format == "lidrup"; }
  // In these formats, each search of the solver, also a slice or propagate, leaves its own lines in
  // the proof: a status, or in frat the end of all remaining clauses.
  bool has_searches () const { return is_incremental () || format == "frat" || format == "veripb"; }

  // Called before the solver gets anything but an option.
  void open (CaDiCaL::Solver &engine) {
    engine.set ("binary", 0);
    // veripb=3 writes steps that follow by unit propagation.
    if (format != "drat") engine.set (format.c_str (), format == "veripb" ? 3 : 1);
    file = open_memstream (&buffer, &size);
    if (!file) return;
    engine.trace_proof (file, "<memory>");
#ifdef CADICAL_SOURCES
    if (has_ids ()) engine.connect_proof_tracer (&ids, false);
#endif
  }

  void close (CaDiCaL::Solver &engine) {
    if (!file) return;
#ifdef CADICAL_SOURCES
    if (has_ids ()) engine.disconnect_proof_tracer (&ids);
#endif
    engine.close_proof_trace ();
    std::fclose (file);
    std::free (buffer);
    file = nullptr;
  }

  // Returns the proof so far, or null. user returns the user's variable, or 0 if there is none;
  // used reports whether the user has a variable.
  const std::string *text (CaDiCaL::Solver &engine, const std::function<int (int)> &user,
                           const std::function<bool (int)> &used) {
    if (!file) return nullptr;
    engine.flush_proof_trace ();
    std::fflush (file);
    translated.clear ();
#ifdef CADICAL_SOURCES
    if (has_ids ()) translated = ids.header (format);
#endif
    const auto name = [&] (int variable) {
      if (const int known = user (variable)) return known;
      int &other = added[variable];
      while (!other || used (other)) other = next--;
      return other;
    };
    for (size_t from = 0; from < size;) {
      const char *end = static_cast<const char *> (memchr (buffer + from, '\n', size - from));
      const size_t to = end ? size_t (end - buffer) + 1 : size;
      line (std::string (buffer + from, to - from), name);
      from = to;
    }
    return &translated;
  }

private:
  std::string format = "none", translated;
  std::FILE *file = nullptr;
  char *buffer = nullptr;
  size_t size = 0;
  std::unordered_map<int, int> added;
  int next = INT32_MAX;
#ifdef CADICAL_SOURCES
  Ids ids;
#endif

  bool has_ids () const { return format == "lrat" || format == "veripb"; }

  // The number of words in front of the literals, -1 for a line without any.
  int words_before (char letter) const {
    const auto is = [&] (const char *these) { return letter && std::strchr (these, letter); };
    if (format == "drat") return letter ? letter == 'd' ? 1 : -1 : 0;
    if (format == "frat") return is ("oadf") ? 2 : -1;
    if (format == "idrup") return is ("ildwrqmue") ? 1 : -1;
    return is ("il") ? 2 : is ("qmue") ? 1 : -1;
  }

  void line (const std::string &from, const std::function<int (int)> &name) {
#ifdef CADICAL_SOURCES
    if (has_ids ()) {
      translated += ids.line (format, from, name);
      return;
    }
#endif
    const char letter = from[0] >= 'a' && from[0] <= 'z' ? from[0] : 0;
    int before = words_before (letter);
    if (before < 0) {
      translated += from;
      return;
    }
    const char *at = from.c_str ();
    for (; before > 0; before--) {
      const char *blank = std::strchr (at, ' ');
      if (!blank) break;
      translated.append (at, blank + 1);
      at = blank + 1;
    }
    while (true) {
      char *end = nullptr;
      const long number = std::strtol (at, &end, 10);
      if (end == at || !number) break;
      const int variable = name (int (std::labs (number)));
      translated += std::to_string (number < 0 ? -variable : variable);
      while (*end == ' ') translated += *end++;
      at = end;
    }
    translated += at;
  }
};

} // namespace adapter
