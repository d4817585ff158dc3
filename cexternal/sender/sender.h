/* Who sent the first of the signals that end a command. */
#ifndef IPAFUZZ_SENDER_H
#define IPAFUZZ_SENDER_H

enum ipafuzz_origin {
  IPAFUZZ_NOBODY,  /* no signal has come */
  IPAFUZZ_OUTSIDE, /* a process that is not below this one, or the kernel, as a terminal asks */
  IPAFUZZ_BELOW,   /* a process that this one has started, or one below it */
  IPAFUZZ_GONE     /* a process that had ended when it was looked for */
};

struct ipafuzz_sender {
  int origin, signal, pid;
};

/* Notes who sends the signal from now on, and then does what was done before. Returns 0, or
 * an error number. */
int ipafuzz_watch_sender (int signal);

struct ipafuzz_sender ipafuzz_first_sender (void);

#endif
