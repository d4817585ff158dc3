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
	// renames says that the pass changes only names and order: what other passes
	// proved before still holds.
	renames bool
	// late passes wait until the others find little more.
	late bool
	// quick passes try a few candidates and prove nothing: what they look for is
	// rare, or pleases readers only.
	quick  bool
	search engine.Method // "" for the learned one

	ran       bool
	ended     engine.Key // of the trace with which it last ended
	problem   int        // number of the problem with which it last ended
	bulk      uint64     // of the trace with which it last ended
	proven    bool       // that it cannot improve that trace
	fruitless bool       // it improved nothing when it last ran
	resumes   bool       // it runs again after it was impatient
	impatient bool       // it last ended because it made too little progress
	items     int        // what it left
	needed    int        // how many of them are probably needed
}

// These constants decide how long a pass goes on. Failures that depend on the path of a
// search are not monotone: what seems needed in a large trace may not be needed in a small
// one. So passes take turns while the trace is large, each as long as it makes progress,
// and prove nothing until none of them makes any. Measured with BenchmarkReductionPublished
// of package shrink.
const (
	patience      = 10  // tests without progress that end a pass for the time being
	quickPatience = 2   // of a quick pass
	hardly        = 95  // percent of the bulk that remain after a round of hardly any progress
	muchLess      = 80  // percent of the bulk at which a pass that had ended runs again
	hope          = 200 // percent by which fewer items are assumed to be needed in a changed trace
)

// method returns how the pass searches among n items, and its patience. It adjusts the
// guess to what the pass knows.
func (p *pass) method(r *reducer, n int, g *guess) (engine.Method, int) {
	switch {
	case p.search != "":
		return p.search, 0
	case p.quick:
		g.others = one
		return engine.Unproven, quickPatience
	case p.ran && !p.resumes:
		g.others, g.needed = n, nil // all items were needed last time
		return engine.Learned, 0
	}
	p.proven = false
	if p.ran {
		g.others = max(1, p.needed*n/max(1, p.items))
	}
	if r.settled || p.late {
		return engine.Unproven, 0
	}
	if p.ran {
		g.others = max(1, 100*g.others/hope)
	}
	return engine.Unproven, patience
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
	return nil, fmt.Errorf("unknown strategy %q; want one of %v", s, Strategies)
}

// ownPasses returns the passes in the best order that BenchmarkPassOrder measured.
// Passes that remove much for few tests come first, and cosmetics last.
func ownPasses() []*pass {
	row := func(name string, run func(*reducer) error) *pass {
		return &pass{PassStats: PassStats{Name: name}, run: run}
	}
	harmless := func(name string, run func(*reducer) error) *pass {
		p := row(name, run)
		p.harmless = true
		return p
	}
	late := func(p *pass) *pass {
		p.late = true
		return p
	}
	quick := func(name string, run func(*reducer) error) *pass {
		p := row(name, run)
		p.quick = true
		return p
	}
	renaming := func(name string, run func(*reducer) error) *pass {
		p := quick(name, run)
		p.renames = true
		return late(p)
	}
	return []*pass{
		harmless("expectations", dropExpectations),
		harmless("parts", dropParts),
		harmless("cut", cutBehind),
		harmless("lives", dropLives),
		harmless("instances", dropInstances),
		row("increments", dropIncrements),
		row("frames", dropFrames),
		row("blocks", dropBlocks),
		harmless("queries", dropQueries),
		row("kinds", dropKinds),
		row("calls", dropCalls),
		row("solves", mergeSolves),
		harmless("settings", dropSettings),
		row("variables", dropVariables),
		row("literals", dropLiterals),
		row("brackets", dropBrackets),
		row("extensions", foldExtensions),
		row("merge blocks", mergeBlocks),
		row("quantifiers", turnQuantifiers),
		late(row("levels", moveVariables)),
		row("soft clauses", inlineSofts),
		quick("components", dropComponents),
		quick("resolve", resolve),
		late(quick("halves", dropHalves)),
		late(quick("unit weights", unitWeights)),
		late(row("common weights", commonWeights)),
		renaming("normal form", normalForm),
		renaming("polarity", flipPolarity),
		renaming("renumber", renumber),
		renaming("order", putInOrder),
		late(row("pieces", joinPieces)),
		late(harmless("defaults", setDefaults)),
		late(row("least weights", leastWeights)),
		late(harmless("counts", leastCounts)),
		harmless("allocations", leastAllocations),
		late(quick("merge variables", mergeVariables)),
		late(quick("empty clauses", emptyClauses)),
		late(quick("harden", harden)),
		late(quick("positive", makePositive)),
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

// bulkNow measures the trace; a round makes progress if it reduces this.
func (r *reducer) bulkNow() uint64 { return r.size[calls] + r.size[literals] + r.size[variables] }

// nextRound runs all passes and reports whether none can do more.
func (r *reducer) nextRound() (done bool, err error) {
	r.round++
	r.settled = r.round > 1 && 100*r.bulkNow() >= hardly*r.bulk
	r.improved, r.at, r.bulk = false, 0, r.bulkNow()
	return r.rest()
}

// rest runs the passes from the current one to the end of the round and reports
// whether it was the last round. Late passes wait for the round in which no other pass
// is impatient.
func (r *reducer) rest() (done bool, err error) {
	for ; r.at < len(r.passes); r.at++ {
		if r.passes[r.at].late && slices.ContainsFunc(r.passes, func(p *pass) bool { return p.impatient }) {
			return false, nil
		}
		if err := r.pass(r.passes[r.at]); err != nil {
			return false, err
		}
	}
	return !r.improved && r.proven(), nil
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

// certify returns to the last certified trace if the best one fails certification. Then it
// forgets all verdicts, since they are doubtful.
func (r *reducer) certify(ctx context.Context, certified *trace.Trace) (bool, error) {
	sure, err := r.config.Certify(ctx, r.best)
	if err != nil || sure {
		return sure, err
	}
	r.lab.Forget()
	clear(r.memory)
	r.goBack(certified)
	r.config.Events.best(certified)
	return false, nil
}

func (r *reducer) goBack(t *trace.Trace) {
	r.problem++
	r.best, r.verdict, r.size = t, Verdict{Same: true, Call: -1}, measureOf(t, r.config.Description)
	r.unshifted = t
}

// settle certifies the best trace after a budget or the context has ended: that is worth
// one last run.
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

// pass runs one pass, unless that is not worth while.
func (r *reducer) pass(p *pass) error {
	if r.bound && !p.harmless {
		return nil
	}
	if p.proven && (p.ended == keyOf(r.best) || !p.renames && p.problem == r.problem) {
		p.Skipped++
		return nil
	}
	r.mark()
	p.resumes = p.impatient
	if p.ran && p.search == "" {
		same := 100*r.bulkNow() > muchLess*p.bulk
		switch {
		case p.quick && p.fruitless && same:
			p.proven = true
			return nil
		case !p.late && !p.quick && !p.resumes && !r.settled && same:
			p.proven = false
			return nil // a proof would be worth little yet
		case !p.late && !p.quick && !r.settled:
			p.resumes = true
		}
	}
	r.now = p
	p.proven, p.impatient = true, false
	improved := p.Improved
	if err := p.run(r); err != nil {
		return err
	}
	p.ran, p.ended, p.problem, p.bulk = true, keyOf(r.best), r.problem, r.bulkNow()
	p.fruitless = p.Improved == improved
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
