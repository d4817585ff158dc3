/* Ignores or handles every possible signal, removes all timers and hides its name; then
 * crashes (clause 666) or never returns (with -DENDLESS). */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int *volatile nothing;
static int volatile endless = 1;

static void handler (int signal) { _exit (128 + signal); }

static void defy (void) {
  alarm (0);
  for (int i = 1; i < 65; i++) signal (i, i == SIGSEGV ? handler : SIG_IGN);
  prctl (PR_SET_PDEATHSIG, 0);
  const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit (RLIMIT_FSIZE, &none);
}

#ifdef ENDLESS
#define AT_SOLVE \
  while (endless) continue
#else
#define AT_SOLVE *nothing = endless
#endif
#define AT_INIT defy ()
#include "honest.h"
