// Package gen makes traces out of seeds. The same seed makes the same trace
// for ever, as long as the family's version stays; what changes the traces of a
// family raises its version.
package gen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Family and version of the traces, as they stand in a trace's header.
const family = "tiny/1"

// Bounds limit a trace. 0 stands for the default.
type Bounds struct {
	MaxVars   int    // distinct variables of one instance; at most 16, the default, so that exhaustive search can judge
	MaxCalls  int    // default 150, at least 8
	MaxWeight uint64 // of one soft literal; default 2^64-1
	MaxSum    uint64 // of the current weights of all soft literals of one instance; default 2^64-1
}

const (
	mostVars        = 16
	fewestCalls     = 8
	defaultMaxCalls = 150
)

// Config says what traces a Generator makes.
type Config struct {
	Model       *apimodel.Model
	Description *apimodel.Description // nil: the standard interface alone
	Without     []string              // features that must not happen, by name
	Bounds
}

// A Generator makes traces. It is not safe for concurrent use.
type Generator struct {
	config   Config
	model    *apimodel.Model
	maxSAT   bool
	possible featureSet // neither switched off nor beyond the target
	settings settings
	onlyUsed bool // policy soft-unused=rejected: assume nothing that no clause holds

	// Of the trace being made.
	t     *trace.Trace
	rand  Rand
	on    featureSet // drawn for this trace
	used  featureSet // happened in this trace
	seed  uint64
	plan  plan
	insts [3]instance
	begun int             // instances that a call has named
	lits  [mostVars]int32 // of a clause
	made  bool            // there is a last trace
}

// New returns a generator. It refuses unknown feature names and bounds that
// leave no room for a trace.
func New(c Config) (*Generator, error) {
	if c.Model == nil {
		return nil, fmt.Errorf("gen: no model")
	}
	without, err := parseFeatures(c.Without)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	if c.MaxVars < 0 || c.MaxCalls < 0 {
		return nil, fmt.Errorf("gen: negative bounds: %d variables, %d calls", c.MaxVars, c.MaxCalls)
	}
	if c.MaxCalls > 0 && c.MaxCalls < fewestCalls {
		return nil, fmt.Errorf("gen: %d calls are too few for a trace: %d is the least", c.MaxCalls, fewestCalls)
	}
	if err := c.Description.Validate(); err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	if d := c.Description; d != nil && len(d.Models) > 0 && !slices.Contains(d.Models, c.Model.Name) {
		return nil, fmt.Errorf("gen: the target speaks %s, not %s", strings.Join(d.Models, " and "), c.Model.Name)
	}
	g := &Generator{
		config:   c,
		model:    c.Model,
		maxSAT:   c.Model.Call(apimodel.OpSoft) != nil,
		possible: possible(c.Model, c.Description) &^ without,
		settings: newSettings(c.Description),
		onlyUsed: c.Description.Policy("soft-unused") == "rejected",
	}
	if g.settings.empty() {
		g.possible &^= 1 << options
	}
	b := &g.config.Bounds
	b.MaxVars = min(orDefault(b.MaxVars, mostVars), mostVars)
	b.MaxCalls = orDefault(b.MaxCalls, defaultMaxCalls)
	b.MaxWeight = orDefault(b.MaxWeight, math.MaxUint64)
	b.MaxSum = orDefault(b.MaxSum, math.MaxUint64)
	if c.Description.Policy("weight-sum") == "below-2^63" {
		b.MaxSum = min(b.MaxSum, math.MaxInt64)
	}
	return g, nil
}

func orDefault[T int | uint64](value, usual T) T {
	if value == 0 {
		return usual
	}
	return value
}

// Generate resets t and fills it with the trace of the seed. It leaves the
// notes empty: Notes makes them for the few traces that are kept.
func (g *Generator) Generate(seed uint64, t *trace.Trace) {
	t.Reset(g.model)
	g.t = t
	g.seed = seed
	g.rand = NewRand(seed)
	g.used = 0
	g.draw()
	g.run()
	g.t, g.made = nil, true
}

// Features names the features that the last trace has.
func (g *Generator) Features() []string { return g.used.names() }

// Notes returns the header of the seed's trace: what made it, so that it can
// be made again, and the features that it has.
func (g *Generator) Notes(seed uint64) []string {
	if g.seed != seed || !g.made {
		var t trace.Trace
		g.Generate(seed, &t)
	}
	made := fmt.Sprintf("gen=%s seed=0x%016x", family, seed)
	if len(g.config.Without) > 0 {
		made += " without=" + strings.Join(g.config.Without, ",")
	}
	if b := g.config.Bounds; b != (Bounds{mostVars, defaultMaxCalls, math.MaxUint64, math.MaxUint64}) {
		made += fmt.Sprintf(" max-vars=%d max-calls=%d max-weight=%d max-sum=%d", b.MaxVars, b.MaxCalls, b.MaxWeight, b.MaxSum)
	}
	notes := []string{made}
	if g.used != 0 {
		notes = append(notes, "features="+strings.Join(g.Features(), ","))
	}
	return notes
}

// use records that the feature happened.
func (g *Generator) use(f feature) { g.used |= 1 << f }

// drawn reports whether the feature may happen in this trace.
func (g *Generator) drawn(f feature) bool { return g.on.has(f) }

// room reports whether n more calls fit.
func (g *Generator) room(n int) bool { return len(g.t.Calls)+n <= g.config.MaxCalls }

// spare reports whether n calls fit that a trace could do without: each
// instance keeps room for a clause in two parts, a soft literal and a solve.
func (g *Generator) spare(n int) bool { return g.room(n + 4*g.plan.instances) }
