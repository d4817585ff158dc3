#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_memory (pid_t pid) {
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/mem", (int) pid);
  return open (name, O_RDONLY | O_CLOEXEC);
}

size_t ipafuzz_read (pid_t pid, uint64_t address, void *to, size_t size) {
  const int memory = open_memory (pid);
  if (memory < 0) return 0;
  const ssize_t n = pread (memory, to, size, (off_t) address);
  close (memory);
  return n < 0 ? 0 : (size_t) n;
}

int ipafuzz_is_hidden (pid_t pid) {
  const int memory = open_memory (pid);
  if (memory >= 0) close (memory);
  return memory < 0;
}

int ipafuzz_read_text (pid_t pid, uint64_t address, char *to, size_t size) {
  const int memory = open_memory (pid);
  if (memory < 0) return 0;
  size_t n = 0; /* reads piece by piece: the next page may be missing */
  while (n < size - 1) {
    const size_t piece = 256 - (address + n) % 256;
    const size_t most = piece < size - 1 - n ? piece : size - 1 - n;
    const ssize_t got = pread (memory, to + n, most, (off_t) (address + n));
    if (got <= 0) break;
    const int done = memchr (to + n, 0, (size_t) got) != 0;
    n += (size_t) got;
    if (done) break;
  }
  close (memory);
  to[n] = 0;
  return *to != 0;
}

/* Replaces the links of /proc that mean another process to each reader: for the warden they would
 * name its own files. Returns the name that they have for the process. */
static const char *own_name (pid_t pid, const char *directory, const char *name, char *space,
                             size_t size) {
  if (strcmp (directory, "/proc")) return name;
  if (!strcmp (name, "self"))
    snprintf (space, size, "%d", (int) pid);
  else if (!strcmp (name, "thread-self"))
    snprintf (space, size, "%d/task/%d", (int) pid, (int) pid);
  else
    return name;
  return space;
}

/* Whether a link of /proc leads to a pipe, a socket or a file without a name: something that
 * belongs to the process. */
static int has_no_path (const char *link, const char *target) {
  struct stat is;
  return !strncmp (link, "/proc/", strlen ("/proc/")) && strstr (link, "/fd/") &&
         (*target != '/' || stat (link, &is) || !is.st_nlink);
}

int ipafuzz_resolve (pid_t pid, int at, const char *path, int follow, char *result) {
  enum { MOST_LINKS = 40 };
  char rest[2 * PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX], number[64];
  if (*path == '/')
    snprintf (rest, sizeof rest, "%s", path);
  else if (at == AT_FDCWD)
    snprintf (rest, sizeof rest, "/proc/%d/cwd/%s", (int) pid, path);
  else
    snprintf (rest, sizeof rest, "/proc/%d/fd/%d/%s", (int) pid, at, path);
  *result = 0;
  size_t length = 0; /* of the result so far, which has no slash at its end */
  for (int links = 0;;) {
    const char *name = rest + strspn (rest, "/");
    if (!*name) break;
    const size_t n = strcspn (name, "/");
    char *after = rest + (name - rest) + n;
    const int is_last = !after[strspn (after, "/")];
    memmove (next, after, strlen (after) + 1);
    *after = 0;
    name = own_name (pid, result, name, number, sizeof number);
    if (!strcmp (name, "..")) {
      char *slash = strrchr (result, '/');
      length = slash ? (size_t) (slash - result) : 0;
      result[length] = 0;
    } else if (strcmp (name, ".")) {
      const size_t before = length;
      if (length + strlen (name) + 2 > PATH_MAX) return 0;
      length += (size_t) snprintf (result + length, PATH_MAX - length, "/%s", name);
      const ssize_t is = is_last && !follow ? -1 : readlink (result, target, sizeof target - 1);
      struct stat exists;
      if (is < 0 && !is_last && lstat (result, &exists) && errno == ENOENT) return 0;
      if (is >= 0) {
        target[is] = 0;
        if (++links > MOST_LINKS || has_no_path (result, target)) return 0;
        length = *target == '/' ? 0 : before;
        result[length] = 0;
        const size_t space = sizeof next - strlen (next);
        if (strlen (target) + 2 > space) return 0;
        memmove (next + strlen (target), next, strlen (next) + 1);
        memcpy (next, target, strlen (target));
      }
    }
    memcpy (rest, next, strlen (next) + 1);
  }
  if (!length) memcpy (result, "/", 2);
  return 1;
}

int ipafuzz_is_below (const char *path, const char *directory) {
  const size_t n = strlen (directory);
  return !strncmp (path, directory, n) && (!path[n] || path[n] == '/');
}
