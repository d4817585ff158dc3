package oracle

import "github.com/ipafuzz/ipafuzz/trace"

// A check is one way of finding faults. The interfaces below that it implements say what it looks at;
// a check may implement several. Checks run in a fixed order, the cheapest first, and record in its
// truth what they prove about a solve, so that later checks need not prove it again.
type check interface {
	name() string
}

// A queryCheck sees every answer about a solution or a core as it comes.
type queryCheck interface {
	check
	query(j *Judge, in *instance, q *query)
}

// An answerCheck sees every solve once, after all questions about its answer: just before the next
// call that changes the instance.
type answerCheck interface {
	check
	answer(j *Judge, in *instance)
}

// A factCheck sees every answer about the clauses alone as it comes: such an answer needs no solve
// before it and does not depend on assumptions.
type factCheck interface {
	check
	fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer)
}

// A runCheck sees the whole run once, after its last call.
type runCheck interface {
	check
	run(j *Judge)
}

// A checkOfSome does not apply to every trace and is skipped for the others. Most checks do not apply
// to most solves of a tiny trace; calling them all costs a tenth of the judge's time.
type checkOfSome interface {
	concerns(j *Judge) bool
}

func (objectiveCheck) concerns(j *Judge) bool   { return j.weighted }
func (coreCheck) concerns(j *Judge) bool        { return j.cores }
func (failedCheck) concerns(j *Judge) bool      { return j.cores }
func (plantedCheck) concerns(j *Judge) bool     { return len(j.t.Planted) > 0 }
func (referenceCheck) concerns(j *Judge) bool   { return j.reference != nil }
func (expectationCheck) concerns(j *Judge) bool { return len(j.t.Want.Of) > 0 }

// concerned returns the checks that apply to the trace.
func concerned[C check](j *Judge, dst, all []numbered[C]) []numbered[C] {
	for _, c := range all {
		if _, ok := any(c.check).(checkOfAll); !ok && j.ofQuantified {
			continue
		}
		if some, ok := any(c.check).(checkOfSome); !ok || some.concerns(j) {
			dst = append(dst, c)
		}
	}
	return dst
}

// A numbered check knows its place in the list. The interfaces of a check are looked up once: a lookup
// per call costs more than the checks.
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

// checksInOrder returns the checks of a new judge. A check counts its decisions under its number in
// this list.
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
		proofCheck{},
		countCheck{},
		fixedCheck{},
		codeCheck{},
		leastCheck{},
		quantifiedCheck{},
		expectationCheck{},
		endCheck{},
		messageCheck{},
	}
}

// A Tally counts decided answers. An answer that no check could decide is unknown, not right.
type Tally struct {
	Runs      uint64
	Solves    uint64 // solve answers
	Unknown   uint64 // answers that no check could decide
	Certified uint64 // answers with a checked proof of the right one
	Checks    []CheckCount
}

// A CheckCount is how many answers one check decided, right or wrong. Several checks may decide the
// same answer.
type CheckCount struct {
	Check   string
	Decided uint64
}

// Add adds the counts of another judge.
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
