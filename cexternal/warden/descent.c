#include "descent.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a file of /proc, cut to the size. Returns 0 if there is none. */
static int read_file (const char *path, char *text, size_t size) {
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t n = read (file, text, size - 1);
  close (file);
  text[n > 0 ? n : 0] = 0;
  return n > 0;
}

int ipafuzz_depth (pid_t pid, pid_t above) {
  enum { DEEPEST = 2048 }; /* more than the processes that a target may have */
  for (int depth = 0; depth < DEEPEST && pid > 1; depth++) {
    if (pid == above) return depth;
    char path[64], text[512];
    snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
    if (!read_file (path, text, sizeof text)) return -1;
    const char *end = strrchr (text, ')');
    int parent;
    if (!end || sscanf (end, ") %*c %d", &parent) != 1) return -1;
    pid = parent;
  }
  return -1;
}

int ipafuzz_same_process (pid_t one, pid_t other) {
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/task/%d", (int) one, (int) other);
  return !access (path, F_OK);
}

pid_t ipafuzz_process_of (pid_t pid, int fd) {
  char name[64], text[1024];
  snprintf (name, sizeof name, "/proc/%d/fdinfo/%d", (int) pid, fd);
  if (!read_file (name, text, sizeof text)) return 0;
  const char *line = strstr (text, "\nPid:");
  const int of = line ? atoi (line + sizeof "\nPid:" - 1) : 0;
  return of > 0 ? of : 0;
}
