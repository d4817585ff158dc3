/* Other processes and the network. HOSTILE_PID is a process of the user, HOSTILE_PORT a
 * port of this machine that listens. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

static pid_t neighbour (void) {
  const char *text = getenv ("HOSTILE_PID");
  const pid_t pid = text ? atoi (text) : 0;
  if (pid <= 1) _exit (99); /* never signal more than one process */
  return pid;
}
static void terminate_neighbour (void) { kill (neighbour (), SIGTERM); }
static void stop_neighbour (void) { kill (neighbour (), SIGSTOP); }
static void queue_signal (void) { sigqueue (neighbour (), SIGUSR1, (union sigval){0}); }
static void signal_by_descriptor (void) {
  const int fd = (int) syscall (SYS_pidfd_open, neighbour (), 0);
  if (fd >= 0) syscall (SYS_pidfd_send_signal, fd, SIGTERM, 0, 0);
}
static void slow_neighbour (void) { setpriority (PRIO_PROCESS, (id_t) neighbour (), 19); }
static void pin_neighbour (void) {
  cpu_set_t one;
  CPU_ZERO (&one);
  CPU_SET (0, &one);
  sched_setaffinity (neighbour (), sizeof one, &one);
}
static void set_clock (void) {
  struct timespec now; /* sets the same time, in case this is allowed */
  clock_gettime (CLOCK_REALTIME, &now);
  clock_settime (CLOCK_REALTIME, &now);
}
static void trace_neighbour (void) { ptrace (PTRACE_ATTACH, neighbour (), 0, 0); }
static void limit_neighbour (void) {
  const struct rlimit none = {0, 0};
  prlimit (neighbour (), RLIMIT_CPU, &none, 0);
}
static void write_to_neighbour (void) {
  char byte = 0;
  struct iovec here = {&byte, 1}, there = {(void *) 4096, 1};
  (void) !process_vm_writev (neighbour (), &here, 1, &there, 1, 0);
}
static void call_home (void) {
  const char *port = getenv ("HOSTILE_PORT");
  const struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t) atoi (port ? port : "9")),
                                 .sin_addr = {htonl (INADDR_LOOPBACK)}};
  const int fd = socket (AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return;
  if (!connect (fd, (const struct sockaddr *) &at, sizeof at)) (void) !write (fd, "home", 4);
  close (fd);
}
static void send_datagram (void) {
  const struct sockaddr_in at = {
    .sin_family = AF_INET, .sin_port = htons (9), .sin_addr = {htonl (INADDR_LOOPBACK)}};
  const int fd = socket (AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) return;
  (void) !sendto (fd, "x", 1, 0, (const struct sockaddr *) &at, sizeof at);
  close (fd);
}
static void listen_here (void) {
  const int fd = socket (AF_INET6, SOCK_STREAM, 0);
  if (fd >= 0) listen (fd, 1), close (fd);
}

const struct behaviour neighbours[] = {{"terminates-neighbour", AT_SOLVE, terminate_neighbour},
                                       {"stops-neighbour", AT_SOLVE, stop_neighbour},
                                       {"queues-signal", AT_SOLVE, queue_signal},
                                       {"signals-by-descriptor", AT_SOLVE, signal_by_descriptor},
                                       {"slows-neighbour", AT_SOLVE, slow_neighbour},
                                       {"pins-neighbour", AT_SOLVE, pin_neighbour},
                                       {"sets-clock", AT_SOLVE, set_clock},
                                       {"traces-neighbour", AT_SOLVE, trace_neighbour},
                                       {"limits-neighbour", AT_SOLVE, limit_neighbour},
                                       {"writes-to-neighbour", AT_SOLVE, write_to_neighbour},
                                       {"calls-home", AT_SOLVE, call_home},
                                       {"sends-datagram", AT_SOLVE, send_datagram},
                                       {"listens", AT_SOLVE, listen_here},
                                       {0, AT_SOLVE, 0}};
