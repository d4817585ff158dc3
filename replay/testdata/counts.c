/* Keeps global state: the value of every literal is the number of solvers that
 * there have been in the process. */
static int solvers;
#define AT_INIT solvers++
#define VALUE solvers
#include "honest.h"
