/* Processes that are started and left behind. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static void spin (void) {
  for (volatile int i = 0;; i++) continue;
}
static void leave_child (void) {
  if (solves > 1) return;
  if (!fork ()) spin ();
}
static void leave_children (void) {
  if (solves > 1) return;
  for (int i = 0; i < 17; i++)
    if (!fork ()) spin ();
}
/* A process of another session whose parents are gone, with a misleading name. */
static void leave_daemon (void) {
  if (solves > 1) return;
  const pid_t child = fork ();
  if (child) {
    waitpid (child, 0, 0);
    return;
  }
  setsid ();
  if (fork ()) _exit (0);
  prctl (PR_SET_NAME, "x) S 1 (");
  prctl (PR_SET_PDEATHSIG, 0);
  spin ();
}
/* Each process starts the next in a session of its own and ends. */
static void leave_runaway (void) {
  if (solves > 1 || fork ()) return;
  for (;;) {
    setsid ();
    if (fork ()) _exit (0);
    usleep (1000);
  }
}
static void leave_program (void) {
  if (solves == 1 && !fork ()) execlp ("sleep", "sleep", "3600", (char *) 0);
}
/* The child goes on with the answers of its parent. */
static void fork_and_go_on (void) {
  if (solves == 1) fork ();
}
static void adopt (void) { prctl (PR_SET_CHILD_SUBREAPER, 1), leave_daemon (); }
static void leave_group (void) { setpgid (0, 0), setsid (), leave_child (); }
static void kill_group (void) { kill (0, SIGKILL); }
static void terminate_parent (void) { kill (getppid (), SIGTERM); }
static void stop_parent (void) { kill (getppid (), SIGSTOP); }
static void kill_parent (void) { kill (getppid (), SIGKILL), sleep (1); }
/* Each process starts more of its kind. */
static void fork_without_end (void) {
  for (;;) fork ();
}
static void *wait_here (void *unused) {
  pause ();
  return unused;
}
static void start_threads (void) {
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init (&small);
  pthread_attr_setstacksize (&small, 1 << 16);
  while (!pthread_create (&thread, &small, wait_here, 0)) continue;
  pause ();
}
/* ipafuzz is the parent of the warden, which is the parent of the worker. */
static void terminate_ipafuzz (void) {
  if (solves < 50) return;
  char path[64], text[512] = "";
  snprintf (path, sizeof path, "/proc/%d/stat", (int) getppid ());
  const int file = open (path, O_RDONLY);
  if (file < 0 || read (file, text, sizeof text - 1) < 0) return;
  close (file);
  const char *end = strrchr (text, ')');
  int above = 0;
  if (end && sscanf (end, ") %*c %d", &above) == 1 && above > 1) kill (above, SIGTERM);
}

const struct behaviour processes[] = {{"leaves-child", AT_SOLVE, leave_child},
                                      {"leaves-17-children", AT_SOLVE, leave_children},
                                      {"leaves-daemon", AT_SOLVE, leave_daemon},
                                      {"leaves-runaway", AT_SOLVE, leave_runaway},
                                      {"leaves-program", AT_SOLVE, leave_program},
                                      {"leaves-group", AT_SOLVE, leave_group},
                                      {"goes-on-twice", AT_SOLVE, fork_and_go_on},
                                      {"forks-without-end", AT_SOLVE, fork_without_end},
                                      {"starts-threads", AT_SOLVE, start_threads},
                                      {"adopts", AT_SOLVE, adopt},
                                      {"kills-group", AT_SOLVE, kill_group},
                                      {"terminates-parent", AT_SOLVE, terminate_parent},
                                      {"stops-parent", AT_SOLVE, stop_parent},
                                      {"kills-parent", AT_SOLVE, kill_parent},
                                      {"terminates-ipafuzz", AT_SOLVE, terminate_ipafuzz},
                                      {0, AT_SOLVE, 0}};
