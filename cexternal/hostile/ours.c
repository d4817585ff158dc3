/* What belongs to ipafuzz: its memory, code, output and processes. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"

/* Maps the protection, or zeros if zeros is set, over the memory that is shared with ipafuzz. */
static void change_shared (int zeros, int protection) {
  unsigned long from[SHARED_AREAS], to[SHARED_AREAS];
  const int n = find_shared (from, to);
  for (int i = 0; i < n; i++)
    if (zeros)
      mmap ((void *) from[i], to[i] - from[i], protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
            -1, 0);
    else
      mprotect ((void *) from[i], to[i] - from[i], protection);
}
static void cover_shared (void) { change_shared (1, PROT_READ | PROT_WRITE); }
static void protect_shared (void) { change_shared (0, PROT_READ); }

static int find_program (struct dl_phdr_info *module, size_t size, void *found) {
  (void) size;
  uintptr_t *range = found;
  if (*module->dlpi_name) return 0;
  for (int i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_X) {
      range[0] = (module->dlpi_addr + module->dlpi_phdr[i].p_vaddr) & ~(uintptr_t) 4095;
      range[1] = module->dlpi_phdr[i].p_memsz;
    }
  return 1;
}
static void overwrite_program (void) {
  uintptr_t range[2] = {0, 0};
  dl_iterate_phdr (find_program, range);
  mprotect ((void *) range[0], range[1], PROT_READ | PROT_WRITE | PROT_EXEC);
  memset ((void *) range[0], 0xcc, range[1]);
}
static void unmap_program (void) {
  uintptr_t range[2] = {0, 0};
  dl_iterate_phdr (find_program, range);
  munmap ((void *) range[0], range[1]);
}
extern char **environ;
static void free_what_it_does_not_own (void) { free (environ), free (stdout); }

/* Prints without waiting for readers, and so turns off O_APPEND. */
static void print_without_waiting (void) {
  fcntl (STDERR_FILENO, F_SETFL, O_NONBLOCK);
  for (int i = 0; i < 1000; i++) dprintf (STDERR_FILENO, "c line %d\n", i);
}
static void cut_output (void) {
  dprintf (STDERR_FILENO, "c line\n");
  (void) !ftruncate (STDERR_FILENO, 0);
}
static void grow_output (void) { (void) !ftruncate (STDERR_FILENO, (off_t) 1 << 40); }
static void close_streams (void) { fclose (stdin), fclose (stdout), fclose (stderr); }
/* Leaves a file of 20 KB, as a library that never removes its temporary files. */
static void keep_file (void) {
  static const char text[20000];
  char name[32];
  snprintf (name, sizeof name, "kept-%d-%d", (int) getpid (), solves);
  const int file = open (name, O_WRONLY | O_CREAT, 0600);
  (void) !write (file, text, sizeof text);
  close (file);
  usleep (5000);
}

static void remove_itself (void) {
  Dl_info self;
  if (dladdr ((void *) remove_itself, &self)) unlink (self.dli_fname);
}
static void write_to_parent (void) {
  char name[64];
  snprintf (name, sizeof name, "/proc/%d/mem", (int) getppid ());
  close (open (name, O_WRONLY));
}
static void load_into_kernel (void) {
  const struct {
    uint32_t type, key_size, value_size, most;
    char rest[112];
  } map = {2 /* an array */, 4, 4, 1, {0}};
  syscall (SYS_bpf, 0 /* BPF_MAP_CREATE */, &map, sizeof map);
}

const struct behaviour ours[] = {{"covers-shared", AT_SOLVE, cover_shared},
                                 {"protects-shared", AT_SOLVE, protect_shared},
                                 {"overwrites-program", AT_SOLVE, overwrite_program},
                                 {"unmaps-program", AT_SOLVE, unmap_program},
                                 {"frees-others-memory", AT_SOLVE, free_what_it_does_not_own},
                                 {"prints-without-waiting", AT_SOLVE, print_without_waiting},
                                 {"cuts-output", AT_SOLVE, cut_output},
                                 {"grows-output", AT_SOLVE, grow_output},
                                 {"closes-streams", AT_SOLVE, close_streams},
                                 {"keeps-files", AT_SOLVE, keep_file},
                                 {"removes-itself", AT_SOLVE, remove_itself},
                                 {"writes-to-parent", AT_SOLVE, write_to_parent},
                                 {"loads-into-kernel", AT_SOLVE, load_into_kernel},
                                 {0, AT_SOLVE, 0}};
