/* Which words of a trace are the arguments of a call, and how long its answer may be. */
#include <string.h>

#include "opcodes.h"
#include "run.h"

static int are_literals (const uint32_t *words, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!words[i] || words[i] == 0x80000000u) return 0;
  return 1;
}

/* A length in bytes, then "name\0value\0" and padding: two NULs within the bytes. */
static int is_option (const uint32_t *args, uint32_t count) {
  if (!count || args[0] > (count - 1) * 4) return 0;
  const char *bytes = (const char *) (args + 1), *end = bytes + args[0];
  const char *nul = memchr (bytes, 0, args[0]);
  return nul && memchr (nul + 1, 0, (size_t) (end - nul - 1));
}

int ipafuzz_is_well_formed (uint32_t op, uint32_t flags, const uint32_t *args, uint32_t count,
                            const struct instance *in) {
  const int off = flags & IPAFUZZ_FLAG_OFF;
  switch ((enum ipafuzz_form) ipafuzz_calls[op].form) {
  case IPAFUZZ_FORM_NONE: return count == 0;
  case IPAFUZZ_FORM_LITS:
  case IPAFUZZ_FORM_ASSUMED: return are_literals (args, count);
  case IPAFUZZ_FORM_LIT: return count == 1 && are_literals (args, 1);
  case IPAFUZZ_FORM_SOFT: return count == 3 && are_literals (args, 1);
  case IPAFUZZ_FORM_NUMBER: return count == 1 && (off || args[0] <= ipafuzz_calls[op].most);
  case IPAFUZZ_FORM_EXTEND:
    return count && args[0] <= ipafuzz_calls[op].most && are_literals (args + 1, count - 1);
  case IPAFUZZ_FORM_LONG: return count == 2;
  case IPAFUZZ_FORM_TEXT: return is_option (args, count);
  case IPAFUZZ_FORM_VARS:
    return count == 2 && args[0] <= in->num_vars && args[1] <= in->num_vars - args[0];
  }
  return 0;
}

uint32_t ipafuzz_answer_bound (uint32_t op, const uint32_t *args, uint32_t count) {
  switch (ipafuzz_calls[op].reply) {
  case IPAFUZZ_REPLY_STATUS: return 1 + IPAFUZZ_SOLVE_LENGTH;
  case IPAFUZZ_REPLY_WEIGHT:
  case IPAFUZZ_REPLY_TWO_COUNTS: return 3;
  case IPAFUZZ_REPLY_MODEL: return 1 + ipafuzz_value_words (args[1]);
  case IPAFUZZ_REPLY_CORE: return 1 + ipafuzz_value_words (count);
  case IPAFUZZ_REPLY_TEXT:
    return 2 + (op == IPAFUZZ_OP_PROOF ? IPAFUZZ_PROOF_BYTES : IPAFUZZ_SIGNATURE_BYTES) / 4;
  default: return 2;
  }
}
