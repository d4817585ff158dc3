/* Has global state: the value of every literal is the number of solvers that the process
 * has made. */
static int solvers;
#define AT_INIT solvers++
#define VALUE solvers
#include "honest.h"
