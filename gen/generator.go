// Package gen makes traces from seeds. The same seed makes the same trace forever, as long as
// its family and its profile keep their versions. Every change that alters traces of a family
// or a profile raises its version.
//
// A profile (package profile) has families, schedules, rates of features, and bounds. A family
// (package family) makes a formula of hard and soft clauses. A schedule (schedule.go, spread*.go)
// spreads the formula over the increments of one or more solvers. Options come from the target's
// description (setting.go). The family tiny makes formulas and calls together (tiny.go). Package
// quantified makes the traces of models with quantifiers in the same way, and package file those of formula files.
package gen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/file"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Bounds limit a trace. 0 stands for the bound of the profile.
type Bounds struct {
	MaxVars   int    // distinct variables of one instance; at most 16 for tiny, for exhaustive search
	MaxCalls  int    // at least 8
	MaxWeight uint64 // of one soft literal; default 2^64-1, or 2^63-1 for a target with the policy weight=below-2^63
	MaxSum    uint64 // of the current weights of all soft literals of one instance; default 2^64-1
}

const (
	mostVars        = 16
	fewestCalls     = apimodel.FewestCalls
	defaultMaxCalls = 150
	mostInstances   = 3
)

// Within returns the bounds, lowered to those of the target.
func (b Bounds) Within(d *apimodel.Description) Bounds {
	if d == nil {
		return b
	}
	all := apimodel.Bounds{
		MaxVars:   uint64(b.MaxVars),
		MaxCalls:  uint64(b.MaxCalls),
		MaxWeight: b.MaxWeight,
		MaxSum:    b.MaxSum,
	}
	all.Tighten(d.Bounds)
	return Bounds{
		MaxVars:   int(min(all.MaxVars, math.MaxInt32)),
		MaxCalls:  int(min(all.MaxCalls, math.MaxInt32)),
		MaxWeight: all.MaxWeight,
		MaxSum:    all.MaxSum,
	}
}

// Config says which traces a Generator makes.
type Config struct {
	Model       *apimodel.Model
	Description *apimodel.Description // nil: only the standard interface
	Profile     string                // "": DefaultProfile, or FamilyProfile if Family names one
	Family      string                // "": those of the profile
	Schedule    string                // "": those of the profile; tiny has none
	Plant       *family.Formula       // seed formula of the family planted; nil: the family draws one
	PlantFile   string                // the file of Plant, for the header
	Without     []string              // names of features that must not happen
	// FailAllocations makes an allocation of the library fail in every trace.
	FailAllocations bool
	// Threads starts a thread for each instance, in traces with several instances.
	Threads bool
	Bounds
}

// A Generator makes traces. It is not safe for concurrent use.
type Generator struct {
	given  Config
	asked  Bounds // those of the user and of the target's description
	choice choice
	seed   uint64 // of the last trace
	made   bool   // Generate has made a trace
	forms  forms
	emitter
}

// An emitter makes the calls of a trace.
type emitter struct {
	config   Config // with the bounds of the current profile
	model    *apimodel.Model
	maxSAT   bool
	possible feature.Set // features that are on and that the target supports
	settings settings
	onlyUsed bool // policy soft-unused=rejected: assume only variables of clauses

	// Of the trace being made.
	current *readyProfile
	family  *family.Family // nil: tiny
	t       *trace.Trace
	rand    draw.Rand
	on      feature.Set // drawn for this trace
	used    feature.Set // happened in this trace
	plan    plan
	begun   int // number of instances that have made a call

	insts      [mostInstances]instance // of the family tiny
	lits       [mostVars]int32         // of a clause
	spreads    [mostInstances]spread   // of other families
	builder    family.Builder
	work       []int32            // a clause in the variables of the formula
	names      []int32            // the same clause in the variables of the trace
	kept       []int32            // the same without repeated literals
	crowd      []trace.Trace      // the traces of the solvers of a crowd
	quantified quantified.Emitter // of a model with quantifiers
	file       file.Emitter       // of a model of formula files
}

// A ConfigError reports a configuration for which there are no traces.
type ConfigError struct{ err error }

// Error returns the message.
func (e *ConfigError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.err }

// New returns a generator. For unknown names, and bounds that are too narrow for a trace, it
// returns a *ConfigError.
func New(c Config) (*Generator, error) {
	g, err := configured(c)
	if err != nil {
		return nil, &ConfigError{err}
	}
	return g, nil
}

func configured(c Config) (*Generator, error) {
	if c.Model == nil {
		return nil, errors.New("no model")
	}
	without, err := feature.Parse(c.Without)
	if err != nil {
		return nil, err
	}
	if c.MaxVars < 0 || c.MaxCalls < 0 {
		return nil, fmt.Errorf("negative bounds: %d variables, %d calls", c.MaxVars, c.MaxCalls)
	}
	if c.MaxCalls > 0 && c.MaxCalls < fewestCalls {
		return nil, fmt.Errorf("%d calls are too few for a trace: %d is the least", c.MaxCalls, fewestCalls)
	}
	if err := c.Description.Validate(); err != nil {
		return nil, err
	}
	if d := c.Description; d != nil && len(d.Models) > 0 && !slices.Contains(d.Models, c.Model.Name) {
		return nil, fmt.Errorf("the target speaks %s, not %s", strings.Join(d.Models, " and "), c.Model.Name)
	}
	g := &Generator{given: c, asked: c.Bounds.Within(c.Description), emitter: emitter{
		config:   c,
		model:    c.Model,
		maxSAT:   c.Model.Optimizes(),
		possible: feature.Possible(c.Model, c.Description) &^ without,
		settings: newSettings(c.Description),
		onlyUsed: c.Description.Policy("soft-unused") == "rejected",
	}}
	g.builder.Plant = c.Plant
	if len(g.settings.options) == 0 {
		g.possible &^= 1 << feature.Options
	}
	switch {
	case c.Model.Quantified() && c.Threads:
		return nil, errors.New("traces of quantified formulas start no threads")
	case c.Model.File && (c.Threads || c.FailAllocations):
		return nil, errors.New("formula files start no threads, and make no allocation fail")
	}
	g.quantified.Options = g.optionsOfPart
	if g.choice, err = newChoice(&c, g.asked, g.possible); err != nil {
		return nil, err
	}
	g.possible &= g.choice.features()
	g.current, g.family = g.choice.first()
	g.config.Bounds = g.current.bounds
	return g, nil
}

// ProfileName returns the name of the profile of the traces.
func (c *Config) ProfileName() string {
	switch {
	case c.Profile != "":
		return c.Profile
	case c.hasFamily():
		return FamilyProfile
	}
	return DefaultProfile
}

// Generate resets t and fills it with the trace of the seed. It leaves the notes empty. Notes
// makes them for the few traces that a caller keeps.
//
// Generate draws profile and family separately from the rest, so a generator of only that
// profile and family makes the same trace.
func (g *Generator) Generate(seed uint64, t *trace.Trace) {
	t.Reset(g.model)
	g.t = t
	g.seed = seed
	g.used = 0
	g.current, g.family = g.choice.pick(seed)
	g.config.Bounds = g.current.bounds
	g.rand = draw.New(seed)
	switch {
	case g.model.Quantified():
		g.drawQuantified()
	case g.model.File:
		g.drawFile()
	case g.family == nil && g.current.Crowd > 0:
		g.makeCrowd()
	case g.family == nil:
		g.draw()
		g.takeTurns([]player{&g.insts[0], &g.insts[1], &g.insts[2]}[:g.plan.instances])
	default:
		g.drawSpread()
		g.takeTurns([]player{&g.spreads[0], &g.spreads[1], &g.spreads[2]}[:g.plan.instances])
		g.plant()
	}
	if g.current.Repeats {
		g.repeatLiterals(seed)
	}
	if g.current.Longhand {
		g.writeLonghand()
	}
	if g.model.Extends != nil || !g.model.Quantified() && g.current.thresholds[feature.Of(apimodel.OpProof)] > 0 {
		g.weave(seed)
	}
	if g.given.FailAllocations {
		g.failAllocation(seed)
	}
	if g.given.Threads {
		g.startThreads()
	}
	g.t, g.made = nil, true
}

// Seed returns the seed of the trace with a number in a shard of a campaign.
func Seed(campaign, shard, number uint64) uint64 { return draw.Seed(campaign, shard, number) }

// Features returns the names of the features of the last trace.
func (g *Generator) Features() []string { return g.used.Names() }

// Kind returns the family of the last trace, without its version, and its features.
func (g *Generator) Kind() (name string, used feature.Set) {
	if g.family == nil {
		return family.Tiny, g.used
	}
	return g.family.Name(), g.used
}

// Family returns the name of the family of the last trace, with its version.
func (g *Generator) Family() string { return familyName(g.family) }

func familyName(f *family.Family) string {
	if f == nil {
		return tinyName
	}
	return f.String()
}

var tinyName = fmt.Sprintf("%s/%d", family.Tiny, family.TinyVersion)

// Profile returns the name of the profile of the last trace, with its version.
func (g *Generator) Profile() string { return g.current.title }

// Bounds returns the bounds of the last trace or, before the first one, those of
// the first profile.
func (g *Generator) Bounds() Bounds { return g.config.Bounds }

// again empties the trace but for its notes and planted assignments, and returns a copy of it as it was.
func (g *emitter) again() (plain, t *trace.Trace) {
	plain, t = g.t.Clone(), g.t
	notes, planted := t.Notes, t.Planted
	t.Reset(g.model)
	t.Notes, t.Planted = notes, planted
	return plain, t
}

func (g *emitter) use(f feature.Feature) { g.used |= 1 << f }

// drawn reports whether the feature may happen in this trace.
func (g *emitter) drawn(f feature.Feature) bool { return g.on.Has(f) }

func (g *emitter) fits(n int) bool { return len(g.t.Calls)+n <= g.config.MaxCalls }

// canSpare reports whether n optional calls fit and leave every instance room for a clause in two
// parts, a soft literal and a solve.
func (g *emitter) canSpare(n int) bool { return g.fits(n + 4*g.plan.instances) }
