/* An IPASIR library that crashes in every process that loaded it at the wrong time: the
 * first two times, and later every third time. It imitates a failure that depends on addresses. The
 * file MOODY counts how often the library was loaded. */
#include "inert.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_bad;

__attribute__ ((constructor)) static void load (void) {
  struct stat counted;
  int file = open (getenv ("MOODY"), O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || fstat (file, &counted)) return;
  is_bad = counted.st_size < 2 || (counted.st_size > 4 && counted.st_size % 3 == 0);
  if (write (file, "x", 1) == 1) close (file);
}

const char *ipasir_signature (void) { return "moody"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  if (is_bad) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
