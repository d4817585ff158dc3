package oracle

import (
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A check is one way to find faults. Its rule implements one or more of the interfaces below, which say
// what the check looks at. Checks run in a fixed order, cheap ones first. They record what they prove about
// a solve (see truth), so that later checks need not prove it again.
type check struct {
	name string
	rule any
	// quantified marks checks that also apply to traces of the model qbf. The others do not
	// understand quantifiers.
	quantified bool
	// concerns reports whether the check applies to the trace; nil means always. Calling checks that do
	// not apply would cost a tenth of the judge's time for a tiny trace.
	concerns func(j *Judge) bool
}

// A queryCheck sees every answer to a query about a solution or a core as it comes.
type queryCheck interface {
	query(j *Judge, in *instance, q *query)
}

// An answerCheck sees every solve once, after all queries about its answer: just before the next call that
// changes the instance.
type answerCheck interface {
	answer(j *Judge, in *instance)
}

// A factCheck sees every answer to a call that asks something else, such as enumerate, fixed or signature, as
// it comes. Such an answer needs no earlier solve.
type factCheck interface {
	fact(j *Judge, in *instance, call int, c *trace.Call, a *trace.Answer)
}

// A runCheck sees the whole run once, after its last call.
type runCheck interface {
	run(j *Judge)
}

// checks are all checks in order. A judge counts the decisions of a check under its index in
// this list.
var checks = []check{
	{name: "values", rule: valueCheck{}, quantified: true},
	{name: "failed", rule: failedCheck{}, quantified: true, concerns: func(j *Judge) bool { return j.cores }},
	{name: "status", rule: statusCheck{}, quantified: true},
	{name: "terminate", rule: terminateCheck{}, quantified: true},
	{name: "exhaustive", rule: exhaustiveCheck{}},
	{name: "model", rule: modelCheck{}},
	{name: "known-solution", rule: knownSolutionCheck{}},
	{name: "planted", rule: plantedCheck{}, concerns: func(j *Judge) bool { return len(j.t.Planted) > 0 }},
	{name: "reference", rule: referenceCheck{}, concerns: func(j *Judge) bool { return j.reference != nil }},
	{name: "objective", rule: objectiveCheck{}, concerns: func(j *Judge) bool { return j.weighted }},
	{name: "core", rule: coreCheck{}, concerns: func(j *Judge) bool { return j.cores }},
	{name: "repeat", rule: repeatCheck{}},
	{name: "monotone", rule: monotoneCheck{}},
	{name: "learned", rule: learnedCheck{}},
	{name: "proof", rule: proofCheck{}},
	{name: "count", rule: countCheck{}},
	{name: "fixed", rule: fixedCheck{}},
	{name: "frozen", rule: frozenCheck{}},
	{name: "codes", rule: codeCheck{}},
	{name: "least", rule: leastCheck{}, concerns: func(j *Judge) bool { return j.rules.leastTrue && !j.weighted }},
	{name: "quantified", rule: quantifiedCheck{}, quantified: true,
		concerns: func(j *Judge) bool { return j.ofQuantified }},
	{name: "expectation", rule: expectationCheck{}, quantified: true,
		concerns: func(j *Judge) bool { return len(j.t.Want.Of) > 0 }},
	{name: "end", rule: endCheck{}},
	{name: messageCheckName, rule: messageCheck{}},
}

// concerned returns the checks that apply to the trace.
func concerned[C any](j *Judge, dst, all []numbered[C]) []numbered[C] {
	for _, c := range all {
		if row := &checks[c.number]; (row.quantified || !j.ofQuantified) && (row.concerns == nil || row.concerns(j)) {
			dst = append(dst, c)
		}
	}
	return dst
}

// A numbered is a check with its index in checks. A judge looks up the interfaces of a rule only once,
// because a lookup for each call would cost more than the checks themselves.
type numbered[C any] struct {
	number int
	check  C
}

func appendIf[C any](list []numbered[C], number int, rule any) []numbered[C] {
	if has, ok := rule.(C); ok {
		return append(list, numbered[C]{number, has})
	}
	return list
}

// A Tally counts answers that checks decided. What no check could decide is unchecked, not right.
type Tally struct {
	Runs      uint64
	Solves    uint64 // solve answers
	Unchecked unchecked.Counts
	Rivals    unchecked.Counts `json:",omitzero"` // what stayed unchecked in rivals, which answer the same solves
	Certified uint64           // answers to solves whose right answer has a checked proof
	Checks    []CheckCount
}

// A CheckCount counts the answers that one check decided, right or wrong. Several checks may decide the same
// answer.
type CheckCount struct {
	Check   string
	Decided uint64
}

// Add adds the counts of another judge.
func (t *Tally) Add(other Tally) {
	t.Runs += other.Runs
	t.Solves += other.Solves
	t.Unchecked.Add(other.Unchecked)
	t.Rivals.Add(other.Rivals)
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
