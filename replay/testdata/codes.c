/* IPASIR-2 without a search: solve calls each callback once. Each option in FAULTS makes one thing
 * wrong, or different in a way that the header allows. */
#include "../../cexternal/exec/ipasir2.h"

#include <pthread.h>
#include <stdlib.h>

#define FAULTS(F) \
  F (init), F (release), F (options), F (set_option), F (add), F (solve), F (value), F (failed), \
    F (set_terminate), F (set_export), F (set_delete), F (set_import), F (set_fixed), F (index), \
    F (exports_0), F (deletes_0), F (stop_replaced), F (export_replaced), F (import_replaced), \
    F (import_removed), F (outside), F (in_thread), F (stop_data), F (export_data), \
    F (delete_data), F (import_data), F (fixed_data), F (nowhere), F (uncounted), F (nameless), \
    F (twice), F (inverted), F (stateless), F (value_inside), F (failed_inside), F (solve_inside), \
    F (release_inside), F (late_inside), F (options_inside), F (stop_inside), F (hear_inside), \
    F (bring_inside), F (option_inside), F (init_inside), F (value_early), F (value_of_0), \
    F (failed_early), F (failed_of_0), F (failed_of_others), F (below), F (above), F (late), \
    F (indexed), F (removal), F (forgettable), F (value_refused), F (failed_refused), \
    F (only_named), F (no_forgettable), F (no_length), F (no_fixed), F (no_delete)

#define NAME(X) X
enum { FAULTS (NAME), NUMBER };

struct callback {
  void *data;
  void (*call) (void);
};

struct solver {
  int state, named;
  int32_t assumed;
  struct callback stop, hear, forget, bring, fix, first_stop, first_hear, first_bring;
};

/* Of all solvers: every trace has a process of its own. */
static int wrong[NUMBER];
static int solving;

#define OPTION(X) \
  { #X, 0, 1, IPASIR2_CONFIG, 0, 0, wrong + X }
enum { BEFORE = 3, COUNT = BEFORE + NUMBER };
static struct ipasir2_option table[] = {{"effort", 0, 9, IPASIR2_CONFIG, 1, 0, 0},
                                        {"mood", 1, 1, IPASIR2_SOLVING, 1, 0, 0},
                                        {"part", 0, 1, IPASIR2_UNSAT, 1, 1, 0},
                                        FAULTS (OPTION)};

#define REFUSE(FAULT) \
  if (wrong[FAULT]) return IPASIR2_UNKNOWN;

int ipasir2_signature (const char **text) { return *text = "codes", 0; }

int ipasir2_init (void **pointer) {
  REFUSE (init)
  if (solving) REFUSE (init_inside)
  return !(*pointer = calloc (1, sizeof (struct solver)));
}

int ipasir2_release (void *pointer) {
  struct solver *s = pointer;
  if (s->state == IPASIR2_SOLVING) return wrong[release_inside] ? 0 : IPASIR2_INVALID_STATE;
  free (s);
  REFUSE (release)
  return 0;
}

int ipasir2_options (void *pointer, const struct ipasir2_option **all, int *count) {
  struct solver *s = pointer;
  REFUSE (options)
  if (s->state == IPASIR2_SOLVING) REFUSE (options_inside)
  if (!wrong[nowhere]) *all = table;
  if (!wrong[uncounted]) *count = COUNT;
  if (wrong[nameless]) table[0].name = 0;
  if (wrong[twice]) table[0].name = "mood";
  if (wrong[inverted]) table[0].min = 10;
  if (wrong[stateless]) table[0].max_state = 5;
  return 0;
}

static int order (int state) {
  return state == IPASIR2_CONFIG ? 0 : state == IPASIR2_SOLVING ? 2 : 1;
}

int ipasir2_set_option (void *pointer, const struct ipasir2_option *option, int64_t value,
                        int64_t at) {
  struct solver *s = pointer;
  const int inside = s->state == IPASIR2_SOLVING;
  if (option == table && wrong[set_option]) return IPASIR2_INVALID_OPTION_VALUE;
  if (option->indexed && wrong[indexed]) return IPASIR2_INVALID_STATE;
  if (option == table && at && wrong[index]) return IPASIR2_INVALID_ARGUMENT;
  if (value < option->min && !wrong[below]) return IPASIR2_INVALID_OPTION_VALUE;
  if (value > option->max && !wrong[above]) return IPASIR2_INVALID_OPTION_VALUE;
  if (inside && wrong[option_inside]) return IPASIR2_INVALID_STATE;
  if (order (s->state) > order (option->max_state) && !wrong[inside ? late_inside : late])
    return IPASIR2_INVALID_STATE;
  if (option >= table + BEFORE && (value | 1) == 1) wrong[option - table - BEFORE] = (int) value;
  return 0;
}

int ipasir2_add (void *pointer, const int32_t *clause, int32_t length, int32_t is_forgettable,
                 void *meta) {
  struct solver *s = pointer;
  (void) meta;
  REFUSE (add)
  if (is_forgettable) REFUSE (forgettable)
  if (is_forgettable && wrong[no_forgettable]) return IPASIR2_UNSUPPORTED_ARGUMENT;
  for (int32_t i = 0; i < length; i++)
    if (abs (clause[i]) > s->named) s->named = abs (clause[i]);
  if (s->state == IPASIR2_SOLVING) return 0;
  s->state = IPASIR2_INPUT;
  if (wrong[outside] && s->fix.call) ((void (*) (void *, int32_t)) s->fix.call) (s->fix.data, 1);
  return 0;
}

typedef void clause_callback (void *, const int32_t *, int32_t, void *);

static void call_clause (const struct callback *c, int fault, int with_0, void *other) {
  const int32_t clause[] = {1, with_0 ? 0 : 2};
  if (c->call) ((clause_callback *) c->call) (wrong[fault] ? other : c->data, clause, 2, 0);
}

static void *call_stop (void *pointer) {
  struct solver *s = pointer;
  const struct callback *c = wrong[stop_replaced] ? &s->first_stop : &s->stop;
  if (c->call) ((int (*) (void *)) c->call) (wrong[stop_data] ? s : c->data);
  return 0;
}

int ipasir2_solve (void *pointer, int *result, const int32_t *assumptions, int32_t length) {
  struct solver *s = pointer;
  *result = 0;
  if (s->state == IPASIR2_SOLVING) return wrong[solve_inside] ? 0 : IPASIR2_INVALID_STATE;
  REFUSE (solve)
  s->state = IPASIR2_SOLVING;
  solving++;
  pthread_t thread;
  if (!wrong[in_thread])
    call_stop (s);
  else if (!pthread_create (&thread, 0, call_stop, s))
    pthread_join (thread, 0);
  call_clause (wrong[export_replaced] ? &s->first_hear : &s->hear, export_data, wrong[exports_0],
               s);
  call_clause (&s->forget, delete_data, wrong[deletes_0], s);
  const struct callback *c = wrong[import_replaced] ? &s->first_bring : &s->bring;
  if (c->call) ((void (*) (void *)) c->call) (wrong[import_data] ? s : c->data);
  c = &s->fix;
  if (c->call) ((void (*) (void *, int32_t)) c->call) (wrong[fixed_data] ? s : c->data, 1);
  solving--;
  s->assumed = length ? *assumptions : 0;
  s->state = s->assumed < 0 ? IPASIR2_UNSAT : IPASIR2_SAT;
  *result = s->state == IPASIR2_UNSAT ? 20 : 10;
  return 0;
}

int ipasir2_value (void *pointer, int32_t lit, int32_t *result) {
  struct solver *s = pointer;
  REFUSE (value)
  if (wrong[value_refused]) return IPASIR2_INVALID_ARGUMENT;
  *result = abs (lit);
  if (!lit && wrong[value_of_0]) return 0;
  if (!lit || (wrong[only_named] && abs (lit) > s->named)) return IPASIR2_INVALID_ARGUMENT;
  if (s->state == IPASIR2_SAT) return 0;
  return wrong[s->state == IPASIR2_SOLVING ? value_inside : value_early] ? 0
                                                                         : IPASIR2_INVALID_STATE;
}

int ipasir2_failed (void *pointer, int32_t lit, int *result) {
  struct solver *s = pointer;
  REFUSE (failed)
  if (wrong[failed_refused]) return IPASIR2_INVALID_ARGUMENT;
  *result = 1;
  if (!lit) return wrong[failed_of_0] ? 0 : IPASIR2_INVALID_ARGUMENT;
  if (s->state != IPASIR2_UNSAT)
    return wrong[s->state == IPASIR2_SOLVING ? failed_inside : failed_early]
             ? 0
             : IPASIR2_INVALID_STATE;
  return lit == s->assumed || wrong[failed_of_others] ? 0 : IPASIR2_INVALID_ARGUMENT;
}

static int set (struct callback *c, void *data, void (*call) (void)) {
  c->data = data, c->call = call;
  return 0;
}

static void keep_first (struct callback *first, void *data, void (*call) (void)) {
  if (call && !first->call) first->data = data, first->call = call;
}

int ipasir2_set_terminate (void *pointer, void *data, int (*call) (void *)) {
  struct solver *s = pointer;
  REFUSE (set_terminate)
  if (s->state == IPASIR2_SOLVING) REFUSE (stop_inside)
  keep_first (&s->first_stop, data, (void (*) (void)) call);
  return set (&s->stop, data, (void (*) (void)) call);
}

int ipasir2_set_export (void *pointer, void *data, int length, clause_callback *call) {
  struct solver *s = pointer;
  REFUSE (set_export)
  if (s->state == IPASIR2_SOLVING) REFUSE (hear_inside)
  if (length > 1 && wrong[no_length]) return IPASIR2_UNSUPPORTED_ARGUMENT;
  keep_first (&s->first_hear, data, (void (*) (void)) call);
  return set (&s->hear, data, (void (*) (void)) call);
}

int ipasir2_set_delete (void *pointer, void *data, clause_callback *call) {
  struct solver *s = pointer;
  REFUSE (set_delete)
  if (wrong[no_delete]) return IPASIR2_UNSUPPORTED;
  return set (&s->forget, data, (void (*) (void)) call);
}

int ipasir2_set_import (void *pointer, void *data, void (*call) (void *)) {
  struct solver *s = pointer;
  REFUSE (set_import)
  if (s->state == IPASIR2_SOLVING) REFUSE (bring_inside)
  if (!call) REFUSE (removal)
  keep_first (&s->first_bring, data, (void (*) (void)) call);
  if (!call && wrong[import_removed]) return 0;
  return set (&s->bring, data, (void (*) (void)) call);
}

int ipasir2_set_fixed (void *pointer, void *data, void (*call) (void *, int32_t)) {
  struct solver *s = pointer;
  REFUSE (set_fixed)
  if (wrong[no_fixed]) return IPASIR2_UNSUPPORTED;
  return set (&s->fix, data, (void (*) (void)) call);
}
