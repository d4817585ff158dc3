#ifndef IPAFUZZ_ALLOCATION_H
#define IPAFUZZ_ALLOCATION_H

/* Replaces malloc and its relatives by functions that can fail, in the tables of all modules but
 * the C library. Does nothing if no module was loaded since the last call. The functions only call
 * the originals unless the executor asks for a failure (ipafuzz_failing in exec.h). */
void ipafuzz_interpose_allocations (void);

#endif
