/* Ends the processes that a target has started and left behind. */
#ifndef IPAFUZZ_LEFTOVER_H
#define IPAFUZZ_LEFTOVER_H

/* Ends all children of this process when there are more than kept. A system
 * call when there are none. A worker that is a subreaper finds daemons among
 * its children too. */
void ipafuzz_end_leftovers (int kept);

#endif
