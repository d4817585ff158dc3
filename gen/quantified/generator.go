package quantified

import (
	"cmp"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Config says which traces a Generator makes.
type Config struct {
	Model    *apimodel.Model
	Possible feature.Set // features that are on and that the target has
	Profile  string      // "": mixed, or FamilyProfile if Family names one
	Family   string      // "": those of the profile
	Schedule string      // "": those of the profile
	MaxVars  int         // 0: the bound of the profile
	MaxCalls int         // 0: the bound of the profile
	// Options adds calls to t that set options of a new solver: at most that many, with random numbers
	// from r. If it is nil, traces set no options.
	Options func(r *draw.Rand, t *trace.Trace, instance uint16, most int)
}

// A Generator makes traces of the model qbf. It is not safe for concurrent use.
type Generator struct {
	config Config
	ready  []readyProfile
	shares uint32

	// The state of the trace being made.
	rand     draw.Rand
	on, used feature.Set
	now      *readyProfile
	family   *Family
	lives    [mostInstances]life
	parts    [mostInstances]trace.Trace // of traces of several instances
	n        int                        // instances
	b        builder
}

const mostInstances = 3

// A readyProfile is a profile that is prepared for a configuration.
type readyProfile struct {
	*profile
	title      string
	thresholds [feature.Count]uint32
	families   []*Family
	schedules  []schedule
	maxVars    int
	maxCalls   int
}

// drawn are the features that traces draw, in the order of the draws. Another feature in the middle
// would change all traces.
var drawn = [...]feature.Feature{
	feature.EmptyClause, feature.Tautology, feature.DuplicateLiterals, feature.NoClauses, feature.RepeatSolve,
	feature.RepeatQuery, feature.UnseenQuery, feature.FailedOther, feature.Terminate, feature.TwoInstances,
	feature.ThreeInstances, feature.ReleaseReinit, feature.EarlyRelease, feature.Gaps, feature.MaxVariable,
	feature.Signature, feature.Havoc, feature.Options, feature.SplitClause, feature.ManyQueries, feature.ManySolves,
	feature.FreeVariables, feature.EmptyBlock, feature.NeighbourBlocks, feature.InnermostUniversal, feature.LateBlock,
	feature.ExtendedBlock, feature.Frames, feature.Groups, feature.UniversalAssumption,
}

// New returns a generator.
func New(c Config) (*Generator, error) {
	if c.Profile == "" {
		c.Profile = mixedName
		if c.Family != "" {
			c.Profile = FamilyProfile
		}
	}
	if c.Options == nil {
		c.Possible &^= 1 << feature.Options
	}
	g := &Generator{config: c}
	chosen, err := chosenProfiles(c.Profile)
	if err != nil {
		return nil, err
	}
	for _, p := range chosen {
		ready := readyProfile{profile: p, title: p.String(), maxVars: cmp.Or(c.MaxVars, p.maxVars),
			maxCalls: cmp.Or(c.MaxCalls, p.maxCalls)}
		if err := ready.choose(&c); err != nil {
			return nil, err
		}
		g.ready = append(g.ready, ready)
		g.shares += max(p.share, 1)
	}
	g.now = &g.ready[0]
	g.family = g.now.families[0]
	return g, nil
}

// choose finds families and schedules by name, and drops schedules that the target cannot follow.
func (p *readyProfile) choose(c *Config) error {
	for _, f := range drawn {
		p.thresholds[f] = p.rate(f) * 65536 / 1000
	}
	names := p.profile.families
	if c.Family != "" {
		names = []string{c.Family}
	}
	for _, name := range names {
		f, err := Named(name)
		if err != nil {
			return err
		}
		p.families = append(p.families, f)
	}
	schedules := p.profile.schedules
	if c.Schedule != "" {
		s, err := scheduleNamed(c.Schedule)
		if err != nil {
			return err
		}
		schedules = []schedule{s}
	}
	for _, s := range schedules {
		if s.possible(c.Possible) {
			p.schedules = append(p.schedules, s)
		}
	}
	if c.Schedule != "" && len(p.schedules) == 0 {
		return fmt.Errorf("the schedule %s needs the feature %s, which is switched off or beyond the target",
			c.Schedule, scheduleTable[schedules[0]].needs)
	}
	if len(p.schedules) == 0 {
		p.schedules = allSchedules(c.Possible)
	}
	return nil
}

func allSchedules(possible feature.Set) (all []schedule) {
	for s := range numSchedules {
		if s.possible(possible) {
			all = append(all, s)
		}
	}
	return all
}

func (s schedule) possible(possible feature.Set) bool {
	needs := scheduleTable[s].needs
	return needs == feature.Count || possible.Has(needs)
}

// Generate resets t and fills it with the trace of the seed. It draws profile and family separately from
// the rest, so a generator of only that profile and family makes the same trace.
func (g *Generator) Generate(seed uint64, t *trace.Trace) {
	t.Reset(g.config.Model)
	g.pick(seed)
	g.rand = draw.New(seed)
	g.used = 0
	g.drawFeatures()
	g.n = 1
	if g.drawn(feature.TwoInstances) {
		g.n = 2
	}
	if g.drawn(feature.ThreeInstances) {
		g.n = 3
	}
	for i := range g.n {
		part := t
		if g.n > 1 {
			part = &g.parts[i]
			part.Reset(g.config.Model)
		}
		g.lives[i].make(g, part, uint16(i))
	}
	if g.n > 1 {
		g.merge(t)
	}
}

func (g *Generator) pick(seed uint64) {
	g.now = &g.ready[0]
	if len(g.ready) > 1 {
		r := draw.New(draw.Mix(seed + draw.Golden))
		n := r.Below(g.shares)
		for i := range g.ready {
			g.now = &g.ready[i]
			if n < max(g.now.share, 1) {
				break
			}
			n -= max(g.now.share, 1)
		}
	}
	g.family = g.now.families[0]
	if n := uint32(len(g.now.families)); n > 1 {
		r := draw.New(draw.Mix(seed ^ draw.Golden))
		g.family = g.now.families[r.Below(n)]
	}
}

func (g *Generator) drawFeatures() {
	g.on = 0
	var dice uint64
	for i, f := range drawn {
		if i%4 == 0 {
			dice = g.rand.Uint64() // enough random bits for four draws
		}
		if uint32(uint16(dice)) < g.now.thresholds[f] {
			g.on |= 1 << f
		}
		dice >>= 16
	}
	g.on &= g.config.Possible
	if !g.config.Possible.Has(feature.TwoInstances) {
		g.on &^= 1 << feature.ThreeInstances
	}
	if g.now.maxCalls < 36 {
		g.on &^= 1<<feature.TwoInstances | 1<<feature.ThreeInstances
	}
}

// merge shuffles the calls of the instances into one trace.
func (g *Generator) merge(t *trace.Trace) {
	var next [mostInstances]int
	left := 0
	for i := range g.n {
		left += len(g.parts[i].Calls)
	}
	at := 0
	for ; left > 0; left-- {
		if g.rand.Chance(400) || next[at] == len(g.parts[at].Calls) {
			for at = int(g.rand.Below(uint32(g.n))); next[at] == len(g.parts[at].Calls); {
				at = (at + 1) % g.n
			}
		}
		part := &g.parts[at]
		t.Append(part, &part.Calls[next[at]])
		next[at]++
	}
	g.use(feature.TwoInstances)
	if g.n > 2 {
		g.use(feature.ThreeInstances)
	}
}

func (g *Generator) drawn(f feature.Feature) bool { return g.on.Has(f) }

func (g *Generator) use(f feature.Feature) { g.used |= 1 << f }

// Used returns the features of the last trace.
func (g *Generator) Used() feature.Set { return g.used }

// Family returns the family of the last trace.
func (g *Generator) Family() *Family { return g.family }

// Profile returns the name of the profile of the last trace, with its version.
func (g *Generator) Profile() string { return g.now.title }

// Bounds returns the bounds of the last trace.
func (g *Generator) Bounds() (maxVars, maxCalls int) { return g.now.maxVars, g.now.maxCalls }

// A Spread says how a trace was made, besides its profile and its seed.
type Spread struct {
	Family    *Family
	schedules [mostInstances]schedule
	instances int
}

// Spread returns how the last trace was made.
func (g *Generator) Spread() Spread {
	s := Spread{Family: g.family, instances: g.n}
	for i := range g.n {
		s.schedules[i] = g.lives[i].schedule
	}
	return s
}

// Schedules returns the names of the schedules of the instances.
func (s *Spread) Schedules() []string {
	names := make([]string, s.instances)
	for i := range names {
		names[i] = s.schedules[i].String()
	}
	return names
}
