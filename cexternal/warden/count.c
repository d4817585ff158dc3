#include "count.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 32 };

static int threads_below (pid_t pid, int depth, int most);

/* Counts the threads of the processes that a thread has started, as far as one read shows them. */
static int below_thread (pid_t pid, const char *thread, int depth, int most) {
  char path[64], text[4096];
  snprintf (path, sizeof path, "/proc/%d/task/%.16s/children", (int) pid, thread);
  const int list = open (path, O_RDONLY | O_CLOEXEC);
  if (list < 0) return 0;
  const ssize_t n = read (list, text, sizeof text - 1);
  close (list);
  text[n < 0 ? 0 : n] = 0;
  int count = 0;
  char *rest = text;
  for (char *word; count < most && (word = strtok_r (rest, " ", &rest));)
    count += threads_below ((pid_t) atoi (word), depth + 1, most - count);
  return count;
}

/* Counts the threads of a process and of those below it. */
static int threads_below (pid_t pid, int depth, int most) {
  if (depth == DEEPEST) return 1;
  char path[64];
  snprintf (path, sizeof path, "/proc/%d/task", (int) pid);
  DIR *threads = opendir (path);
  if (!threads) return 0;
  int count = 0;
  for (const struct dirent *entry; count < most && (entry = readdir (threads));)
    if (isdigit ((unsigned char) *entry->d_name))
      count += 1 + below_thread (pid, entry->d_name, depth, most - count);
  closedir (threads);
  return count;
}

static int room_for (int most) { return most - threads_below (getpid (), 0, most); }

int ipafuzz_is_full (void) { return room_for (IPAFUZZ_MOST_OF_PROGRAM) <= 0; }

void ipafuzz_say_too_many (const char *call, int most, char *text, size_t size) {
  snprintf (text, size, "%s of more than %d processes and threads", call, most);
}

int ipafuzz_may_start (void) {
  static int left; /* how many may start before the next count */
  if (left > 0) {
    left--;
    return 1;
  }
  const int room = room_for (IPAFUZZ_MOST_THREADS);
  left = room / 2; /* ignores that some end meanwhile */
  return room > 0;
}
