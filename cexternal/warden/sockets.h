/* Sockets of this machine, which have a path or a name. */
#ifndef IPAFUZZ_SOCKETS_H
#define IPAFUZZ_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ipafuzz_reach {
  IPAFUZZ_REACH_OWN,    /* the socket belongs to the target, or helps the C library */
  IPAFUZZ_REACH_SYSTEM, /* nobody shall seem to listen */
  IPAFUZZ_REACH_FOREIGN /* it belongs to somebody else */
};

/* Finds out whose socket the address is that a call of a process names. A bound address is the
 * target's own from then on. Writes the path or name of a foreign one. */
enum ipafuzz_reach ipafuzz_reach (pid_t pid, uint64_t address, uint64_t size, int binds,
                                  const char *directory, char *path, size_t room);

#endif
