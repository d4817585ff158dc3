/* Sockets of this machine, which have a path or a name. */
#ifndef IPAFUZZ_SOCKETS_H
#define IPAFUZZ_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum ipafuzz_reach {
  IPAFUZZ_REACH_OWN,    /* the socket belongs to the target, or helps the C library */
  IPAFUZZ_REACH_SYSTEM, /* a service of the system: to the target, nobody listens there */
  IPAFUZZ_REACH_FOREIGN /* it belongs to somebody else */
};

/* Finds out who owns the socket that the address of a call names. If the call binds the address,
 * the address belongs to the target from then on. Writes the path or name of a foreign socket. */
enum ipafuzz_reach ipafuzz_reach (pid_t pid, uint64_t address, uint64_t size, int binds,
                                  const char *directory, char *path, size_t room);

#endif
