#include "leftover.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the parent of a process, or 0 if it is gone. The second field may contain
 * blanks and parentheses; the last parenthesis ends it. */
static pid_t parent_of (const char *number) {
  char path[64], text[512];
  snprintf (path, sizeof path, "/proc/%.20s/stat", number);
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read (fd, text, sizeof text - 1);
  close (fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char *end = strrchr (text, ')');
  int parent;
  return end && sscanf (end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Counts the children, including zombies, and kills them if kill_them is set. */
static int each_child (int kill_them) {
  DIR *processes = opendir ("/proc");
  if (!processes) return 0;
  int count = 0;
  const pid_t self = getpid ();
  for (const struct dirent *entry; (entry = readdir (processes));) {
    if (!isdigit ((unsigned char) *entry->d_name) || parent_of (entry->d_name) != self) continue;
    count++;
    if (kill_them) kill ((pid_t) atoi (entry->d_name), SIGKILL);
  }
  closedir (processes);
  return count;
}

static int has_children (void) {
  siginfo_t info;
  return !waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL);
}

void ipafuzz_end_leftovers (int kept) {
  if (!has_children () || (kept && each_child (0) <= kept)) return;
  /* The children of a killed process become children of this one: repeat until there are none.
   * The time limit stops a target that forks faster. */
  while (each_child (1)) {
    while (waitpid (-1, 0, WNOHANG | __WALL) > 0) continue;
    usleep (100);
  }
}
