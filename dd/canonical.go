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

// Canonical brings a minimal trace into a normal form, so that two reductions of one
// fault end alike. It lowers weights, removes what is not needed then, asks the usual
// questions about the last answer, gives every literal a variable of its own unless the
// failure needs it twice, puts settings first, and sorts and numbers what is left. Every
// step is tested, so the result fails as the trace does.
//
// A test for Canonical may accept more than one for Minimize: smaller weights, and another
// question that reveals the same wrong answer. The configuration's Workers, Budget, Order,
// Known, Parts and Certify do not count.
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
	for _, step := range []func(context.Context) error{c.lighten, c.remove, c.ask, c.separate, c.settle, c.sort} {
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

// run runs passes of the reduction.
func (c *canonizer) run(ctx context.Context, names ...string) error {
	config := c.config
	config.Known = &c.verdict
	r := newReducer(ctx, c.best, c.test, config)
	defer r.lab.Close()
	r.passes = slices.DeleteFunc(ownPasses(), func(p *pass) bool { return !slices.Contains(names, p.Name) })
	for _, p := range r.passes {
		p.quick = false
	}
	r.thorough = true
	err := r.run(ctx)
	c.best, c.verdict = r.best, r.verdict
	c.tests += r.lab.Stats().Tests
	return err
}

// lighten lowers weights. Their class may become lighter than that of the given trace.
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

// remove runs the passes that remove things once more: the test may accept more than that
// of the reduction. Passes that put others in their place, such as one variable for two,
// would make the trace more special.
func (c *canonizer) remove(ctx context.Context) error {
	return c.run(ctx, "lives", "instances", "increments", "frames", "blocks", "calls", "queries", "solves", "settings",
		"variables", "literals", "brackets", "extensions", "merge blocks", "quantifiers", "levels", "unit weights",
		"defaults", "common weights", "least weights", "counts")
}

// ask asks the usual questions about the last answer, if any is asked. Which question
// survived a reduction is chance.
func (c *canonizer) ask(ctx context.Context) error {
	t := c.best
	last := len(t.Calls) - 1
	for last >= 0 && t.Calls[last].Op.AsksAnswer() {
		last--
	}
	if last < 0 || last == len(t.Calls)-1 || t.Calls[last].Op != apimodel.OpSolve || len(t.Want.Of) > 0 {
		return nil
	}
	for _, ops := range [][]apimodel.Op{
		{apimodel.OpObj, apimodel.OpModel}, {apimodel.OpModel}, {apimodel.OpObj}, {apimodel.OpCore},
	} {
		candidate := t.Prefix(last + 1)
		for _, op := range ops {
			if t.Model.Call(op) != nil {
				candidate.Plain(t.Calls[last].Instance, op)
			}
		}
		if found, err := c.try(ctx, candidate); found || err != nil {
			return err
		}
	}
	return nil
}

// separate gives single literals fresh variables. What still shares a variable in the end
// has to.
func (c *canonizer) separate(ctx context.Context) error {
	if len(c.best.Want.Of) > 0 {
		return nil
	}
	for i := 0; i < len(c.best.Calls); i++ {
		call := &c.best.Calls[i]
		if !call.Op.HasLits() || !call.Op.Does(apimodel.Poses) {
			continue
		}
		for place := range int(call.Len) {
			at := int(call.Pos) + place
			v := trace.Var(c.best.Lits[at])
			if !c.shared(v) {
				continue
			}
			candidate := c.best.Clone()
			fresh := c.fresh()
			if candidate.Lits[at] < 0 {
				fresh = -fresh
			}
			candidate.Lits[at] = fresh
			if _, err := c.try(ctx, candidate); err != nil {
				return err
			}
			call = &c.best.Calls[i]
		}
	}
	return nil
}

// shared reports whether a variable occurs twice in calls that pose the problem.
func (c *canonizer) shared(v int32) bool {
	n := 0
	for i := range c.best.Calls {
		if call := &c.best.Calls[i]; call.Op.HasLits() && call.Op.Does(apimodel.Poses) {
			for _, lit := range c.best.Args(call) {
				if trace.Var(lit) == v {
					n++
				}
			}
		}
	}
	return n > 1
}

// fresh returns the least variable that the trace does not name.
func (c *canonizer) fresh() int32 {
	vars := variablesOf(c.best)
	free := int32(1)
	for slices.Contains(vars, free) {
		free++
	}
	return free
}

// settle moves callbacks, options and the like in front of what they follow, one by one.
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
