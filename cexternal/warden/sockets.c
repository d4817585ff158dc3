#include "sockets.h"

#include "memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Sockets at which the C library looks up users and machines, and to which it writes its log. */
static const char *const helpers[] = {
  "/dev/log",   "/run/systemd/journal", "/run/systemd/resolve", "/run/systemd/userdb", "/run/nscd",
  "/run/nslcd", "/run/avahi-daemon",    "/var/lib/sss/pipes",   "/run/samba/winbindd"};

static enum ipafuzz_reach reach_path (const char *path, int binds, const char *directory) {
  struct stat is;
  if (ipafuzz_is_below (path, directory)) return IPAFUZZ_REACH_OWN;
  if (binds) return IPAFUZZ_REACH_FOREIGN;                                  /* it makes a file */
  if (stat (path, &is) || !S_ISSOCK (is.st_mode)) return IPAFUZZ_REACH_OWN; /* and will fail */
  for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
    if (ipafuzz_is_below (path, helpers[i])) return IPAFUZZ_REACH_OWN;
  if (ipafuzz_is_below (path, "/run") && !ipafuzz_is_below (path, "/run/user"))
    return IPAFUZZ_REACH_SYSTEM;
  return IPAFUZZ_REACH_FOREIGN;
}

/* The names without a path that the target has bound. */
static struct bound {
  struct bound *next;
  size_t size;
  char text[sizeof ((struct sockaddr_un *) 0)->sun_path];
} * bound;
static int has_unnamed; /* the target let the kernel choose a name: a NUL and five hex digits */

static int is_bound (const char *text, size_t size) {
  for (const struct bound *b = bound; b; b = b->next)
    if (b->size == size && !memcmp (b->text, text, size)) return 1;
  if (!has_unnamed || size != 6) return 0;
  for (size_t i = 1; i < size; i++)
    if (!isxdigit ((unsigned char) text[i])) return 0;
  return 1;
}

static void note_bound (const char *text, size_t size) {
  struct bound *b = is_bound (text, size) ? 0 : malloc (sizeof *b);
  if (!b) return;
  b->next = bound;
  b->size = size;
  memcpy (b->text, text, size);
  bound = b;
}

/* Whether a socket of this machine has the name; printed has an @ in place of each NUL. */
static int is_name_of_socket (const char *printed) {
  FILE *all = fopen ("/proc/net/unix", "r");
  if (!all) return 1;
  char line[512];
  int found = 0;
  while (!found && fgets (line, sizeof line, all)) {
    line[strcspn (line, "\n")] = 0;
    const char *at = strstr (line, " @");
    found = at && !strcmp (at + 1, printed);
  }
  fclose (all);
  return found;
}

enum ipafuzz_reach ipafuzz_reach (pid_t pid, uint64_t address, uint64_t size, int binds,
                                  const char *directory, char *path, size_t room) {
  struct sockaddr_un to = {0};
  char text[sizeof to.sun_path + 1] = "", whole[PATH_MAX];
  if (size > sizeof to) size = sizeof to;
  size = ipafuzz_read (pid, address, &to, size);
  const size_t head = offsetof (struct sockaddr_un, sun_path);
  if (size < head || to.sun_family != AF_UNIX) return IPAFUZZ_REACH_OWN;
  const size_t length = size - head;
  if (!length) {
    has_unnamed |= binds;
    return IPAFUZZ_REACH_OWN;
  }
  memcpy (text, to.sun_path, length);
  if (*text) {
    if (!ipafuzz_resolve (pid, AT_FDCWD, text, 1, whole)) return IPAFUZZ_REACH_OWN;
    snprintf (path, room, "%s", whole);
    return reach_path (whole, binds, directory);
  }
  if (binds) {
    note_bound (text, length);
    return IPAFUZZ_REACH_OWN;
  }
  if (is_bound (text, length)) return IPAFUZZ_REACH_OWN;
  for (size_t i = 0; i < length; i++)
    if (!text[i]) text[i] = '@';
  snprintf (path, room, "%s", text);
  return is_name_of_socket (text) ? IPAFUZZ_REACH_FOREIGN : IPAFUZZ_REACH_OWN;
}
