/* A small correct solver: it tries assignments, which suffices for tiny formulas. */
#ifndef HOSTILE_SOLVER_H
#define HOSTILE_SOLVER_H

struct solver;

struct solver *solver_new (void);
void solver_delete (struct solver *);
void solver_add (struct solver *, int lit);
void solver_assume (struct solver *, int lit);
int solver_solve (struct solver *); /* 10, 20, or 0 after many steps */
int solver_value (const struct solver *, int lit);
int solver_failed (const struct solver *, int lit);

#endif
