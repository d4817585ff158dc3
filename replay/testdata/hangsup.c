/* Sends itself SIGHUP, which nohup makes a process ignore, and SIGPIPE, which Python ignores. */
#include <signal.h>
#include <unistd.h>

#ifndef SIGNAL
#define SIGNAL SIGHUP
#endif

#define AT_SOLVE kill (getpid (), SIGNAL)
#include "honest.h"
