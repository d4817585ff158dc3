// Package mutate makes traces from other traces: it changes them at random (Mutate) or fits
// them to a target (Fit). The results are legal and respect the target's bounds.
package mutate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Mutator makes traces from other traces, the parents: stored ones, findings, imported formulas.
// Whatever the parents are, the mutants are legal by the model and by the policies of the target,
// because the Mutator drops illegal calls. The same seed and the same parents make the same trace.
type Mutator struct {
	config   gen.Config
	rand     draw.Rand
	out      *trace.Trace
	walker   *apimodel.Walker
	lives    map[uint16]*lifeSeen
	maxSum   uint64
	noZero   bool
	onlyUsed bool
	without  feature.Set
	origin   []int // for each call of out, the index of the step that it comes from
}

// Version is the version of the mutations, for the header of mutated traces.
const Version = 1

// lifeSeen is what the mutator must know of an instance to keep the bounds.
type lifeSeen struct {
	weights map[int32]uint64
	sum     uint64
	vars    map[int32]bool
	open    []int32
	closed  map[int32]bool // variables in closed clauses
}

// A mutation changes a trace, or what parts of others make of it.
type mutation struct {
	name string
	doc  string
	rate uint32      // in a thousand
	adds feature.Set // features that it adds; if one of them is switched off, so is the mutation
	make func(m *Mutator, calls []step, parents []*trace.Trace) []step
}

// mutations are all mutations of calls, in the order in which Mutate makes them.
var mutations = []mutation{
	{"splice", "the beginning of one trace and the end of another", 400, 0, (*Mutator).splice},
	{"repeat-prefix", "the calls up to some place are made twice", 250, 0, (*Mutator).repeatPrefix},
	{"duplicate-solve", "a solve is made again under the same assumptions", 300,
		1 << feature.RepeatSolve, (*Mutator).duplicateSolve},
	{"activation-layer", "clauses get a fresh literal that every later solve assumes", 250,
		1 << feature.Activation, (*Mutator).activationLayer},
	{"perturb-weights", "weights change by a little or by a lot", 400, 0, (*Mutator).perturbWeights},
	{"perturb-polarity", "a variable, or a single literal, is negated", 300, 0, (*Mutator).perturbPolarity},
	{"permute", "variables change places, and clauses between two solves", 250, 0, (*Mutator).permute},
	{"rename", "variables get numbers that are far apart", 200, 1 << feature.Gaps, (*Mutator).rename},
}

// Info describes a mutation to the user.
type Info struct{ Name, Doc string }

// All returns all mutations of traces of interfaces.
func All() []Info { return Of(apimodel.IPAMIR) }

// Of returns all mutations of traces of a model.
func Of(model *apimodel.Model) []Info {
	var infos []Info
	for _, m := range mutationsOf(model) {
		infos = append(infos, Info{m.name, m.doc})
	}
	return infos
}

// A step is a call with its literals, which need not be in a trace.
type step struct {
	call trace.Call
	lits []int32
	from *trace.Trace // has the text of an option
}

// New returns a mutator. It uses the model, the description, the bounds and the
// switched-off features of the configuration.
func New(c gen.Config) (*Mutator, error) {
	c.Profile, c.Family, c.Schedule = "", "", ""
	g, err := gen.New(c)
	if err != nil {
		return nil, err
	}
	m := &Mutator{
		config:   c,
		walker:   apimodel.NewWalker(c.Model),
		maxSum:   g.Bounds().MaxSum,
		noZero:   c.Description.Policy("soft-zero") == "rejected",
		onlyUsed: c.Description.Policy("soft-unused") == "rejected",
	}
	if m.without, err = feature.Parse(c.Without); err != nil {
		return nil, err
	}
	m.without |= feature.Rejected(c.Description) &
		(1<<feature.Tautology | 1<<feature.SoftTautology | 1<<feature.FreeVariables | 1<<feature.FailedOther)
	if c.Model.File && m.onlyUsed {
		m.without |= 1 << feature.UnusedSoft
	}
	asked := c.Bounds.Within(c.Description)
	m.config.MaxWeight, m.config.MaxCalls, m.config.MaxVars = g.Bounds().MaxWeight, asked.MaxCalls, asked.MaxVars
	return m, nil
}

// mostGrowth bounds a mutant, if the configuration does not: it has at most this many times the calls
// of its longest parent, plus a few.
const mostGrowth = 2

// Mutate resets out and fills it with a mutant of the first parent, which may get parts of the others.
// All parents must be traces of the mutator's model. Mutate returns the names of the mutations that it
// made.
func (m *Mutator) Mutate(seed uint64, parents []*trace.Trace, out *trace.Trace) ([]string, error) {
	if len(parents) == 0 {
		return nil, fmt.Errorf("nothing to mutate")
	}
	longest := 0
	for _, p := range parents {
		if p.Model != m.config.Model {
			return nil, fmt.Errorf("a trace of %s cannot be mutated for %s", p.Model.Name, m.config.Model.Name)
		}
		longest = max(longest, len(p.Calls))
	}
	m.rand = draw.New(seed)
	var done []string
	calls := stepsOf(parents[0])
	for try := 0; len(done) == 0 && try < 8; try++ {
		for _, mutation := range mutationsOf(m.config.Model) {
			if m.rand.Chance(mutation.rate) && mutation.adds&m.without == 0 {
				before := calls
				if calls = mutation.make(m, slices.Clone(calls), parents); !sameSteps(before, calls) {
					done = append(done, mutation.name)
				}
			}
		}
	}
	most := cmp.Or(m.config.MaxCalls, mostGrowth*longest+20)
	m.writeWithout(calls, out, most)
	return done, nil
}

// Notes returns the header of a mutant.
func Notes(seed uint64, parents, done, features []string) []string {
	o := notes.Origin{
		Generator: fmt.Sprint("mutation/", Version),
		Seed:      seed,
		Parents:   parents,
		Mutations: append([]string{}, done...),
		Features:  features,
	}
	return o.Notes()
}

func stepsOf(t *trace.Trace) []step {
	steps := make([]step, len(t.Calls))
	for i := range t.Calls {
		steps[i] = step{call: t.Calls[i], from: t}
		if t.Calls[i].Op.HasLits() {
			steps[i].lits = t.Args(&t.Calls[i])
		}
	}
	return steps
}

func sameSteps(a, b []step) bool {
	return slices.EqualFunc(a, b, func(x, y step) bool {
		return x.call.Op == y.call.Op && x.call.Instance == y.call.Instance && x.call.Num == y.call.Num &&
			x.call.Flags == y.call.Flags && slices.Equal(x.lits, y.lits)
	})
}

// write resets out and fills it with the calls that are legal and within the bounds. It adds a solve
// if there is none.
func (m *Mutator) write(calls []step, out *trace.Trace, most int) {
	out.Reset(m.config.Model)
	m.out, m.origin = out, m.origin[:0]
	m.walker.Reset(m.config.Model)
	m.lives = make(map[uint16]*lifeSeen)
	for i := range calls {
		if len(out.Calls) < most-m.reserve(&calls[i]) && m.put(&calls[i]) {
			m.origin = append(m.origin, i)
		}
	}
	switch {
	case out.Solves() > 0:
	case m.config.Model.File:
		for _, op := range []apimodel.Op{apimodel.OpSolve, apimodel.OpObj, apimodel.OpModel} {
			m.put(&step{call: trace.Call{Op: op}})
		}
	default:
		last := step{call: trace.Call{Op: apimodel.OpSolve}}
		for instance, s := range m.lives {
			if len(s.open) > 0 && instance == 0 {
				m.put(&step{call: trace.Call{Op: apimodel.OpClause}})
			}
		}
		if !m.put(&last) {
			m.put(&step{call: trace.Call{Op: apimodel.OpInit}})
			m.put(&last)
		}
	}
}

// reserve returns how many calls must fit beside this one: a solve and a call before it, or those after the clauses of
// a file.
func (m *Mutator) reserve(s *step) int {
	switch {
	case !m.config.Model.File:
		return 2
	case isLine(s):
		return 3
	}
	return 0
}

// put appends a call to m.out if it is legal, and reports whether it did.
func (m *Mutator) put(s *step) bool {
	c := s.call
	call := m.config.Model.Call(c.Op)
	d := m.config.Description
	if call == nil || !d.Has(call.Optional) || c.Instance > 0 && !d.Has("instances") {
		return false
	}
	if m.config.Model.File && (c.Instance > 0 || c.Flags != 0) {
		return false
	}
	seen := m.lives[c.Instance]
	if seen == nil {
		seen = newLifeSeen()
		m.lives[c.Instance] = seen
	}
	s = m.fitVariables(seen, s)
	if s == nil {
		return false
	}
	switch c.Op {
	case apimodel.OpOption:
		if !m.takesOption(s) {
			return false
		}
	case apimodel.OpSoft:
		if !m.fitWeight(seen, &c, s.lits[0]) {
			return false
		}
	case apimodel.OpSoftClause:
		if c.Num = min(c.Num, m.config.MaxWeight, m.maxSum-seen.sum); c.Num == 0 {
			return false
		}
	}
	if m.onlyUsed && (c.Op == apimodel.OpSoft || c.Op == apimodel.OpAssume) && !seen.closed[trace.Var(s.lits[0])] {
		return false
	}
	if m.walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&trace.Open != 0}) != nil {
		return false
	}
	m.note(seen, &c, s.lits)
	if c.Op == apimodel.OpOption {
		m.out.Append(s.from, &s.call)
		return true
	}
	if c.Op.HasLits() {
		c.Pos, c.Len = uint32(len(m.out.Lits)), uint32(len(s.lits))
		m.out.Lits = append(m.out.Lits, s.lits...)
	}
	m.out.Calls = append(m.out.Calls, c)
	return true
}

// note takes a call that is put into what the mutator knows of its instance.
func (m *Mutator) note(seen *lifeSeen, c *trace.Call, lits []int32) {
	switch c.Op {
	case apimodel.OpClause:
		seen.open = append(seen.open, lits...)
		if c.Flags&trace.Open == 0 {
			for _, l := range seen.open {
				seen.closed[trace.Var(l)] = true
			}
			seen.open = seen.open[:0]
		}
	case apimodel.OpSoftClause:
		seen.sum += c.Num
	case apimodel.OpSoft:
		seen.sum += c.Num - seen.weights[lits[0]]
		seen.weights[lits[0]] = c.Num
	case apimodel.OpRelease:
		next := newLifeSeen()
		next.vars = seen.vars // of all lives of the instance
		m.lives[c.Instance] = next
	}
}

func newLifeSeen() *lifeSeen {
	return &lifeSeen{vars: make(map[int32]bool), weights: make(map[int32]uint64), closed: make(map[int32]bool)}
}

// fitVariables drops literals of variables beyond the bound. It returns nil if the call makes no sense
// without them.
func (m *Mutator) fitVariables(seen *lifeSeen, s *step) *step {
	fits := func(lit int32) bool {
		v := trace.Var(lit)
		if m.config.MaxVars > 0 && len(seen.vars) >= m.config.MaxVars && !seen.vars[v] {
			return false
		}
		seen.vars[v] = true
		return true
	}
	switch {
	case len(s.lits) == 0:
		return s
	case len(s.lits) == 1 && s.call.Op != apimodel.OpClause && !s.call.Op.Binds():
		if !fits(s.lits[0]) {
			return nil
		}
		return s
	}
	fitting := *s
	fitting.lits = slices.DeleteFunc(slices.Clone(s.lits), func(lit int32) bool { return !fits(lit) })
	if s.call.Op.Binds() {
		for i, lit := range fitting.lits {
			fitting.lits[i] = trace.Var(lit)
		}
		return &fitting
	}
	if len(fitting.lits) == 0 && (len(seen.open) == 0 || s.call.Op != apimodel.OpClause) {
		return nil // without literals, it would be the empty clause
	}
	return &fitting
}

// fitWeight lowers the weight to the bounds. It returns false if that is 0 and the target refuses
// weight 0.
func (m *Mutator) fitWeight(seen *lifeSeen, c *trace.Call, lit int32) bool {
	others := seen.sum - seen.weights[lit]
	c.Num = min(c.Num, m.config.MaxWeight, m.maxSum-others)
	return c.Num > 0 || !m.noZero
}

// takesOption reports whether the target takes the option with this value, in this state and with the
// other options that are set.
func (m *Mutator) takesOption(s *step) bool {
	d := m.config.Description
	name, value := s.from.Option(&s.call)
	o := d.Option(name)
	if o == nil || o.Fixed || o.Accepts(value) != nil {
		return false
	}
	met := m.walker.States(s.call.Instance)
	if m.walker.Fresh(s.call.Instance) {
		met = apimodel.Set(apimodel.Start)
	}
	if met&^o.When.Allowed() != 0 {
		return false
	}
	settings := map[string]string{name: value}
	for i := range m.out.Calls {
		c := &m.out.Calls[i]
		switch {
		case c.Instance != s.call.Instance:
		case c.Op == apimodel.OpRelease:
			settings = map[string]string{name: value}
		case c.Op == apimodel.OpOption:
			if n, v := m.out.Option(c); n != name {
				settings[n] = v
			}
		}
	}
	_, excluded := d.Excluded(settings)
	return !excluded
}

// farApart bounds the numbers of renamed variables, far below INT32_MAX.
const farApart = math.MaxInt32 / 4
