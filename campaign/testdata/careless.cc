/* An IPASIR library in C++ that gives up. Three of its functions let std::bad_alloc out: add from
 * two places, init and solve from one each. Only assume catches it. */
#include <new>

static void allocate (int size) { ::operator delete (::operator new (size)); }

extern "C" {
const char *ipasir_signature () { return "careless"; }
void *ipasir_init () { return ::operator new (1); }
void ipasir_release (void *s) { ::operator delete (s); }
__attribute__ ((noinline)) static void remember (int lit) { allocate (lit < 0 ? 2 : 1); }
void ipasir_add (void *, int lit) {
  if (lit)
    remember (lit);
  else
    allocate (3);
}
void ipasir_assume (void *, int) {
  try {
    allocate (4);
  } catch (const std::bad_alloc &) {
  }
}
int ipasir_solve (void *) {
  allocate (5);
  return 0; // interrupted: the policy give-up=allowed permits it
}
int ipasir_val (void *, int) { return 0; }
int ipasir_failed (void *, int) { return 0; }
const char *ipafuzz_describe () { return "policy give-up=allowed\n"; }
}
