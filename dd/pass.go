package dd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pass is one way to reduce a trace. It runs on the best trace until it can do no
// more.
type pass struct {
	PassStats
	run func(r *reducer) error
	// harmless says that the pass does not change the problems that the trace solves, so
	// that expected answers stay right.
	harmless bool
	// renames says that the pass changes only names and order, so that what other passes have
	// proved still holds.
	renames bool
	// shuffles says that the pass tries other names and another order of what others have tried.
	shuffles bool
	// weighs says that the pass changes weights, after which less may fail where more did not.
	weighs bool
	// late says that the pass waits until the others find little more.
	late bool
	// quick says that the pass tries a few candidates and proves nothing, because what it looks
	// for is rare, or only helps readers.
	quick bool
	// early says that in a settled round the pass runs before those that try every single item,
	// because its changes would void what they prove.
	early  bool
	search engine.Method // "": method chooses one

	ran       bool
	ended     engine.Key // key of the trace with which it last ended
	problem   int        // number of the problem with which it last ended
	bulk      uint64     // bulk of the trace with which it last ended
	proven    bool       // it has proved that it cannot improve that trace
	fruitless bool       // it improved nothing when it last ran
	resumes   bool       // it runs again after it was impatient
	impatient bool       // it last ended because it made too little progress
	searches  int        // how many sets of items it has reduced in this round
	items     int        // number of items that it left
	needed    int        // how many of them are probably needed
}

// These constants decide how long a pass goes on. Failures that depend on the path of a
// search are not monotone: what seems needed in a large trace may not be needed in a small
// one. So while the trace is large, passes take turns, each as long as it makes progress.
// They prove nothing until none of them makes progress. Measured with
// BenchmarkReductionPublished of package shrink.
const (
	patience      = 10  // tests without progress after which a pass ends for the time being
	quickPatience = 2   // the same for a quick pass
	hardly        = 95  // a round that leaves this percentage of the bulk made hardly any progress
	light         = 60  // a trace of this bulk is so small that its passes go on to the end
	muchLess      = 80  // a pass that had ended runs again at this percentage of the bulk
	hope          = 200 // percent by which fewer items are assumed to be needed in a changed trace
)

// method returns how the pass searches among n items, and its patience. It improves the guess
// with what the pass knows from earlier runs.
func (p *pass) method(r *reducer, n int, g *guess) (engine.Method, int) {
	switch {
	case p.search != "":
		return p.search, 0
	case p.quick:
		g.others = one
		return engine.Unproven, cmp.Or(g.patience, quickPatience)
	case p.ran && !p.resumes:
		g.others, g.needed = n, nil // all items were needed last time
		return engine.Learned, 0
	}
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

// Strategies lists all strategies.
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

// ownPasses returns the passes in the best order that was measured.
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
	early := func(p *pass) *pass {
		p.early = true
		return p
	}
	weighing := func(name string, run func(*reducer) error) *pass {
		p := quick(name, run)
		p.weighs = true
		return early(late(p))
	}
	shuffling := func(p *pass) *pass {
		p.shuffles = true
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
		row("kinds", dropKinds),
		harmless("queries", dropQueries),
		quick("assign", assignVariables),
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
		early(quick("components", dropComponents)),
		early(quick("resolve", resolve)),
		early(late(quick("halves", dropHalves))),
		weighing("unit weights", unitWeights),
		late(quick("harden", harden)),
		late(row("common weights", commonWeights)),
		renaming("normal form", normalForm),
		renaming("renumber", renumber),
		renaming("polarity", flipPolarity),
		renaming("order", putInOrder),
		late(row("pieces", joinPieces)),
		late(harmless("defaults", setDefaults)),
		late(row("least weights", leastWeights)),
		late(harmless("counts", leastCounts)),
		harmless("allocations", leastAllocations),
		early(late(quick("merge variables", mergeVariables))),
		weighing("join soft literals", joinSofts),
		late(shuffling(quick("drop and shuffle", dropShuffled))),
		late(quick("empty clauses", emptyClauses)),
		late(quick("positive", makePositive)),
	}
}

// run runs the passes until none of them can do more.
func (r *reducer) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	certified := r.best
	const patience = 6 // results that are not certified
	doubtful := 0
	for {
		done, err := r.nextRound()
		if err == nil && !done {
			err = context.Cause(ctx) // perhaps the round had no test
		}
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
				r.startOver()
				continue
			}
			certified = r.best
		}
		if done && (r.plain == r.best || r.strict) {
			return nil
		}
		if done {
			r.keepPlain()
		}
	}
}

// keepPlain goes back to the last best trace that is plain. From now on only plain candidates count.
func (r *reducer) keepPlain() {
	unshifted := r.unshifted
	r.strict = true
	r.goBack(r.plain)
	r.unshifted = unshifted
	r.config.Events.best(r.best)
	r.startOver()
}

// startOver makes all passes run again, since they ended with another trace.
func (r *reducer) startOver() {
	for _, p := range r.passes {
		p.ran, p.proven = false, false
	}
}

// bulkNow returns the bulk of the best trace. A round makes progress if it reduces the bulk.
func (r *reducer) bulkNow() uint64 { return r.size[calls] + r.size[literals] + r.size[variables] }

// nextRound runs all passes and reports whether that was the last round.
func (r *reducer) nextRound() (done bool, err error) {
	r.round++
	r.settled = r.round > 1 && (r.bulkNow() <= light || 100*r.bulkNow() >= hardly*r.bulk)
	r.improved, r.at, r.bulk = false, 0, r.bulkNow()
	if r.settled {
		r.passes = proofsLast(r.passes)
	}
	return r.rest()
}

// proofsLast returns the passes in their order for settled rounds: first those that hardly cost
// tests, then the early ones, then the others.
func proofsLast(passes []*pass) []*pass {
	rank := func(p *pass) int {
		switch {
		case p.harmless && !p.late:
			return 0
		case p.early:
			return 1
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(passes), func(a, b *pass) int { return cmp.Compare(rank(a), rank(b)) })
}

// rest runs the passes from the current one to the end of the round and reports
// whether it was the last round. Late passes wait for the round in which no pass before
// them is impatient.
func (r *reducer) rest() (done bool, err error) {
	for ; r.at < len(r.passes); r.at++ {
		p := r.passes[r.at]
		if p.late && slices.ContainsFunc(r.passes[:r.at], func(p *pass) bool { return p.impatient && !r.bars(p) }) {
			return false, nil
		}
		if err := r.pass(p); err != nil {
			return false, err
		}
	}
	return !r.improved && r.proven(), nil
}

// proven reports whether every pass has proved that it can do no more.
func (r *reducer) proven() bool {
	return !slices.ContainsFunc(r.passes, func(p *pass) bool { return !p.proven && !r.bars(p) })
}

// bars reports whether the pass must not run, since it could change an expected answer.
func (r *reducer) bars(p *pass) bool { return r.bound && !p.harmless }

// begin verifies that the given trace fails.
func (r *reducer) begin(ctx context.Context) error {
	r.running = &pass{PassStats: PassStats{Name: "first run"}}
	if known := r.config.Known; known != nil && known.Same {
		r.verdict, r.begun = *known, true
		return nil
	}
	const attempts = 5 // more than one, because the failure may depend on chance
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

// certify reports whether the best trace passes Certify. If it does not, certify goes back to the
// last certified trace and forgets all verdicts, because they are doubtful.
func (r *reducer) certify(ctx context.Context, certified *trace.Trace) (bool, error) {
	sure, err := r.config.Certify(ctx, r.best)
	if err != nil || sure {
		return sure, err
	}
	r.lab.Forget()
	clear(r.memory)
	r.history = newHistory()
	r.goBack(certified)
	r.config.Events.best(certified)
	return false, nil
}

func (r *reducer) goBack(t *trace.Trace) {
	r.problem++
	r.best, r.verdict, r.size = t, Verdict{Same: true, Call: -1}, measureOf(t, r.config.Description)
	r.unshifted = t
	if r.plain = t; !r.isPlain(t) {
		r.plain = r.given
	}
}

// settle certifies the best trace after a budget or the context has ended. That is worth one
// more run.
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

// pass runs one pass if that is worth while.
func (r *reducer) pass(p *pass) error {
	if r.bars(p) {
		return nil
	}
	if p.proven && (p.ended == keyOf(r.best) || !p.renames && p.problem == r.problem) {
		p.Skipped++
		return nil
	}
	p.resumes = p.impatient
	if p.ran && p.search == "" {
		same := 100*r.bulkNow() > muchLess*p.bulk
		switch {
		case p.quick && p.fruitless && same:
			p.proven = true
			return nil
		case !p.late && !p.quick && !p.resumes && !r.settled && same:
			p.proven = false
			return nil // too early: most of what it would prove will not hold for the final trace
		case !p.late && !p.quick && !r.settled:
			p.resumes = true
		}
	}
	r.running = p
	p.proven, p.impatient, p.searches = true, false, 0
	improved := p.Improved
	if err := p.run(r); err != nil {
		return err
	}
	p.ran, p.ended, p.problem, p.bulk = true, keyOf(r.best), r.problem, r.bulkNow()
	p.fruitless = p.Improved == improved
	return nil
}

// between returns a number between low and high: the middle power of two if there is one, or
// else the mean.
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
