#include "warden.h"

#include "contain.h"
#include "count.h"
#include "decide.h"
#include "descent.h"
#include "shared.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SETUP = 125 };

static struct ipafuzz_ward ward;
static int ipafuzz; /* the socket */
static pid_t target;
static int calls = -1; /* delivers system calls that wait for a decision */

static void tell (const struct ipafuzz_word *word) {
  while (send (ipafuzz, word, sizeof *word, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

static void say (uint32_t kind, pid_t pid, int number) {
  const struct ipafuzz_word word = {.kind = kind, .pid = pid, .number = number};
  tell (&word);
}

static uint64_t nanos (struct timeval t) {
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_usec * 1000u;
}

static void say_ended (int status) {
  struct rusage all;
  getrusage (RUSAGE_CHILDREN, &all);
  const struct ipafuzz_word word = {.kind = IPAFUZZ_ENDED,
                                    .pid = target,
                                    .number = status,
                                    .cpu_nanos = nanos (all.ru_utime) + nanos (all.ru_stime)};
  tell (&word);
}

/* Kills the children of this process. The children of a killed process become children of
 * this one, where a second round finds them. Returns 0 if the kernel does not list children. */
static int kill_children (void) {
  char path[64], text[4096];
  snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
  const int list = open (path, O_RDONLY | O_CLOEXEC);
  if (list < 0) return 0;
  const ssize_t n = read (list, text, sizeof text - 1); /* the next round gets the rest */
  close (list);
  text[n < 0 ? 0 : n] = 0;
  if (n == (ssize_t) sizeof text - 1) *strrchr (text, ' ') = 0; /* the last number may be cut */
  char *rest = text;
  for (char *word; (word = strtok_r (rest, " ", &rest));) kill ((pid_t) atoi (word), SIGKILL);
  return 1;
}

static void end_processes (void) {
  for (;;) {
    pid_t ended;
    while ((ended = waitpid (-1, 0, WNOHANG | __WALL)) > 0) continue;
    if (ended < 0 && errno != EINTR) return;
    if (!kill_children ()) return;
    usleep (100);
  }
}

/* Ends everything below this process, and removes what would outlive it. */
static void end_the_rest (void) {
  end_processes ();
  ipafuzz_remove_shared ();
}

/* Ends the way the target did. */
static _Noreturn void end_like (int status) {
  if (WIFEXITED (status)) _exit (WEXITSTATUS (status));
  const struct rlimit none = {0, 0};
  setrlimit (RLIMIT_CORE, &none);
  signal (WTERMSIG (status), SIG_DFL);
  kill (getpid (), WTERMSIG (status)); /* acts when it is unblocked below */
  sigset_t all;
  sigfillset (&all);
  sigprocmask (SIG_UNBLOCK, &all, 0);
  _exit (EXIT_SETUP);
}

/* Waits for children that have ended. Returns 1 when the target is one of them. */
static int reap (int *status) {
  int found = 0, how;
  for (pid_t pid; (pid = waitpid (-1, &how, WNOHANG | __WALL)) > 0;)
    if (pid == target) {
      *status = how;
      found = 1;
    }
  return found;
}

/* Closes the files of the target here: a reader may wait until all ends of a pipe are closed. */
static void close_the_rest (int signals) {
  const int nothing = open ("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++)
    if (nothing < 0 || dup2 (nothing, fd) < 0) close (fd);
  enum { FEW = 64 }; /* few are inherited: exec closes the files that Go has opened */
  for (int fd = 3; fd < FEW; fd++)
    if (fd != ipafuzz && fd != signals && fd != calls) close (fd);
}

static void decide (void) {
  const struct ipafuzz_rules rules = {.above = getpid (),
                                      .directory = ward.directory,
                                      .is_library = (ward.flags & IPAFUZZ_WARD_LIBRARY) != 0,
                                      .first = ward.flags & IPAFUZZ_WARD_FORKS ? 2 : 1};
  static int has_refused; /* ipafuzz wants to know of the first time */
  struct ipafuzz_word word = {.pid = target};
  word.kind = (uint32_t) ipafuzz_decide (calls, &rules, word.text, sizeof word.text);
  if (word.kind && (word.kind != IPAFUZZ_REFUSED || !has_refused++)) tell (&word);
}

static void end_target (int with) {
  kill (ward.flags & IPAFUZZ_WARD_GROUP ? -target : target, with);
}

/* Whether the warden counts the processes below it from time to time. */
static int is_counted (void) {
  return (ward.flags & IPAFUZZ_WARD_CONTAIN) && !(ward.flags & IPAFUZZ_WARD_LIBRARY);
}

enum { COUNT_EACH = 20 /* ms */ };

/* Ends a target that has started too many processes or fills shared memory, if it is time to
 * count. */
static void count (void) {
  static int64_t counted;
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  const int64_t ms = (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (ms < counted + COUNT_EACH) return;
  counted = ms;
  struct ipafuzz_word word = {.kind = IPAFUZZ_VIOLATED, .pid = target};
  ipafuzz_settle_files ();
  if (is_counted () && ipafuzz_is_full ())
    ipafuzz_say_too_many ("fork", IPAFUZZ_MOST_OF_PROGRAM, word.text, sizeof word.text);
  else if (ward.shared_bytes && ipafuzz_shared_bytes () > ward.shared_bytes)
    snprintf (word.text, sizeof word.text, "write of more than %llu MB into shared memory",
              (unsigned long long) ward.shared_bytes / 1000000);
  else
    return;
  end_target (SIGKILL);
  tell (&word);
}

/* Makes the warden run before all processes that a program may start, if the user has the right
 * to do that. RLIMIT_NPROC limits the processes of users without this right, and only those. */
static void go_first (void) {
  const struct sched_param least = {.sched_priority = 1};
  sched_setscheduler (0, SCHED_RR | SCHED_RESET_ON_FORK, &least);
}

/* Looks after the target until it ends or must end. */
static _Noreturn void look_after (int signals) {
  const int counts = is_counted ();
  struct pollfd all[] = {{.fd = ipafuzz, .events = POLLIN},
                         {.fd = signals, .events = POLLIN},
                         {.fd = calls, .events = POLLIN}};
  int status = 0;
  if (counts) go_first ();
  for (;;) {
    const int again = counts || (ward.shared_bytes && ipafuzz_has_shared ());
    if (poll (all, 3, again ? COUNT_EACH : -1) < 0) {
      if (errno != EINTR) _exit (EXIT_SETUP);
      continue;
    }
    if (again) count ();
    if (all[2].revents & POLLIN)
      decide ();
    else if (all[2].revents)
      all[2].fd = -1; /* no process is left whose calls could wait */
    struct signalfd_siginfo info;
    int ended = 0;
    while (all[1].revents && read (signals, &info, sizeof info) == (ssize_t) sizeof info) {
      if (info.ssi_signo == SIGCHLD)
        ended |= reap (&status);
      else if (info.ssi_pid && ipafuzz_depth ((pid_t) info.ssi_pid, getpid ()) > 0)
        say (IPAFUZZ_SIGNALLED, (pid_t) info.ssi_pid, (int) info.ssi_signo);
    }
    if (ended) break;
    if (!all[0].revents) continue;
    unsigned char order;
    const ssize_t n = recv (ipafuzz, &order, 1, MSG_DONTWAIT);
    if (n == 1)
      end_target (order);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR)) { /* ipafuzz is gone */
      end_the_rest ();
      _exit (EXIT_SETUP);
    }
  }
  end_the_rest ();
  say_ended (status);
  end_like (status);
}

/* Gives every signal its default action. ipafuzz inherits ignored signals, SIGHUP from nohup and
 * SIGPIPE from Python, and a target's failure must not depend on them. */
static void reset_signals (void) {
  for (int i = 1; i <= SIGRTMAX; i++) signal (i, SIG_DFL);
  sigset_t none;
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, 0);
}

/* Prepares the process of the target. */
static void prepare (pid_t warden) {
  prctl (PR_SET_PDEATHSIG, SIGKILL); /* in case somebody kills the warden */
  if (getppid () != warden) _exit (EXIT_SETUP);
  if (ward.flags & IPAFUZZ_WARD_GROUP) setpgid (0, 0);
  if (ward.cpu_seconds) {
    const struct rlimit most = {ward.cpu_seconds, ward.cpu_seconds};
    setrlimit (RLIMIT_CPU, &most);
  }
  struct sysinfo all;
  if (is_counted () && !sysinfo (&all)) {
    const rlim_t processes = (rlim_t) all.procs + IPAFUZZ_MOST_THREADS;
    const struct rlimit most = {processes, processes};
    setrlimit (RLIMIT_NPROC, &most);
  }
  char *text = ward.text, *end = ward.text + sizeof ward.text;
  for (uint32_t i = 0; i < ward.num_variables && text < end; text += strlen (text) + 1, i++)
    putenv (text); /* the environment points into the text, which stays */
  reset_signals ();
  if (ward.flags & IPAFUZZ_WARD_ENTER && chdir (ward.directory)) _exit (EXIT_SETUP);
}

/* Sends a descriptor, or only a byte if fd is -1. The filter lets calls with the token pass. */
static void pass (int to, int fd, uint32_t token) {
  char byte = 0, space[CMSG_SPACE (sizeof fd)] = {0};
  struct iovec one = {&byte, 1};
  struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
  if (fd >= 0) {
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    struct cmsghdr *head = CMSG_FIRSTHDR (&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN (sizeof fd);
    memcpy (CMSG_DATA (head), &fd, sizeof fd);
  }
  const uint64_t flags = MSG_NOSIGNAL | (uint64_t) token << 32;
  if (syscall (__NR_sendmsg, to, &message, flags) != 1) _exit (EXIT_SETUP);
  if (fd >= 0) close (fd);
}

/* Receives what pass sends: a descriptor, or -1 if it sent only a byte. */
static int receive (int from) {
  char byte, space[CMSG_SPACE (sizeof (int))];
  struct iovec one = {&byte, 1};
  struct msghdr message = {
    .msg_iov = &one, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  if (recvmsg (from, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *head = CMSG_FIRSTHDR (&message);
  int fd = -1;
  if (head) memcpy (&fd, CMSG_DATA (head), sizeof fd);
  return fd;
}

/* Starts the target. Returns only if the target is this program, and then only in its process. */
static void start (char **argv, int signals) {
  int failed[2];
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, failed)) _exit (EXIT_SETUP);
  const pid_t warden = getpid (), above = getppid ();
  target = fork ();
  if (!target) {
    close (ipafuzz);
    close (signals);
    close (failed[0]);
    prepare (warden);
    uint32_t token = 1;
    if (getrandom (&token, sizeof token, 0) != sizeof token) token = (uint32_t) getpid ();
    const int is_library = (ward.flags & IPAFUZZ_WARD_LIBRARY) != 0;
    pass (failed[1],
          ward.flags & IPAFUZZ_WARD_CONTAIN
            ? ipafuzz_contain (ward.directory, is_library, token, above)
            : -1,
          token);
    if (ward.flags & IPAFUZZ_WARD_SELF) {
      close (failed[1]);
      return;
    }
    execv (argv[1], argv + 2);
    const int why = errno;
    if (write (failed[1], &why, sizeof why) != sizeof why) _exit (EXIT_SETUP);
    _exit (EXIT_SETUP);
  }
  int why = target < 0 ? errno : 0;
  close (failed[1]);
  if (target > 0) calls = receive (failed[0]);
  if (target > 0 && read (failed[0], &why, sizeof why) != sizeof why) why = 0;
  close (failed[0]);
  close_the_rest (signals);
  say (IPAFUZZ_STARTED, target, why);
  if (why) {
    end_the_rest ();
    _exit (EXIT_SETUP);
  }
  look_after (signals);
}

/* Runs before other constructors of the program, and before the Go runtime starts. */
__attribute__ ((constructor (101))) static void become_warden (int argc, char **argv) {
  const char *number = getenv (IPAFUZZ_WARDEN_VARIABLE);
  if (!number) return;
  ipafuzz = atoi (number);
  unsetenv (IPAFUZZ_WARDEN_VARIABLE);
  sigset_t all;
  sigfillset (&all);
  signal (SIGCHLD, SIG_DFL); /* ignored children leave no status */
  sigprocmask (SIG_BLOCK, &all, 0);
  const int signals = signalfd (-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0 || fcntl (ipafuzz, F_SETFD, FD_CLOEXEC) ||
      recv (ipafuzz, &ward, sizeof ward, 0) != (ssize_t) sizeof ward ||
      ward.magic != IPAFUZZ_WARDEN_MAGIC || (!(ward.flags & IPAFUZZ_WARD_SELF) && argc < 3))
    _exit (EXIT_SETUP);
  ward.text[sizeof ward.text - 1] = 0;
  ward.directory[sizeof ward.directory - 1] = 0;
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  start (argv, signals);
}
