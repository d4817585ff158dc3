package dd

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pass is one way to reduce a trace. It runs on the best trace until it can do
// no more.
type pass struct {
	PassStats
	run func(r *reducer) error
	// harmless passes do not change the problems that are solved, so the
	// expected answers stay right.
	harmless bool
	search   engine.Method // "" for the learned one

	ran    bool
	ended  engine.Key // of the trace with which it last ended
	proven bool       // that it cannot improve that trace
}

// method returns how the pass searches. A first run proves nothing: later passes
// will change the trace and make the proof worthless.
func (p *pass) method() engine.Method {
	switch {
	case p.search != "":
		return p.search
	case !p.ran:
		return engine.Unproven
	}
	return engine.Learned
}

// A Strategy is a choice of passes.
type Strategy string

// The strategies.
const (
	Own       Strategy = "own"       // all passes, to a common fixpoint
	Lines     Strategy = "lines"     // as for Sat4j: lines, then literals, then renaming, one at a time
	WCNFDDMin Strategy = "wcnfddmin" // as the delta debugger for WCNF files: six phases with shuffles and renaming
)

// Strategies lists all.
var Strategies = []Strategy{Own, Lines, WCNFDDMin}

func (s Strategy) passes() ([]*pass, error) {
	switch s {
	case Own, "":
		return ownPasses(), nil
	case Lines:
		return linesPasses(), nil
	case WCNFDDMin:
		return wcnfddminPasses(), nil
	}
	return nil, fmt.Errorf("there is no strategy %q; there are %v", s, Strategies)
}

// ownPasses returns the passes in the best order that BenchmarkPassOrder measured.
// Passes that remove much for few tests come first. Passes that change names and
// order come before those that mostly prove that nothing can be removed: a change
// of names invalidates the proofs.
func ownPasses() []*pass {
	row := func(name string, run func(*reducer) error) *pass {
		return &pass{PassStats: PassStats{Name: name}, run: run}
	}
	harmless := func(name string, run func(*reducer) error) *pass {
		p := row(name, run)
		p.harmless = true
		return p
	}
	return []*pass{
		harmless("expectations", dropExpectations),
		harmless("parts", dropParts),
		harmless("cut", cutBehind),
		harmless("lives", dropLives),
		harmless("instances", dropInstances),
		row("increments", dropIncrements),
		row("calls", dropCalls),
		harmless("queries", dropQueries),
		row("solves", mergeSolves),
		harmless("settings", dropSettings),
		row("unit weights", unitWeights),
		row("normal form", normalForm),
		row("variables", dropVariables),
		row("literals", dropLiterals),
		row("polarity", flipPolarity),
		row("renumber", renumber),
		row("order", putInOrder),
		row("pieces", joinPieces),
		harmless("defaults", setDefaults),
		row("common weights", commonWeights),
		row("least weights", leastWeights),
		harmless("counts", leastCounts),
		row("merge variables", mergeVariables),
		row("empty clauses", emptyClauses),
		row("harden", harden),
	}
}

// PassNames returns the names of the own strategy's passes in their order.
func PassNames() []string {
	var names []string
	for _, p := range ownPasses() {
		names = append(names, p.Name)
	}
	return names
}

// inOrder returns the passes in another order, for comparisons.
func inOrder(passes []*pass, names []string) ([]*pass, error) {
	if names == nil {
		return passes, nil
	}
	var ordered []*pass
	for _, name := range names {
		i := slices.IndexFunc(passes, func(p *pass) bool { return p.Name == name })
		if i < 0 || slices.Contains(ordered, passes[i]) {
			return nil, fmt.Errorf("an order of passes has %q twice, or there is no such pass", name)
		}
		ordered = append(ordered, passes[i])
	}
	if len(ordered) != len(passes) {
		return nil, fmt.Errorf("an order of %d passes does not have all %d", len(ordered), len(passes))
	}
	return ordered, nil
}

// run runs the passes to their common fixpoint.
func (r *reducer) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	certified := r.best
	const patience = 6 // doubtful results
	doubtful := 0
	for {
		done, err := r.nextRound()
		if err != nil {
			return errors.Join(err, r.settle(ctx, certified))
		}
		if r.config.Certify != nil && certified != r.best {
			sure, err := r.certify(ctx, certified)
			if err != nil {
				return errors.Join(err, r.settle(ctx, certified))
			}
			if !sure {
				if doubtful++; doubtful == patience {
					return ErrDoubtful
				}
				for _, p := range r.passes {
					p.ran, p.proven = false, false
				}
				continue
			}
			certified = r.best
		}
		if done {
			return nil
		}
	}
}

// nextRound runs all passes and reports whether none can do more.
func (r *reducer) nextRound() (done bool, err error) {
	r.round++
	r.before, r.improved, r.at = keyOf(r.best), false, 0
	return r.rest()
}

// rest runs the passes from the current one to the end of the round and reports
// whether it was the last round.
func (r *reducer) rest() (done bool, err error) {
	for ; r.at < len(r.passes); r.at++ {
		if err := r.pass(r.passes[r.at]); err != nil {
			return false, err
		}
	}
	return keyOf(r.best) == r.before && r.proven(), nil
}

// proven reports whether every pass has proved that it can do no more.
func (r *reducer) proven() bool {
	return !slices.ContainsFunc(r.passes, func(p *pass) bool { return !p.proven && (p.harmless || !r.bound) })
}

// begin verifies that the trace fails.
func (r *reducer) begin(ctx context.Context) error {
	r.now = &pass{PassStats: PassStats{Name: "first run"}}
	if known := r.config.Known; known != nil && known.Same {
		r.verdict, r.begun = *known, true
		return nil
	}
	const attempts = 5 // the failure may depend on chance
	for range attempts {
		v, err := r.test.Test(ctx, 0, r.best)
		if err != nil {
			return err
		}
		if v.Same {
			r.verdict, r.begun = v, true
			return nil
		}
	}
	return ErrNotFailing
}

// certify returns to the last certified trace if the best one is not certified.
// Then all verdicts are doubtful and forgotten.
func (r *reducer) certify(ctx context.Context, certified *trace.Trace) (bool, error) {
	sure, err := r.config.Certify(ctx, r.best)
	if err != nil || sure {
		return sure, err
	}
	r.lab.Forget()
	r.goBack(certified)
	r.config.Events.best(certified)
	return false, nil
}

func (r *reducer) goBack(t *trace.Trace) {
	r.best, r.verdict, r.size = t, Verdict{Same: true, Call: -1}, measureOf(t, r.config.Description)
}

// settle certifies the best trace after a budget or the context has ended: it is
// worth one last run.
func (r *reducer) settle(ctx context.Context, certified *trace.Trace) error {
	if r.config.Certify == nil || certified == r.best {
		return nil
	}
	if _, err := r.certify(context.WithoutCancel(ctx), certified); err != nil {
		r.goBack(certified)
		if !engine.Ended(err) {
			return err
		}
	}
	return nil
}

// pass runs one pass, unless the trace has not changed since the pass proved to be through.
func (r *reducer) pass(p *pass) error {
	if r.bound && !p.harmless {
		return nil
	}
	if p.proven && p.ended == keyOf(r.best) {
		p.Skipped++
		return nil
	}
	r.mark()
	r.now = p
	p.proven = true
	if err := p.run(r); err != nil {
		return err
	}
	p.ran, p.ended = true, keyOf(r.best)
	return nil
}

// between returns a number between low and high: the middle power of two if there
// is one, else the mean.
func between(low, high uint64) uint64 {
	l, h := bits.Len64(low), bits.Len64(high)
	if h-l > 2 {
		return 1 << ((l + h) / 2)
	}
	if power := uint64(1) << (h - 1); low < power && power < high && high > exactly {
		return power
	}
	return low + (high-low)/2
}
