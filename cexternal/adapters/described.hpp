// Which values an option has, according to the text of ipafuzz_describe (docs/policies.md).
// ipafuzz refuses other values itself in a user's trace, but a trace that was made for another
// solver may have an option of the same name with other values: libraries abort on them, or
// search forever, as they were told.
//
// mistake says that the adapter itself is at fault, and not the library (docs/targets.md).
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>

#include <unistd.h>

namespace adapter {

inline bool is_bool (const std::string &usual, const std::string &value) {
  static const char *const pairs[][2] = {
    {"false", "true"}, {"0", "1"}, {"no", "yes"}, {"off", "on"}};
  for (const auto &pair : pairs)
    if (usual == pair[0] || usual == pair[1]) return value == pair[0] || value == pair[1];
  return false;
}

inline bool is_number (const std::string &text, long double low, long double high, bool is_whole) {
  const char *const digits = is_whole ? "0123456789-" : "0123456789+-.eE";
  if (text.empty () || text.find_first_not_of (digits) != std::string::npos) return false;
  char *end = nullptr;
  const long double number = std::strtold (text.c_str (), &end);
  return !*end && low <= number && number <= high;
}

inline bool is_choice (const std::string &choices, const std::string &value) {
  return !value.empty () && value.find ('|') == std::string::npos &&
         ("|" + choices + "|").find ("|" + value + "|") != std::string::npos;
}

// Returns whether the description has the option, with the value.
inline bool describes (const char *description, const std::string &name, const std::string &value) {
  const std::string text = std::string ("\n") + description;
  size_t at = std::string::npos;
  for (const char *word : {"\noption ", "\nfixed "})
    if (at == std::string::npos) at = text.find (word + name + ' ');
  if (at == std::string::npos) return false;
  std::istringstream line (text.substr (at + 1, text.find ('\n', at + 1) - at - 1));
  std::string word, kind, first;
  long double low = 0, high = 0;
  line >> word >> word >> kind;
  if (kind == "int" || kind == "real") {
    line >> low >> high;
    return is_number (value, low, high, kind == "int");
  }
  line >> first;
  return kind == "bool" ? is_bool (first, value) : kind == "choice" && is_choice (first, value);
}

[[noreturn]] inline void mistake (const std::string &what) {
  const std::string line = "\nipafuzz-mistake: " + what + "\n";
  if (write (2, line.data (), line.size ()) < 0) _exit (71);
  _exit (70);
}

} // namespace adapter
