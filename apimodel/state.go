package apimodel

import (
	"math/bits"
	"strings"
)

// A State is the state of one solver instance. The header files name five: INPUT, SAT,
// UNSAT, OPTIMAL, ERROR. Three more follow from their prose: None before init and after
// release, Start of a new solver while it has got only options and callbacks (some options
// may be set only there), and Clause inside an unfinished clause.
type State uint8

const (
	None State = iota
	Start
	Input
	Clause
	Sat
	Unsat
	Optimal
	Error
	numStates
)

var stateNames = [numStates]string{"NONE", "START", "INPUT", "CLAUSE", "SAT", "UNSAT", "OPTIMAL", "ERROR"}

// stateDocs describes the states for the reference pages.
var stateDocs = [numStates]string{
	"There is no solver: before init, after release.",
	"A new solver: only options, callbacks and the like were called.",
	"The formula is being built, or the last solve was interrupted without a solution.",
	"A clause is open: its 0 is missing.",
	"The last solve has a solution, and no call since has left the state.",
	"The last solve found that there is no solution.",
	"The last solve has an optimal solution.",
	"The last solve answered 40: some call is not supported.",
}

// String returns the name of the state, such as INPUT.
func (s State) String() string {
	if s < numStates {
		return stateNames[s]
	}
	return "STATE?"
}

// States is a set of states. The checker tracks the set of possible states, because it does
// not run traces and so does not know the answers of solves.
type States uint16

// Set returns the set of the given states.
func Set(states ...State) States {
	var set States
	for _, s := range states {
		set |= 1 << s
	}
	return set
}

// Has reports whether s is in the set.
func (set States) Has(s State) bool { return set&(1<<s) != 0 }

// List returns the states in the set in order of declaration.
func (set States) List() []State {
	list := make([]State, 0, bits.OnesCount16(uint16(set)))
	for s := range numStates {
		if set.Has(s) {
			list = append(list, s)
		}
	}
	return list
}

// String lists the names of the states.
func (set States) String() string {
	if set == 0 {
		return "no state"
	}
	var names []string
	for _, s := range set.List() {
		names = append(names, s.String())
	}
	return strings.Join(names, " or ")
}
