// An IPASIR library in C++: std::bad_alloc leaves its functions, unless the variable is 1.
#include <cstdint>
#include <new>
#include <vector>

struct solver {
  std::vector<int> lits;
  bool full = false;
};

extern "C" {
const char *ipasir_signature () { return "throws"; }
void *ipasir_init () { return new solver; }
void ipasir_release (void *s) { delete static_cast<solver *> (s); }
void ipasir_add (void *s, int32_t lit) {
  solver *of = static_cast<solver *> (s);
  std::vector<int> added;
  if (lit != 1) {
    added.reserve (100);
    return;
  }
  try {
    added.reserve (100);
  } catch (const std::bad_alloc &) {
    of->full = true;
  }
}
void ipasir_assume (void *, int32_t) {}
int ipasir_solve (void *s) { return static_cast<solver *> (s)->full ? 0 : 10; }
int32_t ipasir_val (void *, int32_t lit) { return lit; }
int ipasir_failed (void *, int32_t) { return 0; }
}
