/* wrong LIBRARY OPTION=VALUE TRUSTED RUNS FILE: the predicate with which the published delta
 * debugger ran. It solves the WCNF file with the library, through IPAMIR, and compares the answer
 * with that of a trusted library. Exit code 0: right. 101: there is a solution, and the library
 * says that there is none. 104: the other way round. 105: no answer. 103: the values falsify a
 * hard clause. 106: the objective is not their cost, and one of the two is the optimum. 107: the
 * three differ. 102: only the optimum differs. It appends a byte to the file RUNS. In
 * OPTION=VALUE, @ stands for _, which the delta debugger would replace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int32_t *lits;
static size_t nlits, caplits; /* all literals, clauses end with 0 */
static uint64_t *weights;
static size_t n, capn; /* of clauses; 0: hard */
static int32_t vars;

static void push (int32_t lit) {
  if (nlits == caplits)
    lits = realloc (lits, (caplits = caplits ? 2 * caplits : 1024) * sizeof *lits);
  lits[nlits++] = lit;
}

static void read_file (const char *path) {
  FILE *f = fopen (path, "r");
  if (!f) exit (2);
  char *line = 0;
  size_t cap = 0;
  while (getline (&line, &cap, f) > 0) {
    if (*line == 'c' || *line == 'p' || *line == '\n') continue;
    char *at = line;
    uint64_t w = 0;
    if (*at == 'h')
      at++;
    else
      w = strtoull (at, &at, 10);
    if (n == capn) weights = realloc (weights, (capn = capn ? 2 * capn : 256) * sizeof *weights);
    weights[n++] = w;
    for (;;) {
      char *end;
      const long lit = strtol (at, &end, 10);
      if (end == at) exit (2);
      at = end;
      if (!lit) break;
      push ((int32_t) lit);
      if (labs (lit) > vars) vars = (int32_t) labs (lit);
    }
    push (0);
  }
  fclose (f);
}

struct answer {
  int status;
  uint64_t objective;
  signed char *values;
};

static struct answer solve (const char *path, const char *option) {
  void *lib = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    fprintf (stderr, "%s\n", dlerror ());
    exit (2);
  }
#define GET(ret, name, args) ret (*name) args = (ret (*) args) dlsym (lib, "ipamir_" #name)
  GET (void *, init, (void) );
  GET (void, add_hard, (void *, int32_t));
  GET (void, add_soft_lit, (void *, int32_t, uint64_t));
  GET (int, solve, (void *) );
  GET (uint64_t, val_obj, (void *) );
  GET (int32_t, val_lit, (void *, int32_t));
  int (*set) (void *, const char *, const char *) =
    (int (*) (void *, const char *, const char *)) dlsym (lib, "ipafuzz_set_option");
  void *s = init ();
  if (option && *option) {
    char *name = strdup (option), *value = strchr (name, '=');
    for (char *p = name; *p; p++)
      if (*p == '@') *p = '_';
    *value++ = 0;
    set (s, name, value);
  }
  int32_t fresh = vars;
  const int32_t *at = lits;
  for (size_t i = 0; i < n; i++) {
    const int32_t *end = at;
    while (*end) end++;
    if (weights[i] && end == at + 1) {
      uint64_t sum = 0;
      int again = 0; /* soft clauses of one literal cost their sum */
      const int32_t *p = lits;
      for (size_t j = 0; j < n; j++) {
        if (weights[j] && p[0] == *at && !p[1]) {
          if (j < i) again = 1;
          sum += weights[j];
        }
        while (*p) p++;
        p++;
      }
      if (!again) add_soft_lit (s, -*at, sum);
    } else {
      int32_t b = 0;
      if (weights[i]) add_hard (s, b = ++fresh);
      for (const int32_t *p = at; p < end; p++) add_hard (s, *p);
      add_hard (s, 0);
      if (b) add_soft_lit (s, b, weights[i]);
    }
    at = end + 1;
  }
  struct answer a = {solve (s), 0, 0};
  if (a.status == 30) {
    a.objective = val_obj (s);
    a.values = calloc ((size_t) vars + 1, 1);
    for (int32_t v = 1; v <= vars; v++) {
      const int32_t val = val_lit (s, v);
      a.values[v] = val == v ? 1 : val == -v ? -1 : 0;
    }
  }
  return a;
}

/* The cost of the values; -1 if they falsify a hard clause. */
static int cost_of (const struct answer *a, uint64_t *cost) {
  const int32_t *at = lits;
  *cost = 0;
  for (size_t i = 0; i < n; i++) {
    int fulfilled = 0;
    for (; *at; at++) fulfilled |= *at > 0 ? a->values[*at] > 0 : a->values[-*at] < 0;
    at++;
    if (fulfilled) continue;
    if (!weights[i]) return -1;
    *cost += weights[i];
  }
  return 0;
}

int main (int argc, char **argv) {
  if (argc != 6) return 2;
  const int fd = open (argv[4], O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (write (fd, "x", 1) != 1) return 2;
  close (fd);
  read_file (argv[5]);
  const struct answer a = solve (argv[1], argv[2]);
  const struct answer right = solve (argv[3], "");
  if (a.status != right.status) return a.status == 20 ? 101 : a.status == 30 ? 104 : 105;
  if (a.status != 30) return 0;
  uint64_t cost;
  const int falsified = cost_of (&a, &cost);
  if (falsified) return 103;
  if (a.objective != cost)
    return a.objective == right.objective || cost == right.objective ? 106 : 107;
  return a.objective != right.objective ? 102 : 0;
}
