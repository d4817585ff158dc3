// Package dd makes failing traces smaller. It is a pure function of a trace, a
// test and a budget; it knows no targets.
//
// Passes leave out calls, literals and variables, replace what asks much of a
// solver by what asks less, and put what is left in order, until no pass finds
// anything more. Every candidate is legal by its API model and by the target's
// policies before it is tested.
package dd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Verdict is what a test says of a candidate.
type Verdict struct {
	Same   bool      // it fails in the way that is looked for
	Call   int       // then: the last call that is needed to see it; -1 when that is not known
	Others []Failure // other failures that it showed
}

// A Failure identifies a failure beside the one that is looked for: any value
// that can be compared.
type Failure any

// A Tester judges candidates. Test is called at the same time for different
// workers, which are numbered from 0, and must not change or keep the candidate's
// memory. An error is no verdict: it ends the reduction.
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

// Config says how to reduce. The zero Config reduces with one worker, by the
// own strategy, without a budget.
type Config struct {
	Workers     int
	Budget      Budget
	Strategy    Strategy
	Order       []string              // of the strategy's passes, all of them; nil: the usual one
	Seed        uint64                // of the shuffles of the wcnfddmin strategy
	Description *apimodel.Description // options and policies of the target; nil: the standard's

	// Known is the verdict on the trace as it is given, when there is one
	// already; nil: it is tested first.
	Known *Verdict

	// Parts are the traces that the trace was joined from (trace.Concat), if it
	// was: whole parts are left out first.
	Parts []*trace.Trace

	// Certify tests a result again, more strictly than Test, at the end of every
	// round of passes; nil: Test is trusted. What is not certified is given up.
	Certify func(ctx context.Context, t *trace.Trace) (bool, error)

	// Called in an order that does not depend on the workers, never concurrently.
	OnBest   func(t *trace.Trace)                // every improvement
	OnOther  func(t *trace.Trace, other Failure) // the smallest trace so far that showed another failure
	Progress func(Progress)                      // every test
}

// Progress is where a reduction is.
type Progress struct {
	Round int // of all passes, from 1
	Pass  string
	Size  Size
	engine.Stats
}

// Size is how large a trace is, as a person would say it.
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
	return Size{int(m[calls]), int(m[literals]), int(m[variables]), float64(m[weightsHigh])*(1<<64) + float64(m[weightsLow])}
}

// A Result is what a reduction ends with.
type Result struct {
	Trace   *trace.Trace
	Verdict Verdict // on the trace
	// Minimal: no pass finds a smaller candidate; no call, literal or variable
	// can be left out. Otherwise Ended says what ended the reduction before.
	Minimal bool
	Ended   error
	Stats   engine.Stats
	Time    time.Duration
	Passes  []PassStats
}

// PassStats say what one pass did, over all rounds.
type PassStats struct {
	Name     string `json:"name"`
	Tests    int    `json:"tests"`
	Improved int    `json:"improved"` // candidates that were taken
	Calls    int    `json:"calls"`    // that it saved
	Literals int    `json:"literals"`
	Skipped  int    `json:"skipped"` // rounds in which nothing had changed since it last ended in vain
}

// ErrDoubtful ends a reduction whose results did not stand the stricter test
// again and again.
var ErrDoubtful = errors.New("what was found did not stand a stricter test")

// ErrNotFailing is returned for a trace that does not fail to begin with.
var ErrNotFailing = errors.New("the trace does not fail in the way that is looked for")

// Minimize makes the trace smaller as long as the test says that it fails in
// the same way. The trace is not changed. When a budget ends, or the context
// does, the best so far is the result and the error is nil; errors are those of
// the test, and ErrNotFailing.
func Minimize(ctx context.Context, t *trace.Trace, test Tester, config Config) (Result, error) {
	passes, err := config.Strategy.passes()
	if err == nil {
		passes, err = inOrder(passes, config.Order)
	}
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
	result := Result{Trace: r.best.Clone(), Verdict: r.verdict, Stats: r.lab.Stats(), Time: time.Since(begun), Minimal: err == nil}
	for _, p := range r.passes {
		result.Passes = append(result.Passes, p.PassStats)
	}
	if err != nil && (engine.Ended(err) || errors.Is(err, ErrDoubtful)) && r.begun {
		result.Ended, err = err, nil
	}
	return result, err
}

// A reducer is one reduction.
type reducer struct {
	config Config
	test   Tester
	lab    *engine.Lab[*trace.Trace]
	search engine.Searcher[*trace.Trace] // the lab, or a scout
	passes []*pass
	may    rule // what candidates may break: what the trace itself breaks

	best     *trace.Trace
	size     measure // of best
	verdict  Verdict
	begun    bool // the trace was seen to fail
	bound    bool // it fails only with its expectations
	round    int
	at       int        // the pass of the round
	before   engine.Key // the round began with it
	improved bool       // in this round
	marked   *reducer   // as it was when the pass began
	now      *pass
	given    *trace.Trace
	others   map[Failure]measure
}

func newReducer(ctx context.Context, t *trace.Trace, test Tester, config Config) *reducer {
	r := &reducer{config: config, test: test, best: t, given: t, now: &pass{}, others: make(map[Failure]measure)}
	r.may = broken(t, config.Description)
	r.size = measureOf(t, config.Description)
	r.lab = engine.New(ctx, engine.Config[*trace.Trace]{
		Workers: config.Workers, Budget: config.Budget, Key: keyOf, Seen: r.seen, Ahead: r.ahead,
		Test: func(ctx context.Context, worker int, candidate *trace.Trace) (engine.Verdict, error) {
			v, err := test.Test(ctx, worker, candidate)
			return engine.Verdict{Holds: v.Same, Note: v}, err
		},
	})
	r.search = r.lab
	return r
}

// seen takes note of a verdict that the search needed.
func (r *reducer) seen(t *trace.Trace, v engine.Verdict) {
	r.now.Tests++
	for _, key := range v.Note.(Verdict).Others {
		m := measureOf(t, r.config.Description)
		if known, met := r.others[key]; met && !m.less(&known) {
			continue
		}
		r.others[key] = m
		if r.config.OnOther != nil {
			r.config.OnOther(t, key)
		}
	}
	if r.config.Progress != nil {
		r.config.Progress(Progress{Round: r.round, Pass: r.now.Name, Size: sizeOf(&r.size), Stats: r.lab.Stats()})
	}
}

// trial makes a trial of something that builds a candidate, nil for none. A
// candidate that is not smaller or not legal is not worth a test.
func (r *reducer) trial(build func() *trace.Trace) engine.Trial[*trace.Trace] {
	return func() (*trace.Trace, bool) {
		candidate := build()
		if candidate == nil || len(candidate.Calls) == 0 {
			return nil, false
		}
		m := measureOf(candidate, r.config.Description)
		return candidate, m.less(&r.size) && r.legal(candidate)
	}
}

func (r *reducer) legal(t *trace.Trace) bool {
	return broken(t, r.config.Description)&^r.may == noRule && trace.Check(t) == nil
}

// first adopts the first candidate that fails in the same way, and returns its number.
func (r *reducer) first(next func() (engine.Trial[*trace.Trace], bool)) (int, error) {
	index, candidate, v, err := r.search.First(next)
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
	r.now.Improved++
	r.now.Calls += int(before[calls]) - int(after[calls])
	r.now.Literals += int(before[literals]) - int(after[literals])
	r.best, r.verdict = t, v.Note.(Verdict)
	r.size = after
	if r.config.OnBest != nil {
		r.config.OnBest(t)
	}
}

// items reduces a set of n things in the best trace; build makes the candidate
// in which those are gone that it is told.
func (r *reducer) items(n int, build func(t *trace.Trace, gone []bool) *trace.Trace) error {
	return r.guessed(n, guess{}, build)
}

// A guess says what a pass believes of its items before anything was tried.
type guess struct {
	needed func(item int) bool // almost certainly; nil: nothing is known
	others int                 // how many of the others are needed; 0 for a few
}

// guessed is items with a guess.
func (r *reducer) guessed(n int, g guess, build func(t *trace.Trace, gone []bool) *trace.Trace) error {
	if n == 0 {
		return nil
	}
	t := r.best
	if r.now.ran {
		g = guess{others: n} // what is left was needed the last time
	}
	method := r.now.method()
	if method == engine.Unproven {
		r.now.proven = false
	}
	_, err := engine.Reduce(r.search, method, engine.Items[*trace.Trace]{N: n, Expect: g.others, Needed: g.needed,
		Build: func(kept []int) (*trace.Trace, bool) {
			return r.trial(func() *trace.Trace {
				gone := make([]bool, n)
				for i := range gone {
					gone[i] = true
				}
				for _, i := range kept {
					gone[i] = false
				}
				return build(t, gone)
			})()
		},
		Adopt: func(_ []int, candidate *trace.Trace, v engine.Verdict) { r.adopt(candidate, v) },
	})
	return err
}

// each tries variants of the best trace, one after the other and round and
// round, until a whole round was in vain.
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

// exactly is up to where halving is cheaper than guessing a power of two.
const exactly = 64

func isPowerOfTwo(n uint64) bool { return n&(n-1) == 0 }

// least searches the least number from low on with which the best trace fails,
// below high, with which it does.
func (r *reducer) least(low, high uint64, build func(t *trace.Trace, n uint64) *trace.Trace) error {
	t := r.best
	try := func(n uint64) (bool, error) { return r.try(func() *trace.Trace { return build(t, n) }) }
	if low >= high {
		return nil
	}
	if found, err := try(low); found || err != nil {
		return err
	}
	for high-low > 1 { // it fails with high, and not with low
		middle := between(low, high)
		if isPowerOfTwo(high) && high > exactly {
			middle = high - 1 // what overflows does so just there, and the search is over
		}
		found, err := try(middle)
		if err != nil {
			return err
		}
		if found {
			high = middle
		} else {
			low = middle
		}
	}
	return nil
}
