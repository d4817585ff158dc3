#ifndef IPAFUZZ_ALLOCATION_H
#define IPAFUZZ_ALLOCATION_H

/* Puts functions that can fail in place of malloc and its like, in the tables of all modules
 * that are loaded and were not seen before, except the C library. Without a request of the
 * executor (ipafuzz_failing in exec.h) they only call the originals. */
void ipafuzz_interpose_allocations (void);

#endif
