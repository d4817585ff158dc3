/* Installs handlers of its own once, with the first solver; a library may do so
 * and never take them away. */
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
