/* Killing the processes that a target has started and left behind. */
#ifndef IPAFUZZ_LEFTOVER_H
#define IPAFUZZ_LEFTOVER_H

/* Kills all children of this process if there are more than kept. Costs one system call
 * if there are none. A worker that is a subreaper finds daemons among its children
 * too. */
void ipafuzz_end_leftovers (int kept);

#endif
