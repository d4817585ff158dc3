/* An IPASIR library that gives up and crashes in the third solver of its process: first
 * once in a process with many traces, then once in a process with one trace. It imitates
 * a flaky failure independently of the order of processes. The file FICKLE counts. */
#include "inert.h"
#include <fcntl.h>
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
int ipasir_solve (void *s) {
  (void) s;
  if (solvers == 3 && has_its_turn ()) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
