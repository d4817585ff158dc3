/* An IPASIR library that crashes in every process of a search, and in those fresh processes that
 * have a 1 in FRESH: the first one stands for the first process, and so on. The file SELDOM counts
 * them. It imitates a failure that recurs by chance. Fresh processes that crash take
 * SLOW milliseconds before, as on a busy machine. */
#include "inert.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pid_t loaded_in;
static int fails = -1;

/* A fresh process is forked from the one that has loaded the library. */
__attribute__ ((constructor)) static void load (void) { loaded_in = getpid (); }

static int is_bad (void) {
  struct stat counted;
  int file = open (getenv ("SELDOM"), O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || fstat (file, &counted) || write (file, "x", 1) != 1) return 0;
  close (file);
  const char *fresh = getenv ("FRESH");
  int bad = (size_t) counted.st_size < strlen (fresh) && fresh[counted.st_size] == '1';
  const char *slow = getenv ("SLOW");
  if (bad && slow) usleep (1000 * (useconds_t) atoi (slow));
  return bad;
}

const char *ipasir_signature (void) { return "seldom"; }
void *ipasir_init (void) { return malloc (1); }
int ipasir_solve (void *s) {
  (void) s;
  if (getpid () != loaded_in && fails < 0) fails = is_bad ();
  if (fails) abort ();
  return 0; /* interrupted: the policy give-up=allowed permits it */
}
