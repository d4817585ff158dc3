#include "proof.h"

#include <inttypes.h>

void ref_proof_write (struct ref_sat *sat, const char *prefix, const ref_lit *literals, size_t count)
{
  fputs (prefix, sat->proof);
  for (size_t i = 0; i < count; i++)
    fprintf (sat->proof, "%" PRId32 " ", ref_names_user (sat->names, literals[i]));
  fputs ("0\n", sat->proof);
}
