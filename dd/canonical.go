package dd

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// canonicalBudget bounds the tests of each of Canonical's steps.
var canonicalBudget = engine.Budget{Tests: 500}

// Canonical brings a minimal trace into a normal form, so that two reductions of one fault
// give the same trace. It removes expected answers, lowers weights, removes what is then no
// longer needed, puts settings first, sorts and numbers what is left, and chooses polarities. It
// tests every step, so the result fails as the trace does.
//
// No step adds anything: a query or a variable that the trace does not have might show
// another fault. Of the configuration, Canonical uses only Description and Allowed.
func Canonical(ctx context.Context, minimal *trace.Trace, test Tester, config Config) (Result, error) {
	begun := time.Now()
	c := &canonizer{test: test, best: minimal.Clone(), admits: config.Admits(minimal)}
	c.config = Config{Workers: 1, Budget: canonicalBudget, Description: config.Description, Allowed: config.Allowed}
	v, err := test.Test(ctx, 0, c.best)
	if err != nil {
		return Result{}, err
	}
	if !v.Same {
		return Result{}, ErrNotFailing
	}
	c.verdict = v
	for _, step := range []func(context.Context) error{c.bare, c.lighten, c.remove, c.settle, c.sort, c.begin} {
		if err = step(ctx); err != nil {
			break
		}
	}
	result := Result{Trace: c.best, Verdict: c.verdict, Minimal: err == nil, Time: time.Since(begun),
		Stats: engine.Stats{Tests: c.tests}}
	if errors.Is(err, ErrNotFailing) || err != nil && engine.Ended(err) {
		result.Ended, err = err, nil
	}
	return result, err
}

// Admits returns a function that reports whether a trace may be tested in place of the
// given one: it is legal and allowed, and breaks no policy that the given one keeps.
func (c *Config) Admits(given *trace.Trace) func(candidate *trace.Trace) bool {
	may := broken(given, c.Description)
	return func(t *trace.Trace) bool {
		return broken(t, c.Description)&^may == noRule && trace.Check(t) == nil && (c.Allowed == nil || c.Allowed(t))
	}
}

// A canonizer looks for the normal form of one trace.
type canonizer struct {
	test    Tester
	config  Config
	admits  func(candidate *trace.Trace) bool
	best    *trace.Trace
	verdict Verdict
	tests   int
}

// try adopts the candidate if it is legal and fails.
func (c *canonizer) try(ctx context.Context, candidate *trace.Trace) (bool, error) {
	if !c.admits(candidate) {
		return false, nil
	}
	c.tests++
	v, err := c.test.Test(ctx, 0, candidate)
	if err == nil && v.Same {
		c.best, c.verdict = candidate, v
	}
	return err == nil && v.Same, err
}

func (c *canonizer) run(ctx context.Context, names ...string) error {
	config := c.config
	config.Known = &c.verdict
	r := newReducer(ctx, c.best, c.test, config)
	defer r.lab.Close()
	r.passes = slices.DeleteFunc(ownPasses(), func(p *pass) bool { return !slices.Contains(names, p.Name) })
	for _, p := range r.passes {
		p.quick, p.early = false, false
	}
	r.thorough = true
	err := r.run(ctx)
	c.best, c.verdict = r.best, r.verdict
	c.tests += r.lab.Stats().Tests
	return err
}

// bare removes recorded answers. It also removes expected answers, unless the trace then no longer
// fails.
func (c *canonizer) bare(ctx context.Context) error {
	c.best.Got = trace.Answers{}
	if len(c.best.Want.Of) == 0 {
		return nil
	}
	bare := c.best.Clone()
	bare.Want = trace.Answers{}
	_, err := c.try(ctx, bare)
	return err
}

// lighten lowers weights, even if that makes their class lighter than that of the given trace.
func (c *canonizer) lighten(ctx context.Context) error {
	for i := range c.best.Calls {
		if call := &c.best.Calls[i]; call.Op != apimodel.OpSoft || call.Num != 0 {
			continue
		}
		// A weight of 0 is more special than one of 1.
		if _, err := c.try(ctx, reweighted(c.best, []int{i}, func(int, uint64) uint64 { return 1 })); err != nil {
			return err
		}
	}
	return c.run(ctx, "unit weights", "common weights", "least weights")
}

// remove runs the passes that remove things once more, because the test may accept more than
// that of the reduction. It does not run passes that replace things, such as two variables by
// one: they would make the trace more special.
func (c *canonizer) remove(ctx context.Context) error {
	return c.run(ctx, "lives", "instances", "increments", "frames", "blocks", "calls", "queries", "solves", "settings",
		"variables", "literals", "brackets", "extensions", "merge blocks", "quantifiers", "levels", "unit weights",
		"defaults", "common weights", "least weights", "counts")
}

// settle moves callbacks, options and the like, one by one, in front of the calls that they
// follow.
func (c *canonizer) settle(ctx context.Context) error {
	for i := range c.best.Calls {
		call, to := &c.best.Calls[i], i
		if !call.Op.Does(apimodel.Steers) {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			before := &c.best.Calls[k]
			if before.Instance != call.Instance {
				continue
			}
			if !before.Op.Does(apimodel.Poses | apimodel.Hints) {
				break
			}
			to = k
		}
		if to == i {
			continue
		}
		order := identity(len(c.best.Calls))
		order = slices.Insert(slices.Delete(order, i, i+1), to, i)
		if _, err := c.try(ctx, reordered(c.best, order)); err != nil {
			return err
		}
	}
	return nil
}

// sort sorts and numbers the trace and makes literals positive.
func (c *canonizer) sort(ctx context.Context) error {
	return c.run(ctx, "normal form", "polarity", "renumber", "order", "positive")
}

// begin makes the first literal of a variable positive if the variable is as often positive as negative.
func (c *canonizer) begin(ctx context.Context) error {
	for vain := make(map[int32]bool); ; {
		left := beginNegative(c.best)
		at := slices.IndexFunc(left, func(v int32) bool { return !vain[v] })
		if at < 0 {
			return nil
		}
		candidate := sorted(renamed(c.best, func(lit int32) int32 {
			if trace.Var(lit) == left[at] {
				return -lit
			}
			return lit
		}))
		adopted := false
		if len(beginNegative(candidate)) < len(left) { // sorting may put a negative literal first
			var err error
			if adopted, err = c.try(ctx, candidate); err != nil {
				return err
			}
		}
		vain[left[at]] = !adopted
	}
}

// beginNegative returns the variables that are as often positive as negative and whose first literal is negative.
func beginNegative(t *trace.Trace) (vars []int32) {
	balance, seen := balanceOf(t), make(map[int32]bool)
	for i := range t.Calls {
		c := &t.Calls[i]
		if !c.Op.HasLits() {
			continue
		}
		for _, lit := range t.Args(c) {
			v := trace.Var(lit)
			if !seen[v] && lit < 0 && balance[v] == 0 {
				vars = append(vars, v)
			}
			seen[v] = true
		}
	}
	return vars
}
