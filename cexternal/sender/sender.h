/* Who sent the first of the signals that end a command. */
#ifndef IPAFUZZ_SENDER_H
#define IPAFUZZ_SENDER_H

enum ipafuzz_origin {
  IPAFUZZ_NOBODY,  /* no signal has come */
  IPAFUZZ_OUTSIDE, /* a process that is not below this one, or the kernel (Ctrl-C in a terminal) */
  IPAFUZZ_BELOW,   /* a process that this one has started, or one below it */
  IPAFUZZ_GONE     /* a process that ended before its parent was looked up */
};

struct ipafuzz_sender {
  int origin, signal, pid;
};

/* Records from now on who sends the signal, and then calls the previous handler. Returns 0 or an
 * error number. */
int ipafuzz_watch_sender (int signal);

struct ipafuzz_sender ipafuzz_first_sender (void);

#endif
