// Package apimodel describes solver interfaces as data: the calls with their arguments,
// answers and effects, the states of a solver, the states in which each call is legal and
// those that it leads to, the options of targets, and the policies for what a standard
// leaves open. All other code reads these tables: the codecs of traces, the checker, the
// generators, the judge, the reducer, the export, the executor (through generated
// headers) and the reference pages.
package apimodel

import (
	"fmt"
	"slices"
	"strings"
)

// A Model is one solver interface.
type Model struct {
	ID    uint32 // in the binary trace
	Name  string // in the trace text
	Title string
	Calls []Call
	// Extends is the model to which this one adds calls, or nil. Traces of the extended
	// model keep their meaning.
	Extends *Model
	// File is set if the model is that of formula files. Asks is then the interface whose calls ask the same.
	File bool
	Asks *Model

	byOp   [NumOps]*Call
	byName map[string]*Call
}

// Models returns the standard interfaces, ordered by number.
func Models() []*Model { return []*Model{IPASIR, IPAMIR} }

// Propositional returns the models whose formulas have no quantifiers, ordered by number:
// the standard interfaces and their extensions.
func Propositional() []*Model { return append(Models(), CaDiCaL, Enumerate, IPASIR2) }

// Libraries returns the models of libraries, which have functions.
func Libraries() []*Model { return append(Propositional(), QBF) }

// AllModels returns all models: those of libraries, and those of formula files.
func AllModels() []*Model { return append(Libraries(), WCNF, CNF) }

// Interface returns the model that m extends, or m itself if it extends none. Its name is
// the prefix of the C functions that the executor calls.
func (m *Model) Interface() *Model {
	if m.Extends != nil {
		return m.Extends
	}
	return m
}

// Quantified reports whether the model's formulas have quantifiers.
func (m *Model) Quantified() bool { return m.Call(OpForall) != nil }

// Own reports whether the call is one that the model adds to the model that it extends.
func (m *Model) Own(call *Call) bool { return m.Extends != nil && m.Extends.Call(call.Op) == nil }

// Names lists the names of all models, for messages.
func Names() string {
	var names []string
	for _, m := range AllModels() {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// ByName returns the model of that name, or nil.
func ByName(name string) *Model {
	for _, m := range AllModels() {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// ByID returns the model with that number, or nil.
func ByID(id uint32) *Model {
	for _, m := range AllModels() {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// Call returns the model's row for op, or nil.
func (m *Model) Call(op Op) *Call {
	if op < NumOps {
		return m.byOp[op]
	}
	return nil
}

// CallNamed returns the model's row of that name, or nil.
func (m *Model) CallNamed(name string) *Call { return m.byName[name] }

// CallNames lists the names of the model's calls in table order.
func (m *Model) CallNames() []string {
	names := make([]string, len(m.Calls))
	for i := range m.Calls {
		names[i] = m.Calls[i].Name
	}
	return names
}

// Uses reports whether a capability matters to targets of the model. It does if a call of
// the model needs it, or if no call of any model does.
func (m *Model) Uses(capability string) bool {
	elsewhere := false
	for _, other := range AllModels() {
		for i := range other.Calls {
			if other.Calls[i].Optional == capability {
				if other == m {
					return true
				}
				elsewhere = true
			}
		}
	}
	return !elsewhere
}

// States returns the states that calls of the model need or lead to.
func (m *Model) States() States {
	set := Set(None)
	for i := range m.Calls {
		set |= m.Calls[i].Legal
		for _, step := range m.Calls[i].Steps {
			set |= Set(step.Then)
		}
	}
	return set
}

// New builds a model from its table and checks it: each row makes sense, names and
// numbers are unique, every state is reachable from None and can lead back to it,
// and every call is legal in a reachable state.
func New(m Model) (*Model, error) {
	m.byName = make(map[string]*Call, len(m.Calls))
	for i := range m.Calls {
		call := &m.Calls[i]
		if err := call.check(); err != nil {
			return nil, fmt.Errorf("model %s: call %q: %w", m.Name, call.Name, err)
		}
		switch {
		case m.byOp[call.Op] != nil:
			return nil, fmt.Errorf("model %s: calls %q and %q have the same operation number",
				m.Name, m.byOp[call.Op].Name, call.Name)
		case m.byName[call.Name] != nil:
			return nil, fmt.Errorf("model %s: two calls are named %q", m.Name, call.Name)
		}
		if !m.File && call.Op.generated() && call.shape() == (cShape{}) {
			return nil, fmt.Errorf("model %s: call %q: the executor has no shape for these arguments and this answer",
				m.Name, call.Name)
		}
		if call.Optional != "" && !m.offers(call.Optional) {
			return nil, fmt.Errorf("model %s: call %q: unknown capability %q", m.Name, call.Name, call.Optional)
		}
		m.byOp[call.Op] = call
		m.byName[call.Name] = call
	}
	begin := Set(None)
	if m.File { // no call makes the solver, and none ends it
		begin |= Set(Start)
	}
	reached := m.closure(begin, func(from, to State) (State, State) { return from, to })
	if lost := m.States() &^ reached; lost != 0 {
		return nil, fmt.Errorf("model %s: no call sequence reaches %v", m.Name, lost)
	}
	for i := range m.Calls {
		if m.Calls[i].Legal&reached == 0 {
			return nil, fmt.Errorf("model %s: call %q is legal only in states that nothing reaches", m.Name, m.Calls[i].Name)
		}
	}
	ending := m.closure(Set(None), func(from, to State) (State, State) { return to, from })
	if stuck := m.States() &^ ending; stuck != 0 && !m.File {
		return nil, fmt.Errorf("model %s: no call sequence leads from %v to a release", m.Name, stuck)
	}
	return &m, nil
}

// offers reports whether a row says what the capability is, or every model has it.
func (m *Model) offers(capability string) bool {
	return slices.ContainsFunc(usual, func(c Capability) bool { return c.Name == capability }) ||
		slices.ContainsFunc(m.Calls, func(c Call) bool { return c.Optional == capability && c.Offers != "" })
}

// closure adds to the set all states that transitions reach from it. orient may reverse the
// transitions.
func (m *Model) closure(set States, orient func(from, to State) (State, State)) States {
	for {
		before := set
		for _, t := range m.Transitions() {
			if from, to := orient(t.From, t.To); set.Has(from) {
				set |= Set(to)
			}
		}
		if set == before {
			return set
		}
	}
}

// A Transition is one arrow of the state diagram.
type Transition struct {
	From State
	Call *Call
	When Condition
	To   State
}

// Transitions lists all arrows in table order.
func (m *Model) Transitions() []Transition {
	var all []Transition
	for i := range m.Calls {
		call := &m.Calls[i]
		for _, from := range call.Legal.List() {
			if len(call.Steps) == 0 {
				all = append(all, Transition{from, call, Always, from})
			}
			for _, step := range call.Steps {
				all = append(all, Transition{from, call, step.When, step.Then})
			}
		}
	}
	return all
}

// Usage returns the text form of the call: "soft LITERAL WEIGHT".
func (call *Call) Usage() string {
	parts := []string{call.Name}
	for _, a := range call.Args {
		parts = append(parts, a.String())
	}
	return strings.Join(parts, " ")
}

func mustNew(m Model) *Model {
	model, err := New(m)
	if err != nil {
		panic(err) // a bug in the tables of this package
	}
	return model
}
