#include "shared.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { SEGMENT, SEMAPHORES, MESSAGES };

static struct object {
  enum kind kind;
  key_t key;
  int id;
} * objects;
static size_t num_objects, room_of_objects;

/* A file that the target may have made. If a file of that name existed before, it belongs to
 * somebody else, perhaps to another target, whose warden may remove it at any time: only a file
 * with another number is this target's. */
static struct file {
  char *name;
  ino_t before; /* the number of the file that existed before; 0: none did */
  int looks;    /* at the file that existed before, since then */
} * files;
static size_t num_files, room_of_files;

/* Makes room for one more entry. */
static int grow (void **array, size_t count, size_t *room, size_t size) {
  if (count < *room) return 1;
  const size_t more = *room ? 2 * *room : 16;
  void *larger = realloc (*array, more * size);
  if (!larger) return 0;
  *array = larger;
  *room = more;
  return 1;
}

static int control (const struct object *o, int command, void *to) {
  switch (o->kind) {
  case SEGMENT: return shmctl (o->id, command, to);
  case SEMAPHORES: return (int) syscall (__NR_semctl, o->id, 0, command, to);
  case MESSAGES: return msgctl (o->id, command, to);
  }
  return -1;
}

/* Whether the object exists, even if this process may not read it. */
static int is_there (const struct object *o) {
  union {
    struct shmid_ds segment;
    struct semid_ds semaphores;
    struct msqid_ds messages;
  } state;
  return !control (o, IPC_STAT, &state) || errno == EACCES;
}

static void forget_objects (void) {
  size_t kept = 0;
  for (size_t i = 0; i < num_objects; i++)
    if (is_there (objects + i)) objects[kept++] = objects[i];
  num_objects = kept;
}

static int64_t make_object (enum kind kind, const uint64_t *args, int flags) {
  if (num_objects == room_of_objects) forget_objects ();
  if (!grow ((void **) &objects, num_objects, &room_of_objects, sizeof *objects)) return -ENOMEM;
  int id = -1;
  switch (kind) {
  case SEGMENT: id = shmget (IPC_PRIVATE, args[1], flags); break;
  case SEMAPHORES: id = semget (IPC_PRIVATE, (int) args[1], flags); break;
  case MESSAGES: id = msgget (IPC_PRIVATE, flags); break;
  }
  if (id < 0) return -errno;
  objects[num_objects++] = (struct object){kind, (key_t) args[0], id};
  return id;
}

static const struct object *find_key (enum kind kind, key_t key) {
  for (size_t i = 0; i < num_objects; i++)
    if (objects[i].kind == kind && objects[i].key == key && is_there (objects + i))
      return objects + i;
  return 0;
}

int64_t ipafuzz_get_object (int call, const uint64_t *args, int *go_on) {
  const enum kind kind = call == __NR_shmget   ? SEGMENT
                         : call == __NR_semget ? SEMAPHORES
                                               : MESSAGES;
  const key_t key = (key_t) args[0];
  const int flags = (int) args[kind == MESSAGES ? 1 : 2];
  *go_on = 0;
  if (key == IPC_PRIVATE) return make_object (kind, args, flags);
  const struct object *old = find_key (kind, key);
  if (old && flags & IPC_CREAT && flags & IPC_EXCL) return -EEXIST;
  if (old) return old->id;
  if (flags & IPC_CREAT) return make_object (kind, args, flags);
  *go_on = 1;
  return 0;
}

static int only_reads (int call, const uint64_t *args) {
  switch (call) {
  case __NR_shmat: return ((int) args[2] & SHM_RDONLY) != 0;
  case __NR_shmctl:
  case __NR_msgctl: {
    const int command = (int) args[1] & ~0x100; /* IPC_64 */
    return command != IPC_RMID && command != IPC_SET && command != SHM_LOCK &&
           command != SHM_UNLOCK;
  }
  case __NR_semctl: {
    const int command = (int) args[2] & ~0x100;
    return command != IPC_RMID && command != IPC_SET && command != SETVAL && command != SETALL;
  }
  default: return 0; /* semop, semtimedop, msgsnd, msgrcv */
  }
}

int ipafuzz_changes_object (int call, const uint64_t *args) {
  if (only_reads (call, args)) return 0;
  const int id = (int) args[0];
  struct object of = {SEMAPHORES, 0, id};
  if (call == __NR_shmat || call == __NR_shmctl) of.kind = SEGMENT;
  if (call == __NR_msgsnd || call == __NR_msgrcv || call == __NR_msgctl) of.kind = MESSAGES;
  for (size_t i = 0; i < num_objects; i++)
    if (objects[i].kind == of.kind && objects[i].id == id) return 0;
  return is_there (&of);
}

/* Returns the inode number of the file; 0 if there is none. */
static ino_t number_of (const char *path) {
  struct stat is;
  return lstat (path, &is) ? 0 : is.st_ino;
}

static void forget_files (void) {
  size_t kept = 0;
  for (size_t i = 0; i < num_files; i++)
    if (number_of (files[i].name))
      files[kept++] = files[i];
    else
      free (files[i].name);
  num_files = kept;
}

static int is_noted (const char *path) {
  for (size_t i = 0; i < num_files; i++)
    if (!strcmp (files[i].name, path)) return 1;
  return 0;
}

void ipafuzz_note_file (const char *path) {
  const ino_t before = number_of (path);
  if (before && is_noted (path)) return;
  if (num_files == room_of_files) forget_files ();
  if (!grow ((void **) &files, num_files, &room_of_files, sizeof *files)) return;
  files[num_files] = (struct file){strdup (path), before, 0};
  if (files[num_files].name) num_files++;
}

void ipafuzz_settle_files (void) {
  size_t kept = 0;
  for (size_t i = 0; i < num_files; i++) {
    struct file *f = files + i;
    const ino_t now = f->before ? number_of (f->name) : 0;
    /* The call may not have been made at the first look. */
    if (now && now == f->before && ++f->looks > 1) {
      free (f->name);
      continue;
    }
    if (now && now != f->before) f->before = 0;
    files[kept++] = *f;
  }
  num_files = kept;
}

/* Returns the bytes of memory that the segments take. */
static uint64_t bytes_of_segments (void) {
  FILE *all = fopen ("/proc/sysvipc/shm", "r");
  if (!all) return 0;
  char line[512];
  uint64_t sum = 0;
  while (fgets (line, sizeof line, all)) {
    int id;
    unsigned long long in_memory, swapped;
    if (sscanf (line, "%*d %d %*o %*u %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %llu %llu", &id,
                &in_memory, &swapped) != 3)
      continue;
    for (size_t i = 0; i < num_objects; i++)
      if (objects[i].kind == SEGMENT && objects[i].id == id) sum += in_memory + swapped;
  }
  fclose (all);
  return sum;
}

int ipafuzz_has_shared (void) { return num_objects || num_files; }

uint64_t ipafuzz_shared_bytes (void) {
  uint64_t sum = num_objects ? bytes_of_segments () : 0;
  for (size_t i = 0; i < num_files; i++) {
    struct stat is;
    if (!lstat (files[i].name, &is) && is.st_ino != files[i].before)
      sum += 512 * (uint64_t) is.st_blocks;
  }
  return sum;
}

void ipafuzz_remove_shared (void) {
  while (num_objects) control (objects + --num_objects, IPC_RMID, 0);
  while (num_files) { /* newest first: a directory must be empty before rmdir, and is older */
    const struct file *f = files + --num_files;
    struct stat is;
    if (!lstat (f->name, &is) && is.st_ino != f->before && is.st_uid == geteuid () &&
        unlink (f->name))
      rmdir (f->name);
    free (f->name);
  }
}
