#include "load.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ISO C cannot convert an object pointer to a function pointer; POSIX guarantees
 * that both have the same representation. */
static int find (void *library, const char *name, void *function) {
  void *symbol = dlsym (library, name);
  memcpy (function, &symbol, sizeof symbol);
  return symbol != 0;
}

static int sanitized (void) {
  return dlsym (RTLD_DEFAULT, "__asan_init") || dlsym (RTLD_DEFAULT, "__tsan_init") ||
         dlsym (RTLD_DEFAULT, "__msan_init");
}

static void *open_library (const char *path, char *buffer, size_t size) {
  void *preloaded = dlopen (path, RTLD_NOW | RTLD_NOLOAD);
  if (preloaded) return preloaded;
  int flags = RTLD_NOW | RTLD_LOCAL;
  if (!sanitized ()) flags |= RTLD_DEEPBIND;
  void *library = dlopen (path, flags);
  if (!library) snprintf (buffer, size, "%s", dlerror ());
  return library;
}

struct missing {
  char *text;
  size_t size, used;
};

static void demand (struct missing *missing, void *library, const char *name, void *function) {
  if (find (library, name, function)) return;
  const int n = snprintf (missing->text + missing->used, missing->size - missing->used, "%s%s",
                          missing->used ? ", " : "", name);
  if (n > 0) missing->used += (size_t) n;
  if (missing->used >= missing->size) missing->used = missing->size - 1;
}

/* The options of a library that exports them as IPASIR-2 does become a description
 * in the format of ipafuzz_describe. Drafts of IPASIR-2 had `bool` where the final
 * version has `int`: such a table shows flags that are neither 0 nor 1, and then
 * no option is used. */
struct ipasir2_option {
  const char *name;
  int64_t min, max;
  int max_state; /* 0: before any other call only */
  int tunable, indexed;
  const void *handle;
};

/* Reports whether the address can be read: a system call does not crash on it. */
static int readable (const char *text) { return !access (text, F_OK) || errno != EFAULT; }

static int is_name (const char *text) {
  if (!readable (text)) return 0;
  for (int i = 0; i < 256; i++) {
    if (!text[i]) return i > 0;
    if (!isgraph ((unsigned char) text[i])) return 0;
  }
  return 0;
}

static int plausible (const struct ipasir2_option *option) {
  return is_name (option->name) && (option->tunable | 1) == 1 && (option->indexed | 1) == 1 &&
         option->max_state >= 0 && option->max_state <= 4 && option->min <= option->max;
}

static int (*ipasir2_options) (void *solver, const struct ipasir2_option **options);
static int (*ipasir2_set_option) (void *solver, const struct ipasir2_option *option, int64_t value,
                                  int64_t index);
static void *(*make_solver) (void);
static void (*free_solver) (void *);

static const char *describe_ipasir2 (void) {
  static char text[1 << 16];
  size_t used = 0;
  void *solver = make_solver ();
  const struct ipasir2_option *option = 0;
  text[0] = 0;
  if (!ipasir2_options (solver, &option) && option)
    for (; option->name; option++) {
      if (!plausible (option)) {
        text[0] = 0;
        break;
      }
      if (!option->tunable || option->indexed) continue;
      const int64_t start = option->min > 0 ? option->min : option->max < 0 ? option->max : 0;
      const int n =
        snprintf (text + used, sizeof text - used, "option %s int %lld %lld %lld when=%s\n",
                  option->name, (long long) option->min, (long long) option->max, (long long) start,
                  option->max_state ? "anytime" : "start");
      if (n < 0 || (size_t) n >= sizeof text - used) {
        text[used] = 0;
        break;
      }
      used += (size_t) n;
    }
  free_solver (solver);
  return text;
}

static int set_ipasir2 (void *solver, const char *name, const char *value) {
  const struct ipasir2_option *option = 0;
  long long number;
  char *end;
  errno = 0;
  number = strtoll (value, &end, 10);
  if (end == value || *end || errno || ipasir2_options (solver, &option) || !option) return 1;
  for (; option->name && plausible (option); option++)
    if (!strcmp (option->name, name)) return ipasir2_set_option (solver, option, number, 0);
  return 1;
}

const char *ipafuzz_load (const char *path, unsigned model, const char *setter,
                          struct ipafuzz_target *target, char *buffer, size_t size) {
  *target = (struct ipafuzz_target){.model = model, .takes = target->takes};
  void *library = open_library (path, buffer, size);
  if (!library) return buffer;
  char names[1024] = "";
  struct missing missing = {names, sizeof names, 0};
  const int maxsat = model == IPAFUZZ_IPAMIR, qbf = model == IPAFUZZ_QBF;
#define NAME(PART) (maxsat ? "ipamir_" PART : qbf ? "qbf_" PART : "ipasir_" PART)
  demand (&missing, library, NAME ("signature"), &target->signature);
  demand (&missing, library, NAME ("init"), &target->init);
  demand (&missing, library, NAME ("release"), &target->release);
  demand (&missing, library, maxsat ? "ipamir_add_hard" : NAME ("add"), &target->add);
  demand (&missing, library, NAME ("assume"), &target->assume);
  demand (&missing, library, NAME ("solve"), &target->solve);
  demand (&missing, library, maxsat ? "ipamir_val_lit" : NAME ("val"), &target->val);
  if (maxsat) {
    demand (&missing, library, "ipamir_add_soft_lit", &target->add_soft);
    demand (&missing, library, "ipamir_val_obj", &target->val_obj);
  } else {
    demand (&missing, library, NAME ("failed"), &target->failed);
    if (!qbf) find (library, "ipasir_set_learn", &target->set_learn);
  }
  find (library, NAME ("set_terminate"), &target->set_terminate);
  if (*setter) demand (&missing, library, setter, &target->set_option);
#undef NAME
  if (qbf) {
    demand (&missing, library, "qbf_exists", &target->exists);
    demand (&missing, library, "qbf_forall", &target->forall);
  }
  if (missing.used) {
    snprintf (buffer, size, "the library lacks %s", names);
    return buffer;
  }
  find (library, "ipafuzz_describe", &target->describe);
  if (!*setter) find (library, "ipafuzz_set_option", &target->set_option);
  find (library, "ipafuzz_havoc", &target->havoc);
  if (!maxsat) find (library, "ipafuzz_proof", &target->proof);
  /* Only one such library per process: the functions above are global. */
  const int taken = make_solver && make_solver != target->init;
#define FIND(MODEL, MEMBER, SYMBOL, RESULT, PARAMETERS) \
  if (model == MODEL) find (library, #SYMBOL, &target->MEMBER);
  IPAFUZZ_EXTENSIONS (FIND)
#undef FIND
  if (!target->set_option && !maxsat && !qbf && !taken &&
      find (library, "ipasir2_options", &ipasir2_options) &&
      find (library, "ipasir2_set_option", &ipasir2_set_option)) {
    make_solver = target->init;
    free_solver = target->release;
    target->set_option = set_ipasir2;
    if (!target->describe) target->describe = describe_ipasir2;
  }
  return 0;
}
