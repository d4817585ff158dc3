package apimodel

import "fmt"

// A Walker follows the instances of a trace through a model. It does not know the answers of
// solves, so it keeps the set of possible states of each instance. A call is legal if it is
// legal in one of them. If the run reaches another state, the executor withholds the call and
// answers so.
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

// Fresh reports whether no call has named the instance yet. A signature does not count.
func (w *Walker) Fresh(instance uint16) bool {
	_, touched := w.states[instance]
	return !touched
}

// Live calls visit for every instance that may have a solver now.
func (w *Walker) Live(visit func(instance uint16, states States)) {
	for instance, set := range w.states {
		if set&^Set(None) != 0 {
			visit(instance, set)
		}
	}
}

// An IllegalCall reports a call in none of the states that it needs. Met are the possible
// states before the call.
type IllegalCall struct {
	Call  *Call
	Met   States
	Needs States
}

// Error returns the message.
func (e *IllegalCall) Error() string {
	return fmt.Sprintf("%s is not legal here: the solver is in state %v, the call needs %v", e.Call.Name, e.Met, e.Needs)
}

// An Outcome decides between the steps of a call.
type Outcome struct {
	Open      bool // the call is a clause without its final 0
	HasStatus bool // the call is a solve, and Status its expected answer
	Status    int
}

// Met returns the possible states of the instance before a call. The first call of an instance
// implies an init, unless it is legal without a solver.
func (w *Walker) Met(instance uint16, call *Call) States {
	if w.Fresh(instance) && !call.Legal.Has(None) {
		return Set(Start)
	}
	return w.States(instance)
}

// Refuse returns an *IllegalCall unless the call is legal. It does not make the call.
func (w *Walker) Refuse(instance uint16, call *Call) error {
	if met := w.Met(instance, call); met&call.Legal == 0 {
		return &IllegalCall{Call: call, Met: met, Needs: call.Legal}
	}
	return nil
}

// Step makes one call of one instance. If it returns an error, nothing has changed.
func (w *Walker) Step(instance uint16, op Op, o Outcome) error {
	call := w.model.Call(op)
	if call == nil {
		return fmt.Errorf("model %s has no such call (operation %d)", w.model.Name, op)
	}
	if err := w.Refuse(instance, call); err != nil {
		return err
	}
	met := w.Met(instance, call)
	after := met &^ call.Legal // in these states, the executor withholds the call
	for _, s := range (met & call.Legal).List() {
		next, err := statesAfter(call, s, o)
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

func statesAfter(call *Call, s State, o Outcome) (States, error) {
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
