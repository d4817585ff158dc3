#ifndef IPAFUZZ_ALLOCATION_H
#define IPAFUZZ_ALLOCATION_H

/* Replaces malloc and its relatives by functions that can fail, in the tables of all modules
 * loaded since the last call, except the C library. Without a request of the executor
 * (ipafuzz_failing in exec.h) they only call the originals. */
void ipafuzz_interpose_allocations (void);

#endif
