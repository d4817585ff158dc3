package oracle

import "github.com/ipafuzz/ipafuzz/trace"

// A check is one way of finding faults. What it looks at is said by which of
// the interfaces below it has; a check may have several. Checks are kept
// in one list, the cheapest first, and leave what they learned about a solve in
// its truth, so that a later one need not prove it again.
type check interface {
	name() string
}

// A queryCheck sees every answer about a solution or a core as it comes.
type queryCheck interface {
	check
	query(j *Judge, in *instance, q *query)
}

// An answerCheck sees every solve once, when all that the client asked about
// its answer is known: just before the next call that changes the instance.
type answerCheck interface {
	check
	answer(j *Judge, in *instance)
}

// A factCheck sees every answer about the clauses alone as it comes: no solve
// has to be before it, and no assumption plays a part.
type factCheck interface {
	check
	fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer)
}

// A runCheck sees the whole run once, after its last call.
type runCheck interface {
	check
	run(j *Judge)
}

// A checkOfSome has nothing to do in some traces. It is asked once a trace and
// left out there: most solves of a tiny trace are of no interest to most checks,
// and calling them all costs a tenth of the judge's time.
type checkOfSome interface {
	concerns(j *Judge) bool
}

func (objectiveCheck) concerns(j *Judge) bool   { return j.weighted }
func (coreCheck) concerns(j *Judge) bool        { return j.cores }
func (failedCheck) concerns(j *Judge) bool      { return j.cores }
func (plantedCheck) concerns(j *Judge) bool     { return len(j.t.Planted) > 0 }
func (referenceCheck) concerns(j *Judge) bool   { return j.reference != nil }
func (expectationCheck) concerns(j *Judge) bool { return len(j.t.Want.Of) > 0 }

// concerned keeps the checks that have something to do in the trace.
func concerned[C check](j *Judge, dst, all []numbered[C]) []numbered[C] {
	for _, c := range all {
		if some, ok := any(c.check).(checkOfSome); !ok || some.concerns(j) {
			dst = append(dst, c)
		}
	}
	return dst
}

// A numbered check is one with its place in the list. The interfaces that a
// check has are looked up once: asking at every call costs more than the checks.
type numbered[C check] struct {
	number int
	check  C
}

func appendIf[C check](list []numbered[C], number int, c check) []numbered[C] {
	if has, ok := c.(C); ok {
		return append(list, numbered[C]{number, has})
	}
	return list
}

// checksInOrder makes the list of a new judge. The number of a check in this
// list is what it counts its decisions under.
func checksInOrder() []check {
	return []check{
		valueCheck{},
		failedCheck{},
		statusCheck{},
		terminateCheck{},
		exhaustiveCheck{},
		modelCheck{},
		knownSolutionCheck{},
		plantedCheck{},
		referenceCheck{},
		objectiveCheck{},
		coreCheck{},
		repeatCheck{},
		monotoneCheck{},
		learnedCheck{},
		countCheck{},
		fixedCheck{},
		leastCheck{},
		expectationCheck{},
		endCheck{},
		messageCheck{},
	}
}

// A Tally says how much was really decided: an answer that no check could
// decide is not "fine", it is unknown.
type Tally struct {
	Runs      uint64
	Solves    uint64 // solve answers
	Unknown   uint64 // of those, how many no check could decide
	Certified uint64 // of those, how many have a checked proof of what is right
	Checks    []CheckCount
}

// A CheckCount is how many answers one check decided, rightly or wrongly
// answered. An answer may be decided by more than one check.
type CheckCount struct {
	Check   string
	Decided uint64
}

// Add adds the numbers of another judge's tally.
func (t *Tally) Add(other Tally) {
	t.Runs += other.Runs
	t.Solves += other.Solves
	t.Unknown += other.Unknown
	t.Certified += other.Certified
next:
	for _, o := range other.Checks {
		for i := range t.Checks {
			if t.Checks[i].Check == o.Check {
				t.Checks[i].Decided += o.Decided
				continue next
			}
		}
		t.Checks = append(t.Checks, o)
	}
}

// Of returns how many answers the named check decided.
func (t *Tally) Of(check string) uint64 {
	for i := range t.Checks {
		if t.Checks[i].Check == check {
			return t.Checks[i].Decided
		}
	}
	return 0
}
