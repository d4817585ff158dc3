/* Preloaded, makes the second, third and fourth fork of a process and its parents fail as
 * if the user had too many processes. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

pid_t fork (void) {
  static int forks;
  if (++forks >= 2 && forks <= 4) {
    errno = EAGAIN;
    return -1;
  }
  pid_t (*real) (void);
  void *address = dlsym (RTLD_NEXT, "fork");
  memcpy (&real, &address, sizeof real);
  return real ();
}
