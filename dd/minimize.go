// Package dd reduces failing traces. The result depends only on the trace, the test and the
// configuration, not on the number of workers; a budget of time makes it depend on the machine,
// too. The package knows no targets.
//
// Passes remove calls, literals and variables, replace calls by calls that ask less of a
// solver, and sort what is left, until no pass improves the trace. They test only
// candidates that the API model and the target's policies allow.
package dd

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Verdict is the result of testing a candidate.
type Verdict struct {
	Same   bool      // the candidate fails in the same way
	Shift  bool      // but it counts as another failure, such as one with smaller weights
	Call   int       // the last call needed to see the failure; -1 if unknown
	Others []Failure // other failures that the candidate showed
}

// A Failure identifies a failure other than the one that is reduced. It can be
// any comparable value.
type Failure any

// A Tester tests candidates. Test is called concurrently for different workers,
// numbered from 0, and must not change or retain the candidate. An error ends
// the reduction.
type Tester interface {
	Test(ctx context.Context, worker int, candidate *trace.Trace) (Verdict, error)
}

// TestFunc is a Tester.
type TestFunc func(ctx context.Context, worker int, candidate *trace.Trace) (Verdict, error)

// Test calls the function.
func (f TestFunc) Test(ctx context.Context, worker int, candidate *trace.Trace) (Verdict, error) {
	return f(ctx, worker, candidate)
}

// Budget bounds a reduction.
type Budget = engine.Budget

// Config configures a reduction. The zero Config reduces with one worker, with
// strategy Own and without a budget.
type Config struct {
	Workers     int
	Budget      Budget
	Strategy    Strategy
	Seed        uint64                // of the shuffles of strategy WCNFDDMin
	Description *apimodel.Description // options and policies of the target; nil: those of the standard

	// Allowed reports whether a legal candidate may be tested; nil: all may. It is called
	// concurrently, and its result must depend only on the candidate.
	Allowed func(candidate *trace.Trace) bool

	// Plain reports whether a candidate has the form that the result should have, as the given trace has; nil: all have.
	// If the result has another form, the reduction goes on from the last best trace that was plain, with plain candidates
	// only. It is called concurrently, and its result must depend only on the candidate.
	Plain func(candidate *trace.Trace) bool

	// Any says that every failure counts. Then a trace that ends before the failing call may
	// fail, too: there may have been another failure before that call.
	Any bool

	// Known is the verdict on the given trace. If it is nil, Minimize tests the trace first.
	Known *Verdict

	// Parts are the traces that the trace was joined from (trace.Concat). Minimize first
	// removes whole parts.
	Parts []*trace.Trace

	// Certify, if not nil, tests the result of each round of passes more strictly than
	// Test. If the result does not fail there, Minimize discards it.
	Certify func(ctx context.Context, t *trace.Trace) (bool, error)

	Events
}

// Events are the callbacks of a reduction; nil ones are not called. They are never
// called concurrently, and their order does not depend on the number of workers.
type Events struct {
	OnBest   func(t *trace.Trace)                // called for every improvement
	OnOther  func(t *trace.Trace, other Failure) // called for the smallest trace so far with another failure
	Progress func(Progress)                      // called after every test
}

// best, other and progress call a callback if there is one.
func (e *Events) best(t *trace.Trace) {
	if e.OnBest != nil {
		e.OnBest(t)
	}
}

func (e *Events) other(t *trace.Trace, other Failure) {
	if e.OnOther != nil {
		e.OnOther(t, other)
	}
}

func (e *Events) progress(build func() Progress) {
	if e.Progress != nil {
		e.Progress(build())
	}
}

// Progress describes the state of a reduction.
type Progress struct {
	Round int // number of the round through all passes, from 1
	Pass  string
	Size  Size
	engine.Stats
}

// Size measures a trace for readers.
type Size struct {
	Calls, Literals, Variables int
	Weights                    float64 // their sum
}

// SizeOf measures a trace.
func SizeOf(t *trace.Trace) Size {
	m := measureOf(t, nil)
	return sizeOf(&m)
}

func sizeOf(m *measure) Size {
	weights := float64(m[weightsHigh])*(1<<64) + float64(m[weightsLow])
	return Size{int(m[calls]), int(m[literals]), int(m[variables]), weights}
}

// A Result is the outcome of a reduction.
type Result struct {
	Trace   *trace.Trace
	Verdict Verdict // on the trace
	// Unshifted is the last best trace whose verdict had no Shift, or nil if that is
	// Trace.
	Unshifted *trace.Trace
	// Minimal reports that no pass finds a smaller candidate that fails: no call, literal or
	// variable can be removed. If it is false, Ended says why the reduction ended early.
	Minimal bool
	Ended   error
	Stats   engine.Stats
	Time    time.Duration
	Passes  []PassStats
}

// PassStats sums up one pass over all rounds.
type PassStats struct {
	Name     string `json:"name"`
	Tests    int    `json:"tests"`
	Improved int    `json:"improved"` // candidates that became the best trace
	Calls    int    `json:"calls"`    // calls removed
	Literals int    `json:"literals"` // literals removed
	Skipped  int    `json:"skipped"`  // rounds in which the pass did not run, as it had proved that it can do no more
}

// ErrDoubtful ends a reduction whose results failed certification repeatedly.
var ErrDoubtful = errors.New("the reduced traces do not fail in a stricter test")

// ErrNotFailing reports that the given trace does not fail.
var ErrNotFailing = errors.New("the trace does not fail in the expected way")

// Minimize returns a smaller trace that fails in the same way. It does not change t. If the
// context or a budget ends, Minimize returns the best trace so far and no error.
func Minimize(ctx context.Context, t *trace.Trace, test Tester, config Config) (Result, error) {
	passes, err := config.Strategy.passes()
	if err != nil {
		return Result{}, err
	}
	if err := trace.Check(t); err != nil {
		return Result{}, fmt.Errorf("only legal traces can be reduced: %w", err)
	}
	begun := time.Now()
	r := newReducer(ctx, t.Clone(), test, config)
	defer r.lab.Close()
	r.passes = passes
	err = r.run(ctx)
	result := Result{Trace: r.best.Clone(), Verdict: r.verdict,
		Stats: r.lab.Stats(), Time: time.Since(begun), Minimal: err == nil}
	if r.unshifted != r.best {
		result.Unshifted = r.unshifted
	}
	for _, p := range passes {
		result.Passes = append(result.Passes, p.PassStats)
	}
	if ctx.Err() != nil && !engine.Ended(err) && errors.Is(err, context.Cause(ctx)) {
		err = ctx.Err() // whoever ended the context may name any reason
	}
	if err != nil && (engine.Ended(err) || errors.Is(err, ErrDoubtful)) && r.begun {
		result.Ended, err = err, nil
	}
	return result, err
}

// A reducer performs one reduction.
type reducer struct {
	config Config
	test   Tester
	lab    *engine.Lab[*trace.Trace]
	passes []*pass
	may    rule // rules that candidates may break, because the given trace does

	best      *trace.Trace
	size      measure // measure of best
	verdict   Verdict
	begun     bool // the given trace has failed
	bound     bool // the trace fails only with its expectations
	round     int
	at        int    // index of the current pass
	bulk      uint64 // bulk of best when the round began
	settled   bool   // the trace is light, or the round before made hardly any progress
	problem   int    // counts the problems that the best trace has posed so far
	improved  bool   // this round has improved the trace
	thorough  bool   // try what hardly ever helps, such as smaller numbers that save no digit
	running   *pass
	given     *trace.Trace
	unshifted *trace.Trace // the last best trace whose verdict had no Shift
	plain     *trace.Trace // the last best trace that is plain
	strict    bool         // only plain candidates count
	others    map[Failure]measure
	memory    memory
	history   history
	unproven  bool // the pass proves nothing with the current candidates
}

func newReducer(ctx context.Context, t *trace.Trace, test Tester, config Config) *reducer {
	r := &reducer{config: config, test: test, best: t, given: t, unshifted: t, plain: t, running: &pass{},
		others: make(map[Failure]measure), memory: make(memory), history: newHistory()}
	r.may = broken(t, config.Description)
	r.size = measureOf(t, config.Description)
	r.lab = engine.New(ctx, engine.Config[*trace.Trace]{
		Workers: config.Workers, Budget: config.Budget, Key: keyOf, Seen: r.seen,
		Test: func(ctx context.Context, worker int, candidate *trace.Trace) (engine.Verdict, error) {
			v, err := test.Test(ctx, worker, candidate)
			return engine.Verdict{Holds: v.Same, Note: v}, err
		},
	})
	return r
}

// seen counts and reports a verdict that the search has used.
func (r *reducer) seen(t *trace.Trace, v engine.Verdict) {
	r.running.Tests++
	r.remember(t, v)
	if !v.Holds {
		r.history.add(t)
	}
	for _, key := range v.Note.(Verdict).Others {
		m := measureOf(t, r.config.Description)
		if known, met := r.others[key]; met && !m.less(&known) {
			continue
		}
		r.others[key] = m
		r.config.other(t, key)
	}
	r.config.progress(func() Progress {
		return Progress{Round: r.round, Pass: r.running.Name, Size: sizeOf(&r.size), Stats: r.lab.Stats()}
	})
}

// trial returns a trial of the candidate that build returns. build returns nil if there is
// none. A candidate that is illegal or no smaller than the best trace is not tested.
func (r *reducer) trial(build func() *trace.Trace) engine.Trial[*trace.Trace] {
	return func() (*trace.Trace, bool) {
		candidate := build()
		if candidate == nil || len(candidate.Calls) == 0 {
			return nil, false
		}
		m := measureOf(candidate, r.config.Description)
		return candidate, m.less(&r.size) && !r.endsBefore(candidate) && !r.failedBefore(candidate) &&
			!r.hopeless(candidate) && r.legal(candidate)
	}
}

func (r *reducer) legal(t *trace.Trace) bool {
	return broken(t, r.config.Description)&^r.may == noRule && trace.Check(t) == nil &&
		(r.config.Allowed == nil || r.config.Allowed(t)) && (!r.strict || r.isPlain(t))
}

func (r *reducer) isPlain(t *trace.Trace) bool { return r.config.Plain == nil || r.config.Plain(t) }

// first adopts the first candidate that fails in the same way, and returns its number.
func (r *reducer) first(next func() (engine.Trial[*trace.Trace], bool)) (int, error) {
	index, candidate, v, err := r.lab.First(next)
	if err == nil && index >= 0 {
		r.adopt(candidate, v)
	}
	return index, err
}

// try adopts the candidate if it fails in the same way.
func (r *reducer) try(build func() *trace.Trace) (bool, error) {
	index, err := r.first(engine.Of(r.trial(build)))
	return index >= 0, err
}

func (r *reducer) adopt(t *trace.Trace, v engine.Verdict) {
	before, after := r.size, measureOf(t, r.config.Description)
	r.improved = true
	if !r.running.renames {
		r.problem++
	}
	r.running.Improved++
	r.running.Calls += int(before[calls]) - int(after[calls])
	r.running.Literals += int(before[literals]) - int(after[literals])
	r.best, r.verdict = t, v.Note.(Verdict)
	if !r.verdict.Shift {
		r.unshifted = t
	}
	if r.strict || r.isPlain(t) {
		r.plain = t
	}
	r.size = after
	r.config.Events.best(t)
}

// items reduces a set of n items of the best trace. build returns the trace without the
// items that are gone.
func (r *reducer) items(n int, build func(t *trace.Trace, gone []bool) *trace.Trace) error {
	return r.guessed(n, guess{}, build)
}

// A guess is what a pass assumes about its items before the first test.
type guess struct {
	needed   func(item int) bool // reports whether an item is almost certainly needed; nil: unknown
	others   int                 // how many of the other items are needed; 0: a few
	some     bool                // hardly ever can all items go
	patience int                 // tests without progress after which a quick pass ends; 0: quickPatience
}

// guessed is like items, with a guess about the items.
func (r *reducer) guessed(n int, g guess, build func(t *trace.Trace, gone []bool) *trace.Trace) error {
	if n == 0 {
		return nil
	}
	t, p := r.best, r.running
	method, patience := p.method(r, n, &g)
	r.unproven = method == engine.Unproven
	only := func(kept []int) *trace.Trace {
		gone := make([]bool, n)
		for i := range gone {
			gone[i] = true
		}
		for _, i := range kept {
			gone[i] = false
		}
		return build(t, gone)
	}
	kept, err := engine.Reduce(r.lab, method, engine.Items[*trace.Trace]{N: n, Expect: g.others, Needed: g.needed,
		SomeNeeded: g.some, Patience: patience, Impatient: func(expect int) { p.impatient, p.needed = !p.quick, expect },
		Build: func(kept []int) (*trace.Trace, bool) {
			return r.trial(func() *trace.Trace { return only(kept) })()
		},
		Adopt: func(_ []int, candidate *trace.Trace, v engine.Verdict) { r.adopt(candidate, v) },
	})
	r.unproven = false
	if p.items = len(kept); !p.impatient {
		p.needed = p.items
	}
	if p.searches++; method == engine.Unproven && !p.quick {
		// A second search may change what the first one has shown.
		p.proven = p.searches == 1 && !p.impatient && err == nil && r.knows(kept, func(item int) *trace.Trace {
			return only(slices.DeleteFunc(slices.Clone(kept), func(i int) bool { return i == item }))
		})
	}
	return err
}

// each tries variants of the best trace in turn, round after round, until a whole
// round improves nothing.
func (r *reducer) each(count func(t *trace.Trace) int, variant func(t *trace.Trace, i int) *trace.Trace) error {
	for from := 0; ; {
		t, at := r.best, 0
		n := count(t)
		if n == 0 {
			return nil
		}
		from %= n
		index, err := r.first(func() (engine.Trial[*trace.Trace], bool) {
			if at == n {
				return nil, false
			}
			i := (from + at) % n
			at++
			return r.trial(func() *trace.Trace { return variant(t, i) }), true
		})
		if err != nil || index < 0 {
			return err
		}
		from += index
	}
}

// exactly is the difference below which bisection is cheaper than guessing a power of two.
const exactly = 64

func isPowerOfTwo(n uint64) bool { return n&(n-1) == 0 }

// A hunt says what is known about the least number with which a trace fails.
type hunt struct {
	near  bool // it is probably close to the lowest one
	rough bool // a number with the same number of digits is as good
}

// least searches for the least number from low on with which the best trace fails. The
// trace must fail with high.
func (r *reducer) least(low, high uint64, h hunt, build func(t *trace.Trace, n uint64) *trace.Trace) error {
	t := r.best
	try := func(n uint64) (bool, error) { return r.try(func() *trace.Trace { return build(t, n) }) }
	if low >= high {
		return nil
	}
	if found, err := try(low); found || err != nil {
		return err
	}
	for step := uint64(1); high-low > 1; step *= 2 { // the trace fails with high, not with low
		if h.rough && high-low > exactly && digits(low+1) == digits(high) && bits.Len64(low) == bits.Len64(high-1) {
			return nil // no number between them has fewer digits or is a power of two
		}
		middle := between(low, high)
		switch {
		case h.near:
			middle = min(middle, low+step)
		case isPowerOfTwo(high) && high > exactly && !h.rough:
			middle = high - 1 // overflows happen exactly at powers of two, so one test may end the search
		}
		found, err := try(middle)
		if err != nil {
			return err
		}
		if found {
			high, h.near = middle, false
		} else {
			low = middle
		}
	}
	return nil
}

func digits(n uint64) int { return len(strconv.FormatUint(n, 10)) }
