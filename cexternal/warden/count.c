#include "count.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Processes whose threads are still to be counted. A chain of processes, each the child of the
 * one before, may be as long as the limit. */
struct list {
  pid_t pids[IPAFUZZ_MOST_THREADS];
  int length;
};

/* Appends the processes that a thread has started, as far as one read shows them. */
static void add_children (struct list *list, pid_t pid, const char *thread) {
  char path[64], text[4096];
  snprintf (path, sizeof path, "/proc/%d/task/%.16s/children", (int) pid, thread);
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t n = read (file, text, sizeof text - 1);
  close (file);
  text[n < 0 ? 0 : n] = 0;
  char *rest = text;
  for (char *word; list->length < IPAFUZZ_MOST_THREADS && (word = strtok_r (rest, " ", &rest));)
    list->pids[list->length++] = (pid_t) atoi (word);
}

/* Counts the threads of this process and of those below it, up to most. */
static int threads_below (int most) {
  struct list list = {.pids = {getpid ()}, .length = 1};
  int count = 0;
  for (int i = 0; i < list.length && count < most; i++) {
    char path[64];
    snprintf (path, sizeof path, "/proc/%d/task", (int) list.pids[i]);
    DIR *threads = opendir (path);
    if (!threads) continue;
    for (const struct dirent *entry; count < most && (entry = readdir (threads));)
      if (isdigit ((unsigned char) *entry->d_name)) {
        count++;
        add_children (&list, list.pids[i], entry->d_name);
      }
    closedir (threads);
  }
  return count;
}

static int room_for (int most) { return most - threads_below (most); }

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
