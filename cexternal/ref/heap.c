/* A binary heap of variables, the most active first. It contains all unassigned
 * variables; assigned ones are skipped when they are removed. */
#include "sat.h"

static bool before (const struct ref_sat *sat, int32_t a, int32_t b) {
  return sat->variables[a].activity > sat->variables[b].activity;
}

static void put (struct ref_sat *sat, int32_t position, int32_t variable) {
  sat->heap[position] = variable;
  sat->variables[variable].heap_position = position;
}

static void sift_up (struct ref_sat *sat, int32_t position) {
  int32_t variable = sat->heap[position];
  while (position > 0) {
    int32_t parent = (position - 1) / 2;
    if (!before (sat, variable, sat->heap[parent])) break;
    put (sat, position, sat->heap[parent]);
    position = parent;
  }
  put (sat, position, variable);
}

static void sift_down (struct ref_sat *sat, int32_t position) {
  int32_t variable = sat->heap[position];
  for (;;) {
    int32_t child = 2 * position + 1;
    if (child >= sat->heap_size) break;
    if (child + 1 < sat->heap_size && before (sat, sat->heap[child + 1], sat->heap[child])) child++;
    if (!before (sat, sat->heap[child], variable)) break;
    put (sat, position, sat->heap[child]);
    position = child;
  }
  put (sat, position, variable);
}

void ref_heap_insert (struct ref_sat *sat, int32_t variable) {
  if (sat->variables[variable].heap_position != REF_NONE) return;
  put (sat, sat->heap_size, variable);
  sift_up (sat, sat->heap_size++);
}

int32_t ref_heap_pop (struct ref_sat *sat) {
  if (!sat->heap_size) return REF_NONE;
  int32_t top = sat->heap[0];
  sat->variables[top].heap_position = REF_NONE;
  int32_t last = sat->heap[--sat->heap_size];
  if (sat->heap_size) {
    put (sat, 0, last);
    sift_down (sat, 0);
  }
  return top;
}

void ref_heap_bump (struct ref_sat *sat, int32_t variable) {
  struct ref_variable *v = sat->variables + variable;
  v->activity += sat->activity_step;
  if (v->activity > 1e100) { /* scaling keeps the order */
    for (int32_t i = 0; i < sat->variable_count; i++) sat->variables[i].activity *= 1e-100;
    sat->activity_step *= 1e-100;
  }
  if (v->heap_position != REF_NONE) sift_up (sat, v->heap_position);
}
