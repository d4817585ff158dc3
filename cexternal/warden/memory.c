#include "memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int ipafuzz_resolve (pid_t pid, int at, const char *path, int follow, char *result) {
  char whole[2 * PATH_MAX];
  if (*path == '/')
    snprintf (whole, sizeof whole, "%s", path);
  else if (at == AT_FDCWD)
    snprintf (whole, sizeof whole, "/proc/%d/cwd/%s", (int) pid, path);
  else
    snprintf (whole, sizeof whole, "/proc/%d/fd/%d/%s", (int) pid, at, path);
  if (follow && realpath (whole, result)) return 1;
  for (size_t end = strlen (whole); end > 1 && whole[end - 1] == '/'; end--) whole[end - 1] = 0;
  char *slash = strrchr (whole, '/');
  char last[PATH_MAX];
  snprintf (last, sizeof last, "%s", slash + 1);
  *slash = 0;
  if (!realpath (*whole ? whole : "/", result)) return 0;
  const size_t length = strlen (result);
  snprintf (result + length, PATH_MAX - length, "/%s", last);
  return 1;
}

int ipafuzz_is_below (const char *path, const char *directory) {
  const size_t n = strlen (directory);
  return !strncmp (path, directory, n) && (!path[n] || path[n] == '/');
}
