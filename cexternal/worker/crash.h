/* Catching the signals of a crashing target. */
#ifndef IPAFUZZ_CRASH_H
#define IPAFUZZ_CRASH_H

#include "worker.h"

/* Prepares the handlers and the stack. Called once, before the target is loaded. */
void ipafuzz_prepare_crashes (void);

/* Installs the handlers. Called repeatedly, because libraries install their own. */
void ipafuzz_catch_crashes (void);

/* Directs the record of the next crash to job. Never returns if a thread has crashed before: that
 * crash belongs to the trace before. */
void ipafuzz_crash_goes_to (struct ipafuzz_job *job);

/* Never returns if another thread has crashed and its handler is still noting where. The trace that
 * ran then must not end before the process does, else the next one is blamed. */
void ipafuzz_wait_for_crash (void);

#endif
