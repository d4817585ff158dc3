package apimodel

import "strings"

// An Effect says what a call does to a solver, whatever the call answers. Code that reduces,
// exports or compares traces asks for an effect, so it needs no list of calls.
type Effect uint8

const (
	// Asks: the call returns a fact and changes nothing.
	Asks Effect = 1 << iota
	// Poses: the call adds to the problem, for good or for one solve, or changes it.
	Poses
	// Clears: the call ends what holds for one solve, as solve does.
	Clears
	// Renews: the call begins or ends a solver, so everything before it is forgotten.
	Renews
	// Steers: the call may change how a solver searches and when it gives up, but not
	// which answers are right.
	Steers
	// Hints: the call names one literal, and does not change which answers are right.
	Hints
)

// ShapesProblem holds the effects of calls that decide which problem a solve gets.
const ShapesProblem = Poses | Clears | Renews

var effectNames = [...]string{"asks", "poses", "clears", "renews", "steers", "hints"}

// String lists the names of the effects.
func (e Effect) String() string { return strings.Join(e.names(), ", ") }

func (e Effect) names() []string {
	var names []string
	for i, name := range effectNames {
		if e&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Row returns the row of the first model that has the operation, or nil.
func (op Op) Row() *Call { return operations[op].row }

// Does reports whether the operation has at least one of the effects.
func (op Op) Does(effects Effect) bool { return operations[op].does&effects != 0 }

// AsksAnswer reports whether the operation asks about the answer of the last
// solve, and is legal only after one.
func (op Op) AsksAnswer() bool { return operations[op].ofAnswer }

// Reply returns the type of the operation's answer.
func (op Op) Reply() Reply { return operations[op].reply }

// Form returns how the binary trace encodes the arguments of the operation.
func (op Op) Form() Form { return operations[op].form }

// HasLits reports whether calls of the operation carry literals.
func (op Op) HasLits() bool { return operations[op].form.HasLits() }

// IsClause reports whether calls of the operation give a clause of the formula, hard or soft.
func (op Op) IsClause() bool { return op == OpClause || op == OpSoftClause }

// IsSoft reports whether calls of the operation give a weight: to a literal or to a clause.
func (op Op) IsSoft() bool { return op == OpSoft || op == OpSoftClause }

// Optimizes reports whether the solves of the model look for a solution of least cost.
func (m *Model) Optimizes() bool { return m.Call(OpObj) != nil }

// Binds reports whether calls of the operation put the variables that they list into a block
// of the prefix.
func (op Op) Binds() bool { return operations[op].binds }

// HasNumber reports whether calls of the operation carry a number other than a weight.
func (op Op) HasNumber() bool {
	return operations[op].form == FormNumber || operations[op].form == FormLong
}

// Most returns the largest number that the operation takes.
func (op Op) Most() uint64 { return operations[op].most }
