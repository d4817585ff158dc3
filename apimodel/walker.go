package apimodel

import "fmt"

// A Walker follows the instances of one trace through a model. The answer of a
// solve is not known beforehand, so for each instance it keeps the set of the
// states that are possible. A call is legal when it is legal in at least one of
// them; when the run then meets a state in which it is not, the executor
// withholds the call and says so in the answers.
type Walker struct {
	model  *Model
	states map[uint16]States
}

// NewWalker returns a walker at the beginning of a trace.
func NewWalker(m *Model) *Walker {
	return &Walker{model: m, states: make(map[uint16]States, 2)}
}

// Reset puts the walker back to the beginning of a trace of model m.
func (w *Walker) Reset(m *Model) {
	w.model = m
	clear(w.states)
}

// States returns the states that the instance may be in.
func (w *Walker) States(instance uint16) States {
	if set, ok := w.states[instance]; ok {
		return set
	}
	return Set(None)
}

// Fresh reports whether no call has named the instance yet, so that its first
// call implies init.
func (w *Walker) Fresh(instance uint16) bool {
	_, touched := w.states[instance]
	return !touched
}

// Live calls visit for every instance that may hold a solver.
func (w *Walker) Live(visit func(instance uint16, states States)) {
	for instance, set := range w.states {
		if set&^Set(None) != 0 {
			visit(instance, set)
		}
	}
}

// An IllegalCall says which states a call met and which it needs.
type IllegalCall struct {
	Call  *Call
	Met   States
	Needs States
}

func (e *IllegalCall) Error() string {
	return fmt.Sprintf("%s is not legal here: the solver is in state %v, the call needs %v", e.Call.Name, e.Met, e.Needs)
}

// Outcome is what the walker is told of a call beyond its operation. Closed is
// for clauses; Status is the answer of a solve where a trace states it.
type Outcome struct {
	Open      bool // the clause has no final 0
	HasStatus bool
	Status    int
}

// Step takes one call of one instance. It changes nothing when it returns an error.
func (w *Walker) Step(instance uint16, op Op, o Outcome) error {
	call := w.model.Call(op)
	if call == nil {
		return fmt.Errorf("model %s has no such call (operation %d)", w.model.Name, op)
	}
	met := w.States(instance)
	if w.Fresh(instance) && !call.Legal.Has(None) {
		met = Set(Start)
	}
	if met&call.Legal == 0 {
		return &IllegalCall{Call: call, Met: met, Needs: call.Legal}
	}
	after := met &^ call.Legal // where the call would be withheld the state stays
	for _, s := range (met & call.Legal).List() {
		next, err := after1(call, s, o)
		if err != nil {
			return err
		}
		after |= next
	}
	if op != OpSignature || !w.Fresh(instance) {
		w.states[instance] = after
	}
	return nil
}

func after1(call *Call, s State, o Outcome) (States, error) {
	switch {
	case len(call.Steps) == 0:
		return Set(s), nil
	case call.Reply == ReplyStatus && o.HasStatus:
		c, known := AnswerCondition(o.Status)
		next, ok := call.Leads(s, c)
		if !known || !ok {
			return 0, fmt.Errorf("%s cannot answer %d", call.Name, o.Status)
		}
		return Set(next), nil
	case call.Reply == ReplyStatus:
		var set States
		for _, step := range call.Steps {
			set |= Set(step.Then)
		}
		return set, nil
	}
	c := ClauseClosed
	if o.Open {
		c = ClauseOpen
	}
	next, _ := call.Leads(s, c)
	return Set(next), nil
}
