/* System calls that only a filter can stop. They change nothing where they are allowed.
 * HOSTILE_HOME and HOSTILE_PID have the same meaning as in files.c and neighbours.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

static const char *file (void) {
  static char path[4096];
  const char *home = getenv ("HOSTILE_HOME");
  snprintf (path, sizeof path, "%s/precious.txt", home ? home : "/nonexistent");
  return path;
}
static int neighbour (void) {
  const char *text = getenv ("HOSTILE_PID");
  return text ? atoi (text) : -1;
}
static void call_lchown (void) { (void) !lchown (file (), (uid_t) -1, (gid_t) -1); }
static void call_chown (void) { (void) !chown (file (), (uid_t) -1, (gid_t) -1); }
static void call_fchownat (void) {
  (void) !fchownat (AT_FDCWD, file (), (uid_t) -1, (gid_t) -1, AT_SYMLINK_NOFOLLOW);
}
static void call_fchown (void) {
  (void) !fchown (open (file (), O_RDONLY), (uid_t) -1, (gid_t) -1);
}
static void call_fchmodat2 (void) { syscall (452, AT_FDCWD, file (), 0644, 0); }
static void call_utimes (void) {
#ifdef SYS_utimes
  struct stat is;
  stat (file (), &is);
  const struct timeval same[2] = {{is.st_atime, 0}, {is.st_mtime, 0}};
  syscall (SYS_utimes, file (), same);
#endif
}
static void call_sched_setscheduler (void) {
  const struct sched_param none = {0};
  sched_setscheduler (neighbour (), SCHED_OTHER, &none);
}
static void call_sched_setparam (void) {
  const struct sched_param none = {0};
  sched_setparam (neighbour (), &none);
}
static void call_sched_setattr (void) {
  unsigned none[12] = {sizeof none}; /* the size comes first, then all is 0 */
  syscall (SYS_sched_setattr, neighbour (), none, 0);
}
static void call_ioprio_set (void) { syscall (SYS_ioprio_set, 1, neighbour (), 0); }
static void call_pidfd_getfd (void) {
  syscall (SYS_pidfd_getfd, syscall (SYS_pidfd_open, neighbour (), 0), 0, 0);
}
static void call_clock_settime (void) {
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  syscall (SYS_clock_settime, CLOCK_REALTIME, &now);
}
/* Changes the priority of all processes of a user: of one who has none but this child, in case it
 * is allowed. Only root can become that user. */
static void slow_user (int reading) {
  const pid_t child = fork ();
  if (!child) {
    if (setresuid (65533, 65533, 65533)) _exit (0);
    if (reading)
      syscall (SYS_ioprio_set, 3 /* a user */, 0, 2 << 13 | 5);
    else
      setpriority (PRIO_USER, 0, 5);
    _exit (0);
  }
  waitpid (child, 0, 0);
}
static void call_setpriority_user (void) { slow_user (0); }
static void call_ioprio_set_user (void) { slow_user (1); }
static void call_fcntl (void) {
  int ends[2];
  if (pipe (ends)) abort ();
  const struct f_owner_ex owner = {F_OWNER_PID, neighbour ()};
  fcntl (ends[0], F_SETOWN, getpid ());
  fcntl (ends[0], F_SETOWN_EX, &owner);
}
static void call_ioctl (void) { ioctl (0, TIOCSTI, ""); }
static void call_socket (void) { close (socket (AF_PACKET, SOCK_RAW, 0)); }

/* The following calls must fail in every target as they do on an older kernel or machine. */
static void must_be_unknown (long result, int error) {
  if (result != -1 || error != ENOSYS) abort ();
}
static void call_io_uring_setup (void) {
  char parameters[120] = "";
  const long ring = syscall (SYS_io_uring_setup, 1, parameters);
  must_be_unknown (ring, errno);
}
static void call_openat2 (void) {
  struct open_how how;
  memset (&how, 0, sizeof how);
  how.flags = O_WRONLY;
  const long opened = syscall (SYS_openat2, AT_FDCWD, file (), &how, sizeof how);
  must_be_unknown (opened, errno);
}
/* Calls getpid (20) as a 32-bit program does. */
static void call_int80 (void) {
#if defined __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
  if (result != -ENOSYS) abort ();
#endif
}
static void call_add_key (void) {
  const long key =
    syscall (SYS_add_key, "user", "hostile", "x", 1, -1 /* the keyring of this thread */);
  must_be_unknown (key, errno);
}
static void call_x32 (void) {
#if defined __x86_64__
  const long result = syscall (0x40000000 | SYS_getpid);
  must_be_unknown (result, errno);
#endif
}

const struct behaviour calls[] = {{"call-lchown", AT_SOLVE, call_lchown},
                                  {"call-chown", AT_SOLVE, call_chown},
                                  {"call-fchownat", AT_SOLVE, call_fchownat},
                                  {"call-fchown", AT_SOLVE, call_fchown},
                                  {"call-fchmodat2", AT_SOLVE, call_fchmodat2},
                                  {"call-utimes", AT_SOLVE, call_utimes},
                                  {"call-sched_setscheduler", AT_SOLVE, call_sched_setscheduler},
                                  {"call-sched_setparam", AT_SOLVE, call_sched_setparam},
                                  {"call-sched_setattr", AT_SOLVE, call_sched_setattr},
                                  {"call-ioprio_set", AT_SOLVE, call_ioprio_set},
                                  {"call-pidfd_getfd", AT_SOLVE, call_pidfd_getfd},
                                  {"call-clock_settime", AT_SOLVE, call_clock_settime},
                                  {"call-setpriority-user", AT_SOLVE, call_setpriority_user},
                                  {"call-ioprio_set-user", AT_SOLVE, call_ioprio_set_user},
                                  {"call-add_key", AT_SOLVE, call_add_key},
                                  {"call-fcntl", AT_SOLVE, call_fcntl},
                                  {"call-ioctl", AT_SOLVE, call_ioctl},
                                  {"call-socket", AT_SOLVE, call_socket},
                                  {"call-io_uring_setup", AT_SOLVE, call_io_uring_setup},
                                  {"call-openat2", AT_SOLVE, call_openat2},
                                  {"call-int80", AT_SOLVE, call_int80},
                                  {"call-x32", AT_SOLVE, call_x32},
                                  {0, AT_SOLVE, 0}};
