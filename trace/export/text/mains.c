/* How exported programs begin and end. The pieces are as in checks.c. */

// plain_main
int main (void)
{
  run ();
  if (!faults) puts ("nothing is wrong");
  return faults != 0;
}

// crash_main
int main (void)
{
  run ();
  puts ("nothing is wrong: the end was reached");
  return 0;
}

// threads_main
/* Threads seldom meet twice in the same way, and a library makes some things once in a process:
 * each round has a process of its own. A sanitizer that reports something ends it with its own code. */
int main (void)
{
  enum { ROUNDS = 300 };
  for (int i = 1; i <= ROUNDS; i++) {
    fflush (stdout);
    const pid_t child = fork ();
    if (child < 0) return 125;
    if (!child) {
      run ();
      exit (faults != 0);
    }
    int status = 0;
    if (waitpid (child, &status, 0) != child) return 125;
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0) continue;
    if (WIFEXITED (status) && WEXITSTATUS (status) == 125) return 125;
    fprintf (stderr, "expected: the answers of the same calls one after the other; round %d failed\n", i);
    return 1;
  }
  puts ("nothing is wrong: no round failed");
  return 0;
}

// run_threads
/* Each thread makes the calls of one instance. All start together and wait a moment for one
 * another before each call, so that calls meet. This orders nothing that the library does. */
enum { MOST_THREADS = 64, MOST_SPINS = 1000, FAR = 0x7fffffff };
static void (*calls_of[MOST_THREADS]) (void);
static unsigned made[MOST_THREADS], running, waiting;

static void meet (unsigned thread)
{
  const unsigned count = __atomic_add_fetch (made + thread, 1, __ATOMIC_RELAXED);
  const unsigned *next = made + (thread + 1) % running;
  for (int spins = 0; spins < MOST_SPINS && __atomic_load_n (next, __ATOMIC_RELAXED) < count; spins++) continue;
}

static void *begin (void *number)
{
  const size_t thread = (size_t) number;
  __atomic_fetch_sub (&waiting, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n (&waiting, __ATOMIC_RELAXED)) sched_yield ();
  calls_of[thread] ();
  __atomic_store_n (made + thread, FAR, __ATOMIC_RELAXED); /* nobody waits for it */
  return 0;
}

static void run_threads (size_t count)
{
  pthread_t threads[MOST_THREADS];
  running = waiting = (unsigned) count;
  for (size_t i = 0; i < count; i++)
    if (pthread_create (threads + i, 0, begin, (void *) i)) exit (125);
  for (size_t i = 0; i < count; i++) pthread_join (threads[i], 0);
}

// leak_main
/* Filling a cache once is not a leak: every late round must leave more than the one before. */
int main (void)
{
  enum { ROUNDS = 20, JUDGED = 10 };
  int growing = 1;
  for (int i = 0; i < ROUNDS; i++) {
    const size_t before = MALLINFO ().uordblks;
    run ();
    const size_t after = MALLINFO ().uordblks;
    if (i >= ROUNDS - JUDGED && after <= before) growing = 0;
  }
  if (growing)
    fprintf (stderr, "expected: after the last release the heap is what it was; it grows with every round\n");
  else puts ("nothing is wrong: the heap does not grow");
  return growing;
}

// guarded_main
/* The calls are made in a process of their own, which must come to its end. */
int main (void)
{
  int *reached = (int *) mmap (0, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (reached == MAP_FAILED) return 125;
  fflush (stdout);
  const pid_t child = fork ();
  if (child < 0) return 125;
  if (!child) {
    LIMITS
    run ();
    *reached = 1;
    _exit (0);
  }
  int status = 0;
  for (long waited = 0; waitpid (child, &status, WNOHANG) == 0; waited++) {
    const struct timespec tick = {0, 10000000};
    if (waited > 4 * 100 * LIMIT_SECONDS) {
      kill (child, SIGKILL);
      waitpid (child, &status, 0);
      break;
    }
    nanosleep (&tick, 0);
  }
  if (WIFEXITED (status) && WEXITSTATUS (status) == 125) return 125;
  int right = *reached && WIFEXITED (status);
  struct rusage usage;
  getrusage (RUSAGE_CHILDREN, &usage);
  if ((uint64_t) usage.ru_maxrss * 1024 > LIMIT_BYTES) right = 0;
  if (right) puts ("nothing is wrong: the end was reached");
  else fprintf (stderr, "expected: all calls return, within the limits\n");
  return !right;
}

// message_main
/* The library goes on and answers, and no line that it writes has these words in this order. */
int main (void)
{
  static const char *const words[] = {WORDS};
  const size_t count = sizeof words / sizeof *words;
  FILE *written = tmpfile ();
  const int to_people = dup (2);
  if (!written || to_people < 0) return 125;
  fflush (stdout);
  dup2 (fileno (written), 1), dup2 (fileno (written), 2);
  run ();
  fflush (0);
  rewind (written);
  static char line[1 << 16];
  while (fgets (line, sizeof line, written)) {
    size_t found = 0;
    const char *rest = line;
    while (found < count && (rest = strstr (rest, words[found]))) rest += strlen (words[found++]);
    if (found < count) continue;
    dprintf (to_people, "expected: no error message; there is: %s", line);
    return 1;
  }
  dprintf (to_people, "nothing is wrong: there is no such message\n");
  return 0;
}

// fail_allocation
/* Makes one allocation fail: the n-th from here on, whoever makes it, except the C library for itself.
 * It has these functions under other names, too. */
static unsigned long allocations_left;

static void fail_allocation (unsigned long n) { allocations_left = n; }

static int is_of_c_library (struct dl_phdr_info *module, size_t size, void *caller)
{
  (void) size;
  const char *slash = strrchr (module->dlpi_name, '/'), *file = slash ? slash + 1 : module->dlpi_name;
  if (strncmp (file, "libc.so", 7) && strncmp (file, "ld-linux", 8)) return 0;
  for (int i = 0; i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_LOAD &&
        (uintptr_t) caller - module->dlpi_addr - module->dlpi_phdr[i].p_vaddr < module->dlpi_phdr[i].p_memsz)
      return 1;
  return 0;
}

static int allocation_fails (void *caller)
{
  if (!__atomic_load_n (&allocations_left, __ATOMIC_RELAXED) || dl_iterate_phdr (is_of_c_library, caller) ||
      __atomic_sub_fetch (&allocations_left, 1, __ATOMIC_RELAXED))
    return 0;
  errno = ENOMEM;
  return 1;
}

#ifdef __cplusplus
#define AS_DECLARED noexcept
extern "C" {
#else
#define AS_DECLARED
#endif
void *__libc_malloc (size_t);
void *__libc_calloc (size_t, size_t);
void *__libc_realloc (void *, size_t);
void *__libc_memalign (size_t, size_t);
void *memalign (size_t, size_t) AS_DECLARED;
void *reallocarray (void *, size_t, size_t) AS_DECLARED;

void *malloc (size_t size) AS_DECLARED
{
  return allocation_fails (__builtin_return_address (0)) ? 0 : __libc_malloc (size);
}

void *calloc (size_t count, size_t size) AS_DECLARED
{
  return allocation_fails (__builtin_return_address (0)) ? 0 : __libc_calloc (count, size);
}

void *realloc (void *memory, size_t size) AS_DECLARED
{
  return size && allocation_fails (__builtin_return_address (0)) ? 0 : __libc_realloc (memory, size);
}

void *reallocarray (void *memory, size_t count, size_t size) AS_DECLARED
{
  size_t bytes;
  if (__builtin_mul_overflow (count, size, &bytes)) {
    errno = ENOMEM;
    return 0;
  }
  return bytes && allocation_fails (__builtin_return_address (0)) ? 0 : __libc_realloc (memory, bytes);
}

void *memalign (size_t alignment, size_t size) AS_DECLARED
{
  return allocation_fails (__builtin_return_address (0)) ? 0 : __libc_memalign (alignment, size);
}

void *aligned_alloc (size_t alignment, size_t size) AS_DECLARED
{
  return allocation_fails (__builtin_return_address (0)) ? 0 : __libc_memalign (alignment, size);
}

int posix_memalign (void **memory, size_t alignment, size_t size) AS_DECLARED
{
  void *made = allocation_fails (__builtin_return_address (0)) ? 0 : __libc_memalign (alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}
#ifdef __cplusplus
}
#endif
