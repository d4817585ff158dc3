package problem

import "github.com/ipafuzz/ipafuzz/internal/reuse"

// A Lit is a literal of an instance: twice the index of its variable, plus one if it is negated. Indices are
// dense, numbers of variables are not.
type Lit uint32

// Index returns the index of the variable.
func (l Lit) Index() int { return int(l >> 1) }

// Sign returns 1 if the literal is negated, and otherwise 0.
func (l Lit) Sign() int { return int(l & 1) }

// Not returns the negation of the literal.
func (l Lit) Not() Lit { return l ^ 1 }

// SignOf returns the sign of a literal that a call names.
func SignOf(number int32) int { return int(uint32(number) >> 31) }

// A Value is what a solution says about a variable.
type Value uint8

const (
	Unasked   Value = iota
	True            // = TrueOf(0)
	False           // = TrueOf(1)
	Zero            // val returned 0: "not important"
	Contested       // answers contradict each other
)

// TrueOf returns the value that makes a literal of that sign true.
func TrueOf(sign int) Value { return True + Value(sign) }

// Known reports whether the value is true or false.
func (v Value) Known() bool { return v == True || v == False }

// A Failure is what failed answered about an assumption.
type Failure uint8

const (
	NotTold Failure = iota
	DidNotFail
	DidFail
	ToldBoth
)

// A Variable is what an instance knows about a variable. The epoch of an instance is the number of its last solve.
// Data with another epoch is out of date, so nothing needs clearing between solves.
type Variable struct {
	Number   int32
	slot     uint32
	Life     uint32     // the last life in which an executed call named it, other than a query
	Queried  uint32     // the last life in which a query named it
	Epoch    uint32     // the epoch of value
	assumed  [2]uint32  // by sign: the epoch of the solve that assumes the literal
	Weight   [2]uint64  // by sign: what the literal costs if it is true
	Failed   [2]Failure // by sign, for the assumptions of the current epoch
	Value    Value
	soft     bool // listed in softs
	Hidden   bool // represents a constraint: no call names it
	Dim      int8 // its dimension in the instance's cube; -1: none
	Free     int8 // its dimension in the search numbered FreeIn
	FreeIn   uint32
	ListedIn uint32    // the last model answer that listed it
	FailedIn [2]uint32 // by sign: the last core answer that listed the literal
}

// Variables gives the variables of an instance indices, in order of first occurrence. It looks up small numbers, which
// nearly all are, in an array, and the others in a hash table with open addressing. Both are cheap to clear.
type Variables struct {
	All   []Variable
	small [2 * smallNumbers]Lit // by number + smallNumbers: 1 + the literal; 0: none
	slots []uint32              // 1 + an index; 0: empty. Their number is a power of two, and at most half are full.
}

const smallNumbers = 256

// isSmall reports whether the array has the literals of the variable with that number.
func isSmall(number int32) bool { return uint32(number) < smallNumbers }

// setSmall sets the array entries of the two literals of a small variable.
func (vs *Variables) setSmall(number int32, positive, negative Lit) {
	vs.small[smallNumbers+number], vs.small[smallNumbers-number] = positive, negative
}

// Reset forgets all variables. It clears only what is in use, so that after a large trace, small ones do not pay
// for the size of its table.
func (vs *Variables) Reset() {
	for i := range vs.All {
		if v := &vs.All[i]; isSmall(v.Number) {
			vs.setSmall(v.Number, 0, 0)
		} else {
			vs.slots[v.slot] = 0
		}
	}
	vs.All = reuse.Empty(vs.All)
}

func (vs *Variables) home(number int32) uint32 {
	return uint32(uint64(uint32(number)*0x9E3779B1) * uint64(len(vs.slots)) >> 32)
}

// Find returns the index of the variable, or -1 if no call has named it.
func (vs *Variables) Find(number int32) int {
	switch {
	case isSmall(number):
		if l := vs.small[smallNumbers+number]; l != 0 {
			return (l - 1).Index()
		}
	case len(vs.slots) > 0 && vs.slots[vs.slotOf(number)] != 0:
		return int(vs.slots[vs.slotOf(number)]) - 1
	}
	return -1
}

// slotOf returns the slot of the number, or the empty slot for it.
func (vs *Variables) slotOf(number int32) uint32 {
	mask := uint32(len(vs.slots) - 1)
	s := vs.home(number)
	for {
		if e := vs.slots[s]; e == 0 || vs.All[e-1].Number == number {
			return s
		}
		s = (s + 1) & mask
	}
}

// Literal converts a literal of the trace into one of the instance. A new variable gets an index. Following a trace
// spends most of its time here.
func (vs *Variables) Literal(number int32) Lit {
	l, known := vs.known(number)
	if !known {
		l = vs.lookUp(number)
	}
	return l
}

// known returns the literal of a small variable that has an index. The compiler inlines it, unlike literal.
func (vs *Variables) known(number int32) (l Lit, known bool) {
	if n := uint32(number + smallNumbers); n < 2*smallNumbers {
		l = vs.small[n]
	}
	return l - 1, l != 0
}

// lookUp is literal for a variable that is new or large.
func (vs *Variables) lookUp(number int32) Lit {
	if number < 0 {
		return vs.lookUp(-number).Not()
	}
	l := Lit(len(vs.All)) << 1
	if isSmall(number) {
		vs.setSmall(number, l+1, l.Not()+1)
		vs.All = append(vs.All, Variable{Number: number, Dim: -1})
		return l
	}
	if 2*len(vs.All) >= len(vs.slots) {
		vs.enlarge()
	}
	s := vs.slotOf(number)
	if e := vs.slots[s]; e != 0 {
		return Lit(e-1) << 1
	}
	vs.All = append(vs.All, Variable{Number: number, slot: s, Dim: -1})
	vs.slots[s] = uint32(len(vs.All))
	return l
}

func (vs *Variables) enlarge() {
	vs.slots = make([]uint32, max(64, 2*len(vs.slots)))
	for i := range vs.All {
		if v := &vs.All[i]; !isSmall(v.Number) {
			v.slot = vs.slotOf(v.Number)
			vs.slots[v.slot] = uint32(i + 1)
		}
	}
}

// NumberOf converts a literal of the instance into one of the trace.
func (vs *Variables) NumberOf(l Lit) int32 {
	n := vs.All[l.Index()].Number
	if l.Sign() == 1 {
		return -n
	}
	return n
}
