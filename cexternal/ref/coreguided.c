/* Core-guided MaxSAT by the OLL method (Andres, Kaufmann, Matheis, Schaub 2012;
 * Morgado, Dodaro, Marques-Silva 2014).
 *
 * Assume that no soft literal costs anything; call each such assumption a wish. A
 * core is a set of wishes that cannot all hold, so at least its smallest weight w
 * must be paid. Every wish of the core loses w. What remains is how many more of
 * the core's literals must cost: the new wish is "fewer than 2 cost", once that is
 * paid for, "fewer than 3 cost", each with weight w. A solution that fulfils all
 * wishes costs exactly what was paid, so it is optimal.
 */
#include "maxsat.h"

#include <stdlib.h>

#include "defects.h"
#include "totalizer.h"

/* A count over a core; outputs[j] is true when more than j literals cost. */
struct sum {
  struct ref_vector outputs;
};

/* The literal is true, or the weight must be paid. */
struct wish {
  ref_lit literal;
  uint64_t weight;
  int32_t sum;   /* the sum whose output the literal negates, or REF_NONE */
  int32_t bound; /* which output */
};

struct engine {
  struct ref_maxsat *maxsat;
  struct wish *wishes;
  size_t wish_count, wish_capacity;
  struct sum *sums;
  size_t sum_count, sum_capacity;
  uint64_t paid; /* a lower bound on the cost */
};

/* Adds the weight to the wish for the literal, or makes a new wish. This is linear in
 * the number of wishes, but cheap compared with the solve that found the core. */
static void add_wish (struct engine *engine, struct wish wish) {
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].literal == wish.literal) {
      engine->wishes[i].weight += wish.weight;
      return;
    }
  if (engine->wish_count == engine->wish_capacity) {
    engine->wish_capacity = engine->wish_capacity ? 2 * engine->wish_capacity : 8;
    engine->wishes = ref_resize (engine->wishes, engine->wish_capacity, sizeof *engine->wishes);
  }
  engine->wishes[engine->wish_count++] = wish;
}

static struct wish *find_wish (struct engine *engine, ref_lit literal) {
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].literal == literal) return engine->wishes + i;
  return NULL;
}

static void drop_fulfilled (struct engine *engine) {
  size_t kept = 0;
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].weight) engine->wishes[kept++] = engine->wishes[i];
  engine->wish_count = kept;
}

static uint64_t price_of (struct engine *engine, const struct ref_vector *core) {
  uint64_t least = UINT64_MAX, most = 0;
  for (size_t i = 0; i < core->size; i++) {
    uint64_t weight = find_wish (engine, core->data[i])->weight;
    least = weight < least ? weight : least;
    most = weight > most ? weight : most;
  }
  if (HAS (engine->maxsat->options, CORE_PAID_IN_FULL)) return most; /* DEFECT */
  return least;
}

/* Counts how many literals of the core cost, and wishes for fewer than two. */
static void wish_for_no_second (struct engine *engine, const struct ref_vector *costs,
                                uint64_t price) {
  if (costs->size < 2) return;
  if (engine->sum_count == engine->sum_capacity) {
    engine->sum_capacity = engine->sum_capacity ? 2 * engine->sum_capacity : 4;
    engine->sums = ref_resize (engine->sums, engine->sum_capacity, sizeof *engine->sums);
  }
  struct sum *sum = engine->sums + engine->sum_count;
  sum->outputs = (struct ref_vector){0};
  ref_totalizer_build (&engine->maxsat->sat, costs->data, costs->size, &sum->outputs);
  add_wish (engine, (struct wish){
                      .literal = ref_negate (sum->outputs.data[1]),
                      .weight = price,
                      .sum = (int32_t) engine->sum_count++,
                      .bound = 1,
                    });
}

/* One literal more costs than the wish allowed: wishes for the next bound. */
static void wish_for_next_bound (struct engine *engine, const struct wish *wish, uint64_t price) {
  if (wish->sum == REF_NONE) return;
  int32_t bound = wish->bound + 1;
  const struct ref_vector *outputs = &engine->sums[wish->sum].outputs;
  if (bound < (int32_t) outputs->size)
    add_wish (engine, (struct wish){
                        .literal = ref_negate (outputs->data[bound]),
                        .weight = price,
                        .sum = wish->sum,
                        .bound = bound,
                      });
}

static void pay_for_core (struct engine *engine) {
  struct ref_vector costs = {0};
  const struct ref_vector *core = &engine->maxsat->sat.core;
  uint64_t price = price_of (engine, core);
  engine->paid += price;
  for (size_t i = 0; i < core->size; i++) {
    struct wish *wish = find_wish (engine, core->data[i]);
    wish->weight -= price < wish->weight ? price : wish->weight;
    ref_push (&costs, ref_negate (core->data[i]));
    struct wish paid = *wish; /* add_wish moves the wishes */
    wish_for_next_bound (engine, &paid, price);
  }
  drop_fulfilled (engine);
  /* The core is a clause of the formula: at least one of its literals costs. */
  ref_sat_add (&engine->maxsat->sat, costs.data, costs.size);
  wish_for_no_second (engine, &costs, price);
  ref_vector_free (&costs);
}

static void open_engine (struct engine *engine, struct ref_maxsat *maxsat) {
  *engine = (struct engine){.maxsat = maxsat, .paid = maxsat->constant};
  if (!maxsat->term_count) return;
  engine->wish_capacity = maxsat->term_count;
  engine->wishes = ref_resize (NULL, engine->wish_capacity, sizeof *engine->wishes);
  for (size_t i = 0; i < maxsat->term_count; i++) /* their literals differ */
    engine->wishes[engine->wish_count++] = (struct wish){
      .literal = ref_negate (maxsat->terms[i].literal),
      .weight = maxsat->terms[i].weight,
      .sum = REF_NONE,
    };
}

static void close_engine (struct engine *engine) {
  for (size_t i = 0; i < engine->sum_count; i++) ref_vector_free (&engine->sums[i].outputs);
  free (engine->sums);
  free (engine->wishes);
}

/* Returns the least weight of the next bundle: the wishes within a factor of two of
 * the heaviest one below the last bundle. Heavy wishes come first, because cores
 * over very different weights would split them into smaller and smaller pieces. */
static uint64_t next_bundle (const struct engine *engine, uint64_t dearer_than) {
  uint64_t dearest = 0;
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].weight < dearer_than && engine->wishes[i].weight > dearest)
      dearest = engine->wishes[i].weight;
  return dearest - dearest / 2;
}

/* Makes hard every wish that outweighs the gap between the bounds: each better
 * solution fulfils it. The SAT solver lives for this optimization only, and so do
 * these clauses. */
static void demand_dear_wishes (struct engine *engine) {
  uint64_t gap = engine->maxsat->cost - engine->paid;
  if (HAS (engine->maxsat->options, GAP_WITHOUT_CONSTANT)) /* DEFECT: both bounds include it */
    gap -= engine->maxsat->constant < gap ? engine->maxsat->constant : gap;
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].weight > gap) {
      ref_sat_add (&engine->maxsat->sat, &engine->wishes[i].literal, 1);
      engine->wishes[i].weight = 0;
    }
  drop_fulfilled (engine);
}

static int solve_bundle (struct engine *engine, uint64_t bundle) {
  struct ref_sat *sat = &engine->maxsat->sat;
  for (size_t i = 0; i < engine->wish_count; i++)
    if (engine->wishes[i].weight >= bundle) ref_push (&sat->assumptions, engine->wishes[i].literal);
  return ref_sat_solve (sat);
}

int ref_maxsat_core_guided (struct ref_maxsat *maxsat) {
  const struct ref_vector *core = &maxsat->sat.core;
  struct engine engine;
  int status = REF_OPTIMUM;
  open_engine (&engine, maxsat);
  uint64_t bundle = next_bundle (&engine, UINT64_MAX);
  while (engine.paid < maxsat->cost) {
    demand_dear_wishes (&engine);
    int answer = solve_bundle (&engine, bundle);
    if (answer == REF_INTERRUPTED) {
      status = REF_SATISFIABLE;
      break;
    }
    if (answer == REF_SATISFIABLE) {
      ref_maxsat_record (maxsat);
      bundle = next_bundle (&engine, bundle);
      if (bundle) continue;
      ref_maxsat_require (maxsat, maxsat->cost == engine.paid, "cost of the model is the bound");
      break;
    }
    ref_maxsat_require (maxsat, core->size > 0, "a core is not empty");
    if (!core->size) break;
    pay_for_core (&engine);
    if (HAS (maxsat->options, ONE_CORE_EARLY) && engine.sum_count > 0)
      break; /* DEFECT: assumes that the bounds have met */
  }
  ref_maxsat_require (maxsat, engine.paid <= maxsat->cost, "lower bound below upper bound");
  close_engine (&engine);
  return status;
}
