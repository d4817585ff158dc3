/* Installs signal handlers with the first solver and never removes them, which a library
 * may do. */
#include <signal.h>
#include <unistd.h>

static int installed;

static void handler (int number) { _exit (number); }

static void install (void) {
  if (installed++) return;
  for (int i = 1; i < 32; i++) signal (i, handler);
}

#define AT_INIT install ()
#define AT_SOLVE abort ()
#include "honest.h"
