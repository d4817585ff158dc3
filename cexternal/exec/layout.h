/* Generated from package apimodel by 'go generate ./apimodel'; do not edit. */
#ifndef IPAFUZZ_LAYOUT_H
#define IPAFUZZ_LAYOUT_H

/* The first word of a trace ("IPFZ"), and the version of its form. */
enum {
  IPAFUZZ_BINARY_MAGIC = 0x5a465049,
  IPAFUZZ_BINARY_VERSION = 1,
};

/* Words of the header. */
enum {
  IPAFUZZ_HEAD_MAGIC = 0,
  IPAFUZZ_HEAD_VERSION = 1,
  IPAFUZZ_HEAD_MODEL = 2, /* number of the API model */
  IPAFUZZ_HEAD_WORDS = 3, /* of the executor's part, this header included */
  IPAFUZZ_HEAD_CALLS = 4, /* number of calls */
  IPAFUZZ_HEAD_INSTANCES = 5, /* number of instances */
  IPAFUZZ_HEAD_VARS = 6, /* words of the tables of variables behind this header */
  IPAFUZZ_HEAD_ANSWERS = 7, /* the most words that the answers take */
  IPAFUZZ_HEAD_LEARNED = 8, /* of these, the room for learned clauses */
  IPAFUZZ_HEAD_NOTES = 9, /* bytes of notes behind the executor's part */
  IPAFUZZ_HEAD_WANT = 10, /* words of right and recorded answers behind the notes */
  IPAFUZZ_HEAD_RESERVED = 11,
  IPAFUZZ_HEAD_LENGTH = 12,
};

/* Word 0 of a call is operation | flags << FLAG_SHIFT | instance << INSTANCE_SHIFT; word 1 is
 * the number of argument words behind it. */
enum {
  IPAFUZZ_CALL_FLAG_SHIFT = 8,
  IPAFUZZ_CALL_INSTANCE_SHIFT = 16,
  IPAFUZZ_CALL_WORDS = 2,
};

/* Flags of a call. */
enum {
  IPAFUZZ_FLAG_OPEN = 1, /* a clause without its final 0 */
  IPAFUZZ_FLAG_OFF = 2, /* the call removes a callback or limit */
};

/* Word 0 of an answer is kind | flags | payload words << PAYLOAD_SHIFT. */
enum {
  IPAFUZZ_ANSWER_MADE = 1, /* the call returned */
  IPAFUZZ_ANSWER_WITHHELD = 2, /* it is illegal in the state that an earlier answer led to */
  IPAFUZZ_ANSWER_UNSUPPORTED = 3, /* the target lacks the function */
  IPAFUZZ_ANSWER_STRANGE = 16, /* flag: a model or core has a strange value, or a text is NULL */
  IPAFUZZ_ANSWER_OTHERS_POLLED = 32, /* flag of a solve that called the terminate callback of another instance */
  IPAFUZZ_ANSWER_OTHERS_LEARNED = 64, /* flag of a solve that called the learn callback of another instance */
  IPAFUZZ_ANSWER_PAYLOAD_SHIFT = 8,
};

/* Words of a solve's payload; the learned clauses follow, each with its final 0. */
enum {
  IPAFUZZ_SOLVE_STATUS = 0,
  IPAFUZZ_SOLVE_NANOS_LOW = 1,
  IPAFUZZ_SOLVE_NANOS_HIGH = 2,
  IPAFUZZ_SOLVE_POLLS = 3, /* calls of the terminate callback */
  IPAFUZZ_SOLVE_POLLS_AFTER = 4, /* of these, after it had first said stop */
  IPAFUZZ_SOLVE_LEARNED = 5, /* calls of the learn callback */
  IPAFUZZ_SOLVE_ODD = 6, /* of these, with a clause longer than allowed */
  IPAFUZZ_SOLVE_LENGTH = 7,
};

/* A model or core has two bits for each value, values_per_word in a word. */
enum {
  IPAFUZZ_VALUES_PER_WORD = 16,
};

/* Limits. */
enum {
  IPAFUZZ_SIGNATURE_BYTES = 256, /* kept of a signature */
  IPAFUZZ_PROOF_BYTES = 0x40000, /* kept of a proof */
  IPAFUZZ_MAX_INSTANCES = 4096, /* of one trace */
};

#endif
