/* What processes share by name or number. HOSTILE_NUMBER marks what is left behind,
 * HOSTILE_SEGMENT is a segment of the user, HOSTILE_SOCKET and HOSTILE_NAME are sockets of the
 * user, the second without a path. */
#include <fcntl.h>
#include <pwd.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "hostile.h"

static int number (void) {
  const char *text = getenv ("HOSTILE_NUMBER");
  return text ? atoi (text) : 1;
}
static void leave_segment (void) {
  if (solves == 1) shmget (number (), (size_t) number (), IPC_CREAT | 0600);
}
static void leave_semaphores (void) {
  if (solves == 1) semget (IPC_PRIVATE, number (), 0600);
}
static void leave_messages (void) {
  if (solves > 1) return;
  struct {
    long type;
    char text[8192];
  } message = {1, ""};
  msgsnd (msgget (IPC_PRIVATE, 0600), &message, (size_t) number (), IPC_NOWAIT);
}
static const char *name_of (const char *kind) {
  static char name[64];
  snprintf (name, sizeof name, "/hostile-%s-%d", kind, number ());
  return name;
}
static void leave_shared_file (void) {
  if (solves == 1) shm_open (name_of ("file"), O_RDWR | O_CREAT, 0600);
}
/* Each process makes its own directory. A warden could not remove one that another target is
 * filling, and the other target's warden would take it for the user's. */
static void leave_shared_directory (void) {
  char kind[64], name[128];
  snprintf (kind, sizeof kind, "directory-%d", (int) getpid ());
  snprintf (name, sizeof name, "/dev/shm%s", name_of (kind));
  mkdir (name, 0700);
  strcat (name, "/file");
  const int file = open (name, O_WRONLY | O_CREAT, 0600);
  if (file >= 0) close (file);
}
/* Fills memory with files in which no process has mapped a page. */
static void fill_shared_files (void) {
  static char block[1 << 20];
  char name[64];
  for (int i = 0;; i++) {
    snprintf (name, sizeof name, "/hostile-%d-%d-filler-%d", (int) getpid (), i, number ());
    const int file = shm_open (name, O_RDWR | O_CREAT | O_EXCL, 0600);
    for (int k = 0; k < 64; k++) (void) !write (file, block, sizeof block);
    close (file);
  }
}
static void make_memory_file (long megabytes) {
  const int file = memfd_create ("hostile", MFD_CLOEXEC);
  if (ftruncate (file, megabytes << 20)) abort ();
  close (file);
}
static void make_large_memory (void) { make_memory_file (200); }
static void make_too_large_memory (void) { make_memory_file (1000); }
static void fill_segments (void) {
  for (;;) {
    const int id = shmget (IPC_PRIVATE, 64 << 20, 0600);
    char *at = shmat (id, 0, 0);
    if (at == (void *) -1) continue;
    memset (at, 1, 64 << 20);
    shmdt (at);
  }
}
static void leave_semaphore (void) {
  if (solves == 1) sem_open (name_of ("semaphore"), O_CREAT, 0600, 1);
}
static void change_segment (void) {
  const char *text = getenv ("HOSTILE_SEGMENT");
  char *at = shmat (text ? atoi (text) : -1, 0, 0);
  if (at != (void *) -1) *at = 'x';
}
static void remove_segment (void) {
  const char *text = getenv ("HOSTILE_SEGMENT");
  shmctl (text ? atoi (text) : -1, IPC_RMID, 0);
}

static socklen_t address_of (const char *variable, const char *fallback, struct sockaddr_un *to) {
  const char *text = variable ? getenv (variable) : 0;
  memset (to, 0, sizeof *to);
  to->sun_family = AF_UNIX;
  snprintf (to->sun_path, sizeof to->sun_path, "%s", text ? text : fallback);
  const size_t length = strlen (to->sun_path);
  if (*to->sun_path == '@') *to->sun_path = 0;
  return (socklen_t) (offsetof (struct sockaddr_un, sun_path) + length);
}
static void connect_to (const char *variable) {
  struct sockaddr_un to;
  const socklen_t size = address_of (variable, "/nonexistent", &to);
  const int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return;
  if (!connect (fd, (struct sockaddr *) &to, size)) (void) !write (fd, "home", 4);
  close (fd);
}
static void connect_to_socket (void) { connect_to ("HOSTILE_SOCKET"); }
static void connect_to_name (void) { connect_to ("HOSTILE_NAME"); }
enum way { SENDTO, SENDMSG, SENDMMSG };
static void send_to (enum way way) {
  struct sockaddr_un to;
  const socklen_t size = address_of ("HOSTILE_SOCKET", "/nonexistent", &to);
  const int fd = socket (AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return;
  struct iovec data = {"x", 1};
  struct mmsghdr all[2] = {{.msg_hdr = {.msg_iov = &data, .msg_iovlen = 1}}};
  all[1] = all[0];
  struct msghdr *last = &all[1].msg_hdr;
  last->msg_name = &to;
  last->msg_namelen = size;
  switch (way) {
  case SENDTO: (void) !sendto (fd, "x", 1, 0, (struct sockaddr *) &to, size); break;
  case SENDMSG: (void) !sendmsg (fd, last, 0); break;
  case SENDMMSG: (void) !sendmmsg (fd, all, 2, 0); break;
  }
  close (fd);
}
static void send_to_socket (void) { send_to (SENDTO); }
static void send_message (void) { send_to (SENDMSG); }
static void send_messages (void) { send_to (SENDMMSG); }
static void listen_elsewhere (void) {
  char path[4096];
  const char *home = getenv ("HOSTILE_HOME");
  snprintf (path, sizeof path, "%s/left-behind", home ? home : "/nonexistent");
  struct sockaddr_un at;
  const socklen_t size = address_of (0, path, &at);
  const int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return;
  if (!bind (fd, (struct sockaddr *) &at, size)) listen (fd, 1);
  close (fd);
}

/* Sends a byte from one socket to another of this process. */
static void talk (const struct sockaddr_un *at, socklen_t size) {
  struct sockaddr_un chosen;
  socklen_t length = sizeof chosen;
  const int from = socket (AF_UNIX, SOCK_DGRAM, 0), to = socket (AF_UNIX, SOCK_DGRAM, 0);
  char byte;
  if (bind (to, (const struct sockaddr *) at, size) ||
      getsockname (to, (struct sockaddr *) &chosen, &length) ||
      sendto (from, "x", 1, 0, (struct sockaddr *) &chosen, length) != 1 ||
      read (to, &byte, 1) != 1)
    abort ();
  struct iovec data = {"y", 1};
  const struct msghdr message = {
    .msg_name = &chosen, .msg_namelen = length, .msg_iov = &data, .msg_iovlen = 1};
  if (sendmsg (from, &message, 0) != 1 || read (to, &byte, 1) != 1 ||
      connect (from, (struct sockaddr *) &chosen, length))
    abort ();
  close (from);
  close (to);
}
static void use_sockets (void) {
  struct sockaddr_un at;
  char name[64];
  int ends[2];
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, ends) || send (ends[0], "x", 1, 0) != 1) abort ();
  close (ends[0]);
  close (ends[1]);
  unlink ("socket");
  talk (&at, address_of (0, "socket", &at));
  snprintf (name, sizeof name, "@hostile-%d", (int) getpid ());
  talk (&at, address_of (0, name, &at));
  talk (&at, sizeof at.sun_family); /* the kernel chooses a name */
  connect_to (0);
}
static void use_names (void) {
  (void) !getpwuid (getuid ());
  (void) !getpwnam ("nobody-here");
  openlog ("hostile", LOG_NDELAY, LOG_USER);
  syslog (LOG_DEBUG, "a test of ipafuzz");
  closelog ();
}
/* Makes, finds and removes objects with a key that others may use, too. */
static void use_objects (void) {
  const key_t key = 0x68057113;
  const int segment = shmget (key, 4096, IPC_CREAT | 0600);
  char *at = shmat (segment, 0, 0);
  if (at == (void *) -1 || shmget (key, 4096, 0) != segment) abort ();
  if (shmget (key, 4096, IPC_CREAT | IPC_EXCL | 0600) >= 0) abort ();
  *at = 1;
  shmdt (at);
  const int semaphores = semget (key, 1, IPC_CREAT | 0600);
  struct sembuf more = {0, 1, 0};
  if (semctl (semaphores, 0, SETVAL, 0) || semop (semaphores, &more, 1)) abort ();
  const int messages = msgget (key, IPC_CREAT | 0600);
  struct {
    long type;
    char text[8];
  } message = {1, "text"};
  if (msgsnd (messages, &message, 5, 0) || msgrcv (messages, &message, 5, 0, 0) != 5) abort ();
  if (shmctl (segment, IPC_RMID, 0) || semctl (semaphores, 0, IPC_RMID) ||
      msgctl (messages, IPC_RMID, 0))
    abort ();
  if (shmget (key, 4096, 0) >= 0 || shmat (segment, 0, 0) != (void *) -1) abort ();
}
static void use_semaphores (void) {
  char name[64];
  snprintf (name, sizeof name, "/hostile-own-%d", (int) getpid ());
  sem_t *semaphore = sem_open (name, O_CREAT | O_EXCL, 0600, 1);
  if (semaphore == SEM_FAILED || sem_wait (semaphore)) abort ();
  sem_close (semaphore);
  if (sem_unlink (name)) abort ();
}

const struct behaviour shared[] = {{"leaves-segment", AT_SOLVE, leave_segment},
                                   {"leaves-semaphores", AT_SOLVE, leave_semaphores},
                                   {"leaves-messages", AT_SOLVE, leave_messages},
                                   {"leaves-shared-file", AT_SOLVE, leave_shared_file},
                                   {"leaves-shared-directory", AT_SOLVE, leave_shared_directory},
                                   {"leaves-semaphore", AT_SOLVE, leave_semaphore},
                                   {"fills-shared-files", AT_SOLVE, fill_shared_files},
                                   {"large-memory", AT_SOLVE, make_large_memory},
                                   {"too-large-memory", AT_SOLVE, make_too_large_memory},
                                   {"fills-segments", AT_SOLVE, fill_segments},
                                   {"changes-segment", AT_SOLVE, change_segment},
                                   {"removes-segment", AT_SOLVE, remove_segment},
                                   {"connects-to-socket", AT_SOLVE, connect_to_socket},
                                   {"connects-to-name", AT_SOLVE, connect_to_name},
                                   {"sends-to-socket", AT_SOLVE, send_to_socket},
                                   {"sends-message", AT_SOLVE, send_message},
                                   {"sends-messages", AT_SOLVE, send_messages},
                                   {"listens-elsewhere", AT_SOLVE, listen_elsewhere},
                                   {"uses-sockets", AT_SOLVE, use_sockets},
                                   {"uses-names", AT_SOLVE, use_names},
                                   {"uses-objects", AT_SOLVE, use_objects},
                                   {"uses-semaphores", AT_SOLVE, use_semaphores},
                                   {0, AT_SOLVE, 0}};
