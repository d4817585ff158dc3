/* Catches the signals that a dying target raises and notes what is known. */
#ifndef IPAFUZZ_CRASH_H
#define IPAFUZZ_CRASH_H

#include "worker.h"

/* To be called once, before the target is loaded. */
void ipafuzz_prepare_crashes (void);

/* Installs the handlers, again and again: libraries put their own in place. */
void ipafuzz_catch_crashes (void);

/* Where the next crash is noted. */
void ipafuzz_crash_goes_to (struct ipafuzz_job *job);

#endif
