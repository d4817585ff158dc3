/* The misbehaviours of the hostile library, by name. */
#ifndef HOSTILE_H
#define HOSTILE_H

enum moment { AT_LOAD, AT_SIGNATURE, AT_INIT, AT_SOLVE, AT_RELEASE, AT_EXIT };

struct behaviour {
  const char *name;
  enum moment when;
  void (*act) (void);
};

/* End with an entry without a name. */
extern const struct behaviour deaths[], habits[], resources[], processes[], files[], neighbours[],
  shared[], calls[], restricts[], tricks[], later[], becomes[], endings[], ours[], state[];

/* The solves of this process so far, including the current one. */
extern int solves;

enum { SHARED_AREAS = 64 };

/* Finds the memory that is shared with ipafuzz. Returns the number of areas, at most SHARED_AREAS.
 */
int find_shared (unsigned long *from, unsigned long *to);

#endif
