/* IPASIR with functions of the library's own that set options: val answers the value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int level = 3;

const char *ipasir_signature (void) { return "own"; }
void *ipasir_init (void) { return &level; }
void ipasir_release (void *s) { (void) s; }
void ipasir_add (void *s, int32_t lit) { (void) s, (void) lit; }
void ipasir_assume (void *s, int32_t lit) { (void) s, (void) lit; }
int ipasir_solve (void *s) { return (void) s, 10; }
int32_t ipasir_val (void *s, int32_t lit) { return (void) s, (void) lit, level; }
int ipasir_failed (void *s, int32_t lit) { return (void) s, (void) lit, 0; }

void own_set_option (void *s, const char *name, int value) {
  if (!strcmp (name, "level")) *(int *) s = value;
}

int own_setopt (void *s, const char *name, const char *value) {
  if (!strcmp (name, "level")) *(int *) s = 100 + atoi (value);
  return 17;
}

int own_set_parameter (void *s, const char *name, const char *value) {
  return own_setopt (s, name, value);
}
