#ifndef REF_AT_ONCE_H
#define REF_AT_ONCE_H

#include <stdbool.h>

#include "literal.h"
#include "vector.h"

#pragma GCC visibility push(hidden)

void ref_at_once_open (void); /* every handle calls this when it opens, and close at its end */
void ref_at_once_close (void);
bool ref_lazy_table_keeps (ref_lit literal); /* true, except for the defect */
void ref_sort_in_shared_scratch (struct ref_vector *clause);

#pragma GCC visibility pop

#endif
