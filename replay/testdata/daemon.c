/* A process that leaves its parents and its session, and has a misleading name. */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void start_daemon (void) {
  const pid_t child = fork ();
  if (child) {
    waitpid (child, 0, 0);
    return;
  }
  setsid ();
  if (fork ()) _exit (0);
  prctl (PR_SET_NAME, "x) S 1 (");
  prctl (PR_SET_PDEATHSIG, 0);
  for (;;) pause ();
}

#define AT_INIT start_daemon ()
#include "honest.h"
