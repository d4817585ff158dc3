/* An IPASIR library that gives up, and whose process dies in its third solver, but
 * so many times in all processes together and never again: a failure by chance,
 * made certain. The file FICKLE keeps count; FICKLE_TIMES says how often. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int solvers;

static int once_more (void)
{
  struct stat counted;
  int file = open (getenv ("FICKLE"), O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || fstat (file, &counted) || counted.st_size >= atoi (getenv ("FICKLE_TIMES"))) return 0;
  if (write (file, "x", 1) != 1) return 0;
  close (file);
  return 1;
}

const char *ipasir_signature (void) { return "fickle"; }
void *ipasir_init (void) { solvers++; return malloc (1); }
void ipasir_release (void *s) { free (s); }
void ipasir_add (void *s, int lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int lit) { (void) s, (void) lit; }
int ipasir_solve (void *s)
{
  (void) s;
  if (solvers == 3 && once_more ()) abort ();
  return 0; /* policy give-up=allowed: no answer is an answer */
}
int ipasir_val (void *s, int lit) { (void) s; return lit; }
int ipasir_failed (void *s, int lit) { (void) s, (void) lit; return 0; }
const char *ipafuzz_describe (void) { return "policy give-up=allowed\n"; }
