#include "allocation.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec.h"

/* Libraries opened with RTLD_DEEPBIND call the C library's malloc, even if the program defines
 * another one. So this file changes the tables of addresses (GOT) of all modules, also of the C++
 * library with its operator new. It knows only 64-bit tables with addends: those of x86-64,
 * AArch64 and RISC-V. Allocations that the C library makes for itself never fail. */

static void *(*real_malloc) (size_t);
static void *(*real_calloc) (size_t, size_t);
static void *(*real_realloc) (void *, size_t);
static void *(*real_reallocarray) (void *, size_t, size_t);
static int (*real_posix_memalign) (void **, size_t, size_t);
static void *(*real_aligned_alloc) (size_t, size_t);
static void *(*real_memalign) (size_t, size_t);

/* Counts an allocation, and reports whether it is the one that fails. */
static int fails (void) {
  if (!__atomic_load_n (&ipafuzz_failing.left, __ATOMIC_RELAXED)) return 0;
  if (__atomic_sub_fetch (&ipafuzz_failing.left, 1, __ATOMIC_RELAXED)) return 0;
  ipafuzz_failing.ever = 1;
  if (ipafuzz_failing.progress && !ipafuzz_failing.progress->failed_allocation)
    ipafuzz_failing.progress->failed_allocation =
      ipafuzz_failing.together ? ipafuzz_failing.together : ipafuzz_failing.progress->call + 1;
  errno = ENOMEM;
  return 1;
}

static void *failing_malloc (size_t size) { return fails () ? 0 : real_malloc (size); }

static void *failing_calloc (size_t count, size_t size) {
  return fails () ? 0 : real_calloc (count, size);
}

static void *failing_realloc (void *memory, size_t size) {
  if (!size) return real_realloc (memory, size); /* it frees */
  return fails () ? 0 : real_realloc (memory, size);
}

static void *failing_reallocarray (void *memory, size_t count, size_t size) {
  if (!count || !size) return real_reallocarray (memory, count, size); /* it frees */
  return fails () ? 0 : real_reallocarray (memory, count, size);
}

static int failing_posix_memalign (void **memory, size_t alignment, size_t size) {
  return fails () ? ENOMEM : real_posix_memalign (memory, alignment, size);
}

static void *failing_aligned_alloc (size_t alignment, size_t size) {
  return fails () ? 0 : real_aligned_alloc (alignment, size);
}

static void *failing_memalign (size_t alignment, size_t size) {
  return fails () ? 0 : real_memalign (alignment, size);
}

/* ISO C has no conversion between object and function pointers; POSIX guarantees it. */
union address {
  void *object;
  void *(*sized) (size_t);
  void *(*two) (size_t, size_t);
  void *(*resized) (void *, size_t);
  void *(*array) (void *, size_t, size_t);
  int (*aligned) (void **, size_t, size_t);
};

static struct function {
  const char *name;
  void *real;
  union address failing;
} functions[] = {
  {"malloc", 0, {.sized = failing_malloc}},
  {"calloc", 0, {.two = failing_calloc}},
  {"realloc", 0, {.resized = failing_realloc}},
  {"reallocarray", 0, {.array = failing_reallocarray}},
  {"posix_memalign", 0, {.aligned = failing_posix_memalign}},
  {"aligned_alloc", 0, {.two = failing_aligned_alloc}},
  {"memalign", 0, {.two = failing_memalign}},
};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions };

static void find_originals (void) {
  for (int i = 0; i < NUM_FUNCTIONS; i++)
    functions[i].real = dlsym (RTLD_DEFAULT, functions[i].name);
  memcpy (&real_malloc, &functions[0].real, sizeof real_malloc);
  memcpy (&real_calloc, &functions[1].real, sizeof real_calloc);
  memcpy (&real_realloc, &functions[2].real, sizeof real_realloc);
  memcpy (&real_reallocarray, &functions[3].real, sizeof real_reallocarray);
  memcpy (&real_posix_memalign, &functions[4].real, sizeof real_posix_memalign);
  memcpy (&real_aligned_alloc, &functions[5].real, sizeof real_aligned_alloc);
  memcpy (&real_memalign, &functions[6].real, sizeof real_memalign);
}

/* Makes a slot of a table point to the failing function of that name. A library's slot that does
 * not hold the original belongs to the library's own allocator, and stays. The program binds
 * functions at their first call, so its slots may hold anything; it has no malloc of its own. */
static void replace (void **slot, const char *name, int is_program) {
  for (int i = 0; i < NUM_FUNCTIONS; i++) {
    const struct function *f = functions + i;
    if (strcmp (name, f->name)) continue;
    if (!f->real || (*slot != f->real && !is_program)) return;
    const uintptr_t size = (uintptr_t) sysconf (_SC_PAGESIZE);
    void *page = (void *) ((uintptr_t) slot & ~(size - 1));
    if (mprotect (page, size, PROT_READ | PROT_WRITE)) return; /* the page stays writable */
    *slot = f->failing.object;
    return;
  }
}

static void replace_all (const struct dl_phdr_info *module, const ElfW (Rela) * table, size_t bytes,
                         const ElfW (Sym) * symbols, const char *names, int is_program) {
  for (size_t i = 0; i < bytes / sizeof *table; i++) {
    const uint32_t symbol = (uint32_t) (table[i].r_info >> 32), type = (uint32_t) table[i].r_info;
#if defined __x86_64__
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
#elif defined __aarch64__
    if (type != R_AARCH64_JUMP_SLOT && type != R_AARCH64_GLOB_DAT && type != R_AARCH64_ABS64)
      continue;
#elif defined __riscv
    if (type != R_RISCV_JUMP_SLOT && type != R_RISCV_64) continue;
#else
    continue;
#endif
    if (!symbol || table[i].r_addend) continue;
    if (symbols[symbol].st_shndx != SHN_UNDEF) continue; /* calls within an allocator */
    replace ((void **) (module->dlpi_addr + table[i].r_offset), names + symbols[symbol].st_name,
             is_program);
  }
}

/* Returns the address of a table. glibc has added the module's base to it in most modules, but
 * not in all. */
static const void *table_at (const struct dl_phdr_info *module, ElfW (Addr) at) {
  return (const void *) (at < module->dlpi_addr ? at + module->dlpi_addr : at);
}

static int interpose_in (struct dl_phdr_info *module, size_t size, void *is_first) {
  (void) size;
  const int is_program = *(int *) is_first;
  *(int *) is_first = 0;
  const char *file = strrchr (module->dlpi_name, '/');
  file = file ? file + 1 : module->dlpi_name;
  if (!strncmp (file, "libc.so", 7) || !strncmp (file, "ld-linux", 8) ||
      !strncmp (file, "linux-vdso", 10))
    return 0;
  const ElfW (Dyn) *dynamic = 0;
  for (int i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW (Dyn) *) (module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
  if (!dynamic) return 0;
  const ElfW (Rela) * tables[2] = {0, 0};
  size_t bytes[2] = {0, 0};
  const ElfW (Sym) *symbols = 0;
  const char *names = 0;
  int addends = 1;
  for (; dynamic->d_tag != DT_NULL; dynamic++) switch (dynamic->d_tag) {
    case DT_RELA: tables[0] = table_at (module, dynamic->d_un.d_ptr); break;
    case DT_RELASZ: bytes[0] = dynamic->d_un.d_val; break;
    case DT_JMPREL: tables[1] = table_at (module, dynamic->d_un.d_ptr); break;
    case DT_PLTRELSZ: bytes[1] = dynamic->d_un.d_val; break;
    case DT_PLTREL: addends = dynamic->d_un.d_val == DT_RELA; break;
    case DT_SYMTAB: symbols = table_at (module, dynamic->d_un.d_ptr); break;
    case DT_STRTAB: names = table_at (module, dynamic->d_un.d_ptr); break;
    default: break;
    }
  if (!symbols || !names || !addends) return 0;
  for (int i = 0; i < 2; i++)
    if (tables[i]) replace_all (module, tables[i], bytes[i], symbols, names, is_program);
  return 0;
}

/* Returns the number of modules loaded so far. */
static int count_modules (struct dl_phdr_info *module, size_t size, void *count) {
  (void) size;
  *(unsigned long long *) count = module->dlpi_adds;
  return 1;
}

void ipafuzz_interpose_allocations (void) {
  static unsigned long long seen;
  unsigned long long now = 0;
  dl_iterate_phdr (count_modules, &now);
  if (now == seen) return;
  if (!seen) find_originals ();
  seen = now;
  int is_first = 1;
  dl_iterate_phdr (interpose_in, &is_first);
}
