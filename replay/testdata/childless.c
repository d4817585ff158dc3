/* As soon as it is loaded, it ignores SIGCHLD or, with -DREAPS, waits for all children in a
 * handler. Aborts in a solve after the clause 666. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#ifdef REAPS
static void reap (int signal) {
  (void) signal;
  while (waitpid (-1, 0, WNOHANG) > 0) continue;
}
#else
#define reap SIG_IGN
#endif
__attribute__ ((constructor)) static void disown (void) { signal (SIGCHLD, reap); }

#define AT_SOLVE abort ()
#include "honest.h"
