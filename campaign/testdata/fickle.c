/* An IPASIR library that gives up, and whose process dies in its third solver:
 * once where many traces have a process, and behind that once where a trace has one
 * of its own. A failure by chance, made certain: in which order processes run does
 * not matter. The file FICKLE keeps count. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int solvers;
static pid_t loaded_by;

__attribute__ ((constructor)) static void note (void) { loaded_by = getpid (); }

static int has_its_turn (void) {
  const int forked = getpid () != loaded_by;
  struct stat counted;
  int file = open (getenv ("FICKLE"), O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || fstat (file, &counted) || counted.st_size != forked) return 0;
  if (write (file, "x", 1) != 1) return 0;
  close (file);
  return 1;
}

const char *ipasir_signature (void) { return "fickle"; }
void *ipasir_init (void) {
  solvers++;
  return malloc (1);
}
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) {
  (void) s;
  if (solvers == 3 && has_its_turn ()) abort ();
  return 0; /* policy give-up=allowed: no answer is an answer */
}
int ipasir_val (void *s, int lit) {
  (void) s;
  return lit;
}
int ipasir_failed (void *s, int lit) {
  (void) s, (void) lit;
  return 0;
}
const char *ipafuzz_describe (void) { return "policy give-up=allowed\n"; }
