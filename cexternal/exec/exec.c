#include "exec.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "lock.h"
#include "opcodes.h"
#include "run.h"

/* A process runs one trace at a time. Static memory avoids allocations, which would
 * mix with the heap of the library under test. */
static struct instance instances[IPAFUZZ_MAX_INSTANCES];
static struct run whole;
static _Thread_local struct run *run = &whole;

/* The instance whose solve this thread makes. A thread of the library has none: nobody knows which
 * solve it works for. Nor has a thread of a trace: the library may let it work for the solve of
 * another one. */
static _Thread_local const struct instance *solves_here;
static _Thread_local uint32_t called_of_others; /* the flags of that solve's answer */

static void note_caller (const struct instance *owner, uint32_t flag) {
  if (solves_here && solves_here != owner) called_of_others |= flag;
}

static int says_stop (void *state) {
  struct instance *in = state;
  note_caller (in, IPAFUZZ_ANSWER_OTHERS_POLLED);
  in->polls++;
  if (!in->stop_armed || !in->stop_at || in->polls < in->stop_at) return 0;
  if (in->polls > in->stop_at) in->polls_after++;
  return 1;
}

/* Captured clauses directly follow the payload of the solve in progress. */
static void takes_clause (void *state, int32_t *clause) {
  struct instance *in = state;
  note_caller (in, IPAFUZZ_ANSWER_OTHERS_LEARNED);
  uint32_t length = 0;
  while (clause[length]) length++;
  const struct ipafuzz_lock held = ipafuzz_take_lock ();
  in->learned++;
  if (length > in->learn_bound) in->odd++;
  struct run *of = in->run; /* a thread of the library may have called this */
  if (in == of->solving && length < of->learn_room) {
    memcpy (of->answers + of->used, clause, (length + 1) * sizeof *clause);
    of->learn_room -= length + 1; /* first: a handler that leaves here must not add room */
    atomic_signal_fence (memory_order_seq_cst);
    of->used += length + 1;
  }
  ipafuzz_release_lock (&held);
}

static uint64_t now (void) {
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static uint32_t answer_head (uint32_t payload) {
  return IPAFUZZ_ANSWER_MADE | payload << IPAFUZZ_ANSWER_PAYLOAD_SHIFT;
}

static void put_value (uint32_t *payload, uint32_t i, uint32_t code) {
  payload[i / IPAFUZZ_VALUES_PER_WORD] |= code << (i % IPAFUZZ_VALUES_PER_WORD * 2);
}

static void put (uint32_t word) { run->answers[run->used++] = word; }

static void put_one (uint32_t word) {
  put (answer_head (1));
  put (word);
}

static void put_two (uint64_t words) {
  put (answer_head (2));
  put ((uint32_t) words);
  put ((uint32_t) (words >> 32));
}

static void start_solver (struct instance *in) {
  run->progress->in_init = run->call + 1;
  in->solver = run->target->init ();
  run->progress->in_init = 0;
  in->stop_armed = in->learn_armed = 0;
  if (!in->solver && run->progress->failed_allocation) { /* the library reports that */
    in->state = IPAFUZZ_STATE_NONE;
    return;
  }
  in->state = IPAFUZZ_STATE_START;
  if (run->target->set_option)
    for (uint32_t i = 0; i < run->num_settings; i++)
      ipafuzz_set (run->target, in->solver, run->settings[i].name, run->settings[i].value);
}

static void answer_solve (struct instance *in, uint32_t op) {
  const uint32_t head = run->used;
  in->polls = in->polls_after = in->learned = in->odd = 0;
  run->used += 1 + IPAFUZZ_SOLVE_LENGTH;
  struct ipafuzz_lock held = ipafuzz_take_lock ();
  run->solving = in;
  ipafuzz_release_lock (&held);
  solves_here = run->only == IPAFUZZ_EVERY ? in : 0;
  called_of_others = 0;
  const uint64_t begin = now ();
  const int status = run->target->solve (in->solver);
  const uint64_t nanos = now () - begin;
  solves_here = 0;
  held = ipafuzz_take_lock ();
  run->solving = 0;
  ipafuzz_release_lock (&held);
  uint32_t *payload = run->answers + head + 1;
  run->answers[head] = answer_head (run->used - head - 1) | called_of_others;
  payload[IPAFUZZ_SOLVE_STATUS] = (uint32_t) status;
  payload[IPAFUZZ_SOLVE_NANOS_LOW] = (uint32_t) nanos;
  payload[IPAFUZZ_SOLVE_NANOS_HIGH] = (uint32_t) (nanos >> 32);
  payload[IPAFUZZ_SOLVE_POLLS] = in->polls;
  payload[IPAFUZZ_SOLVE_POLLS_AFTER] = in->polls_after;
  payload[IPAFUZZ_SOLVE_LEARNED] = in->learned;
  payload[IPAFUZZ_SOLVE_ODD] = in->odd;
  uint32_t condition;
  switch (status) {
  case 0: condition = IPAFUZZ_ANSWERED_0; break;
  case 10: condition = IPAFUZZ_ANSWERED_10; break;
  case 20: condition = IPAFUZZ_ANSWERED_20; break;
  case 30: condition = IPAFUZZ_ANSWERED_30; break;
  case 40: condition = IPAFUZZ_ANSWERED_40; break;
  default: condition = IPAFUZZ_ALWAYS; break;
  }
  const uint8_t then = ipafuzz_then[run->target->model][op][condition];
  /* After an answer that the interface does not define, the state is unknown. INPUT
   * is safe: no query is legal in it. */
  in->state = then < IPAFUZZ_NUM_STATES ? then : IPAFUZZ_STATE_INPUT;
}

/* Two bits per variable: 0 not important, 1 true, 2 false, 3 anything else. */
static void answer_model (struct instance *in, const uint32_t *args) {
  const uint32_t first = args[0], count = args[1];
  const uint32_t words = ipafuzz_value_words (count), head = run->used;
  uint32_t *bits = run->answers + head + 1, strange = 0;
  memset (bits, 0, words * sizeof *bits);
  for (uint32_t i = 0; i < count; i++) {
    const int32_t var = (int32_t) in->vars[first + i];
    const int32_t val = run->target->val (in->solver, var);
    const uint32_t code = val == var ? 1 : val == -var ? 2 : !val ? 0 : 3;
    strange |= code == 3;
    put_value (bits, i, code);
  }
  run->answers[head] = answer_head (words) | (strange ? IPAFUZZ_ANSWER_STRANGE : 0);
  run->used += 1 + words;
}

/* Two bits per literal: 0 not failed, 1 failed, 3 neither 0 nor 1. */
static void answer_core (struct instance *in, const uint32_t *lits, uint32_t count) {
  const uint32_t words = ipafuzz_value_words (count), head = run->used;
  uint32_t *bits = run->answers + head + 1, strange = 0;
  memset (bits, 0, words * sizeof *bits);
  for (uint32_t i = 0; i < count; i++) {
    const int failed = run->target->failed (in->solver, (int32_t) lits[i]);
    const uint32_t code = failed == 0 ? 0 : failed == 1 ? 1 : 3;
    strange |= code == 3;
    put_value (bits, i, code);
  }
  run->answers[head] = answer_head (words) | (strange ? IPAFUZZ_ANSWER_STRANGE : 0);
  run->used += 1 + words;
}

static void answer_text (const char *text, uint32_t length) {
  const uint32_t head = run->used, words = (length + 3) / 4;
  uint8_t *bytes = (uint8_t *) (run->answers + head + 2);
  for (uint32_t i = 0; i < length; i++) bytes[i] = (uint8_t) text[i];
  for (uint32_t i = length; i < words * 4; i++) bytes[i] = 0;
  run->answers[head] = answer_head (1 + words) | (text ? 0 : IPAFUZZ_ANSWER_STRANGE);
  run->answers[head + 1] = length;
  run->used += 2 + words;
}

static void answer_signature (void) {
  const char *text = run->target->signature ();
  answer_text (text, text ? (uint32_t) strnlen (text, IPAFUZZ_SIGNATURE_BYTES) : 0);
}

/* A proof of IPAFUZZ_PROOF_BYTES may be the beginning of a longer one. */
static void answer_proof (struct instance *in) {
  uint64_t size = 0;
  const char *text = run->target->proof (in->solver, &size);
  if (!text)
    put (IPAFUZZ_ANSWER_UNSUPPORTED);
  else
    answer_text (text, size > IPAFUZZ_PROOF_BYTES ? IPAFUZZ_PROOF_BYTES : (uint32_t) size);
}

/* Reports whether the target has the functions that a call needs. */
static int supported (uint32_t op) {
  const struct ipafuzz_target *target = run->target;
  switch (op) {
#define NEEDS(OP, FUNCTIONS) \
  case OP: return (FUNCTIONS) != 0;
    IPAFUZZ_NEEDS (NEEDS)
#undef NEEDS
  default: return 0;
  }
}

struct ipafuzz_failing ipafuzz_failing;

/* Reports whether the call sets that option, which the executor keeps from the library. */
static int is_own (uint32_t op, const uint32_t *args, const char *name) {
  return op == IPAFUZZ_OP_OPTION && !strcmp ((const char *) (args + 1), name);
}

/* Answers as for any option: 0 if it is accepted, else 1. */
static void fail_allocation (const char *value) {
  uint64_t n = 0;
  for (; *value >= '0' && *value <= '9' && n < UINT32_MAX; value++)
    n = 10 * n + (uint64_t) (*value - '0');
  if (*value || !ipafuzz_failing.interpose) {
    put_one (1);
    return;
  }
  ipafuzz_failing.interpose ();
  ipafuzz_failing.progress = run->progress;
  __atomic_store_n (&ipafuzz_failing.left, n, __ATOMIC_RELAXED);
  put_one (0);
}

/* How to make a call that is not in IPASIR or IPAMIR, by the shape of its function. */
#define ASK(FUNCTION, WORD) \
  put_one ((uint32_t) FUNCTION (in->solver)); \
  return
#define ASK_LIT(FUNCTION, WORD) \
  put_one ((uint32_t) FUNCTION (in->solver, (int32_t) args[0])); \
  return
#define COUNT(FUNCTION, WORD) \
  put_two (FUNCTION (in->solver, args[0])); \
  return
#define DO(FUNCTION, WORD) FUNCTION (in->solver)
#define GIVE_LIT(FUNCTION, WORD) FUNCTION (in->solver, (int32_t) args[0])
#define GIVE_LITS(FUNCTION, WORD) give_lits (FUNCTION, in->solver, args, count)
#define GIVE_LEVEL(FUNCTION, WORD) give_level (FUNCTION, in->solver, args, count)
#define GIVE_NUMBER(FUNCTION, WORD) FUNCTION (in->solver, (int32_t) args[0])
#define LIMIT(FUNCTION, WORD) FUNCTION (in->solver, WORD, off ? -1 : (int) args[0])

static void give_lits (void (*give) (void *, int32_t), void *solver, const uint32_t *lits,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; i++) give (solver, (int32_t) lits[i]);
  give (solver, 0);
}

static void give_level (void (*give) (void *, int32_t, int32_t), void *solver, const uint32_t *args,
                        uint32_t count) {
  for (uint32_t i = 1; i < count; i++) give (solver, (int32_t) args[0], (int32_t) args[i]);
  give (solver, (int32_t) args[0], 0);
}

static void make (struct instance *in, uint32_t op, uint32_t flags, const uint32_t *args,
                  uint32_t count) {
  const struct ipafuzz_target *t = run->target;
  const int off = flags & IPAFUZZ_FLAG_OFF;
  switch (op) {
  case IPAFUZZ_OP_INIT: start_solver (in); break;
  case IPAFUZZ_OP_RELEASE: t->release (in->solver); break;
  case IPAFUZZ_OP_SIGNATURE: answer_signature (); return;
  case IPAFUZZ_OP_OPTION: {
    const char *name = (const char *) (args + 1);
    put_one ((uint32_t) ipafuzz_set (t, in->solver, name, name + strlen (name) + 1));
    return;
  }
  case IPAFUZZ_OP_HAVOC: t->havoc (in->solver, args[0] | (uint64_t) args[1] << 32); break;
  case IPAFUZZ_OP_CLAUSE:
    for (uint32_t i = 0; i < count; i++) t->add (in->solver, (int32_t) args[i]);
    if (!(flags & IPAFUZZ_FLAG_OPEN)) t->add (in->solver, 0);
    break;
  case IPAFUZZ_OP_SOFT:
    t->add_soft (in->solver, (int32_t) args[0], args[1] | (uint64_t) args[2] << 32);
    break;
  case IPAFUZZ_OP_ASSUME: t->assume (in->solver, (int32_t) args[0]); break;
  case IPAFUZZ_OP_SOLVE: answer_solve (in, op); return;
  case IPAFUZZ_OP_VAL: put_one ((uint32_t) t->val (in->solver, (int32_t) args[0])); return;
  case IPAFUZZ_OP_OBJ: put_two (t->val_obj (in->solver)); return;
  case IPAFUZZ_OP_FAILED: put_one ((uint32_t) t->failed (in->solver, (int32_t) args[0])); return;
  case IPAFUZZ_OP_CORE: answer_core (in, args, count); return;
  case IPAFUZZ_OP_MODEL: answer_model (in, args); return;
  case IPAFUZZ_OP_PROOF: answer_proof (in); return;
  case IPAFUZZ_OP_TERMINATE:
    in->stop_armed = !off;
    in->stop_at = in->stop_armed ? args[0] : 0;
    t->set_terminate (in->solver, in->stop_armed ? in : 0, in->stop_armed ? says_stop : 0);
    break;
  case IPAFUZZ_OP_LEARN:
    in->learn_armed = !off;
    in->learn_bound = in->learn_armed ? args[0] : 0;
    t->set_learn (in->solver, in->learn_armed ? in : 0, (int) in->learn_bound,
                  in->learn_armed ? takes_clause : 0);
    break;
#define CALL(OP, SHAPE, MEMBER, WORD) \
  case OP: SHAPE (t->MEMBER, WORD); break;
    IPAFUZZ_EXTENSION_CALLS (CALL)
#undef CALL
  default: break;
  }
  put (IPAFUZZ_ANSWER_MADE);
}

/* Reads the tables of variables; returns the first word after them, or 0 if they are damaged. */
static const uint32_t *read_tables (const uint32_t *trace, uint32_t num_instances) {
  const uint32_t *p = trace + IPAFUZZ_HEAD_LENGTH, *end = p + trace[IPAFUZZ_HEAD_VARS];
  for (uint32_t i = 0; i < num_instances; i++) {
    struct instance *in = instances + i;
    if (end - p < 2 || p[1] > (uint64_t) (end - p - 2)) return 0;
    memset (in, 0, sizeof *in);
    in->run = &whole;
    in->num_vars = p[1];
    in->vars = p + 2;
    for (uint32_t v = 0; v < in->num_vars; v++)
      if (!in->vars[v] || in->vars[v] > INT32_MAX) return 0;
    p += 2 + in->num_vars;
  }
  return p == end ? p : 0;
}

static atomic_int blamed; /* whether a thread was blamed for the death of the process */

/* Makes the calls from a place on: those of the instance as->only, or all. */
int ipafuzz_walk (struct place from, struct run *as) {
  run = as;
  const uint32_t *p = from.p, *end = run->end;
  const uint16_t *legal = ipafuzz_legal[run->target->model];
  for (uint32_t i = from.call; i < run->calls; i++) {
    if (run->only == IPAFUZZ_EVERY) run->progress->answer_words = run->used;
    if (end - p < 2 || p[1] > (uint64_t) (end - p - 2)) return IPAFUZZ_BAD_TRACE;
    const uint32_t op = p[0] & 0xff, flags = p[0] >> IPAFUZZ_CALL_FLAG_SHIFT & 0xff,
                   which = p[0] >> IPAFUZZ_CALL_INSTANCE_SHIFT, count = p[1];
    const uint32_t *args = p + 2;
    p += 2 + count;
    if (run->only != IPAFUZZ_EVERY && which != run->only) continue;
    run->call = i;
    if (!blamed) run->progress->call = i; /* while a thread dies, others go on */
    if (which >= run->num_instances || op >= IPAFUZZ_NUM_OPS || !legal[op])
      return IPAFUZZ_BAD_TRACE;
    struct instance *in = instances + which;
    if (!ipafuzz_is_well_formed (op, flags, args, count, in)) return IPAFUZZ_BAD_TRACE;
    if (ipafuzz_answer_bound (op, args, count) > run->room - run->used - run->learn_room)
      return IPAFUZZ_NO_ROOM;
    if (is_own (op, args,
                IPAFUZZ_FAIL_ALLOCATION)) { /* before a solver is made, whose allocations count */
      fail_allocation ((const char *) (args + 1) + sizeof IPAFUZZ_FAIL_ALLOCATION);
      continue;
    }
    if (is_own (op, args, IPAFUZZ_THREADS)) {
      const char *value = (const char *) (args + 1) + sizeof IPAFUZZ_THREADS;
      const int begin = run->only == IPAFUZZ_EVERY && !strcmp (value, "1");
      put_one (!begin && strcmp (value, "0"));
      if (begin) return ipafuzz_walk_in_threads ((struct place){p, i + 1}, run, instances);
      continue;
    }
    if (run->only != IPAFUZZ_EVERY) ipafuzz_meet (run);
    const int makes_no_solver = legal[op] >> IPAFUZZ_STATE_NONE & 1;
    if (!in->touched && !makes_no_solver) start_solver (in);
    if (op != IPAFUZZ_OP_SIGNATURE) in->touched = 1;
    if (!(legal[op] >> in->state & 1)) {
      put (IPAFUZZ_ANSWER_WITHHELD);
    } else if (!supported (op)) {
      put (IPAFUZZ_ANSWER_UNSUPPORTED);
    } else {
      make (in, op, flags, args, count);
      const int no_solver = op == IPAFUZZ_OP_INIT && in->state == IPAFUZZ_STATE_NONE;
      if (op != IPAFUZZ_OP_SOLVE && !no_solver) {
        const uint32_t when = op != IPAFUZZ_OP_CLAUSE     ? IPAFUZZ_ALWAYS
                              : flags & IPAFUZZ_FLAG_OPEN ? IPAFUZZ_CLAUSE_OPEN
                                                          : IPAFUZZ_CLAUSE_CLOSED;
        const uint8_t then = ipafuzz_then[run->target->model][op][when];
        if (then < IPAFUZZ_NUM_STATES) in->state = then;
      }
    }
  }
  if (run->only != IPAFUZZ_EVERY) return p == end ? IPAFUZZ_OK : IPAFUZZ_BAD_TRACE;
  run->progress->answer_words = run->used;
  run->progress->call = run->calls;
  return p == end ? IPAFUZZ_OK : IPAFUZZ_BAD_TRACE;
}

int ipafuzz_blame_this_thread (void) {
  if (run->only == IPAFUZZ_EVERY) return 0;
  blamed = 1;
  run->progress->call = run->call;
  return 1;
}

int ipafuzz_exec (const struct ipafuzz_target *target, const struct ipafuzz_setting *settings,
                  uint32_t num_settings, const uint32_t *trace, uint64_t words, uint32_t *answers,
                  uint64_t room, struct ipafuzz_progress *progress) {
  progress->call = progress->answer_words = progress->failed_allocation = progress->in_init = 0;
  progress->failed_earlier = ipafuzz_failing.ever;
  ipafuzz_failing.left = ipafuzz_failing.together = 0;
  if (words < IPAFUZZ_HEAD_LENGTH || trace[IPAFUZZ_HEAD_MAGIC] != IPAFUZZ_BINARY_MAGIC ||
      trace[IPAFUZZ_HEAD_VERSION] != IPAFUZZ_BINARY_VERSION || trace[IPAFUZZ_HEAD_WORDS] > words ||
      trace[IPAFUZZ_HEAD_WORDS] < IPAFUZZ_HEAD_LENGTH ||
      trace[IPAFUZZ_HEAD_VARS] > trace[IPAFUZZ_HEAD_WORDS] - IPAFUZZ_HEAD_LENGTH ||
      trace[IPAFUZZ_HEAD_INSTANCES] > IPAFUZZ_MAX_INSTANCES)
    return IPAFUZZ_BAD_TRACE;
  if (trace[IPAFUZZ_HEAD_MODEL] != target->model) return IPAFUZZ_WRONG_MODEL;
  if (trace[IPAFUZZ_HEAD_ANSWERS] > room ||
      trace[IPAFUZZ_HEAD_LEARNED] > trace[IPAFUZZ_HEAD_ANSWERS])
    return IPAFUZZ_NO_ROOM;
  const uint32_t num_instances = trace[IPAFUZZ_HEAD_INSTANCES];
  const uint32_t *calls = read_tables (trace, num_instances);
  if (!calls) return IPAFUZZ_BAD_TRACE;

  whole = (struct run){.target = target,
                       .settings = settings,
                       .num_settings = num_settings,
                       .end = trace + trace[IPAFUZZ_HEAD_WORDS],
                       .calls = trace[IPAFUZZ_HEAD_CALLS],
                       .num_instances = num_instances,
                       .only = IPAFUZZ_EVERY,
                       .answers = answers,
                       .room = trace[IPAFUZZ_HEAD_ANSWERS],
                       .learn_room = trace[IPAFUZZ_HEAD_LEARNED],
                       .progress = progress};
  const int result = ipafuzz_walk ((struct place){calls, 0}, &whole);
  for (uint32_t i = 0; i < num_instances; i++)
    if (instances[i].state != IPAFUZZ_STATE_NONE) {
      target->release (instances[i].solver);
      instances[i].state = IPAFUZZ_STATE_NONE;
    }
  ipafuzz_failing.left = 0;
  return result;
}
