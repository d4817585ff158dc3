package apimodel

import "fmt"

// A Walker follows the instances of a trace through a model. Since the answers of solves
// are unknown, it keeps the set of possible states of each instance. A call is legal if it
// is legal in one of them. If the run reaches another state, the executor withholds the
// call and says so in the answers.
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

// Fresh reports whether no call has named the instance yet. The first call implies
// init.
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

// An IllegalCall reports the states that a call met and those that it needs.
type IllegalCall struct {
	Call  *Call
	Met   States
	Needs States
}

// Error returns the message.
func (e *IllegalCall) Error() string {
	return fmt.Sprintf("%s is not legal here: the solver is in state %v, the call needs %v", e.Call.Name, e.Met, e.Needs)
}

// An Outcome decides between the steps of a call. Status is the expected answer of a solve,
// if there is one.
type Outcome struct {
	Open      bool // a clause without its final 0
	HasStatus bool
	Status    int
}

// Step makes one call of one instance. If it returns an error, nothing has changed.
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
	after := met &^ call.Legal // the state stays where the call is withheld
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
