/* An IPASIR library whose processes never end once they have solved something. The size of the file
 * LINGERS is the number of processes that linger. */
#include "inert.h"
#include <fcntl.h>
#include <unistd.h>

static void linger (void) {
  const int file = open (getenv ("LINGERS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || write (file, "x", 1) != 1) abort ();
  for (volatile int i = 0;; i++) continue;
}

const char *ipasir_signature (void) { return "lingers"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  static int registered;
  if (!registered++ && atexit (linger)) abort ();
  return s ? 0 : 10;
}
