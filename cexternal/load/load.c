#include "load.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipasir2_probe.h"

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

/* The solvers of a library that has IPASIR, but sets options as IPASIR-2 does. */
static void *(*make_solver) (void);
static void (*free_solver) (void *);

static const char *describe_hybrid (void) {
  void *solver = make_solver ();
  const char *text = describe_options (solver);
  free_solver (solver);
  return text;
}

static const char *load_ipasir2 (void *library, struct missing *missing,
                                 struct ipafuzz_target *target, char *buffer, size_t size) {
  ipasir2_draft = find (library, "ipasir2_val", &ipasir2.value);
#define FIND(NAME, PARAMETERS, DEMANDED) \
  if (DEMANDED && !(ipasir2_draft && !strcmp (#NAME, "value"))) \
    demand (missing, library, "ipasir2_" #NAME, &ipasir2.NAME); \
  else if (!DEMANDED) \
    find (library, "ipasir2_" #NAME, &ipasir2.NAME);
  IPASIR2_FUNCTIONS (FIND)
#undef FIND
  if (missing->used) {
    snprintf (buffer, size, "the library lacks %s", missing->text);
    return buffer;
  }
  find (library, "ipafuzz_describe", &target->describe);
  layer_fill (target);
  return 0;
}

const char *ipafuzz_load (const char *path, unsigned model, const char *setter,
                          struct ipafuzz_target *target, char *buffer, size_t size) {
  *target = (struct ipafuzz_target){.model = model, .takes = target->takes};
  void *library = open_library (path, buffer, size);
  if (!library) return buffer;
  char names[1024] = "";
  struct missing missing = {names, sizeof names, 0};
  if (model == IPAFUZZ_IPASIR2) return load_ipasir2 (library, &missing, target, buffer, size);
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
  if (*setter && !find (library, setter, &target->set_option)) {
    snprintf (buffer, size, "the library lacks %s, which set-option names", setter);
    return buffer;
  }
  if (!*setter) find (library, "ipafuzz_set_option", &target->set_option);
  find (library, "ipafuzz_havoc", &target->havoc);
  find (library, "ipafuzz_proof", &target->proof);
  /* Only one such library per process: the functions above are global. */
  const int taken = make_solver && make_solver != target->init;
#define FIND(MODEL, MEMBER, SYMBOL, RESULT, PARAMETERS) \
  if (model == MODEL) find (library, #SYMBOL, &target->MEMBER);
  IPAFUZZ_EXTENSIONS (FIND)
#undef FIND
  if (!target->set_option && !maxsat && !qbf && !taken &&
      find (library, "ipasir2_options", &ipasir2.options) &&
      find (library, "ipasir2_set_option", &ipasir2.set_option)) {
    make_solver = target->init;
    free_solver = target->release;
    target->set_option = set_named;
    if (!target->describe) target->describe = describe_hybrid;
  }
  return 0;
}
