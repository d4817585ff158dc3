package oracle

import "github.com/ipafuzz/ipafuzz/internal/reuse"

// A lit is a literal of an instance: twice the index of its variable, plus one if it is negated. Indices are
// dense, numbers of variables are not.
type lit uint32

func (l lit) index() int { return int(l >> 1) }
func (l lit) sign() int  { return int(l & 1) } // 1: negated
func (l lit) not() lit   { return l ^ 1 }

// signOf returns the sign of a literal that a call names.
func signOf(number int32) int { return int(uint32(number) >> 31) }

// A value is what a solution says about a variable.
type value uint8

const (
	unasked   value = iota
	isTrue          // = trueOf(0)
	isFalse         // = trueOf(1)
	isZero          // val returned 0: "not important"
	contested       // answers contradict each other
)

// trueOf returns the value that makes a literal of that sign true.
func trueOf(sign int) value { return isTrue + value(sign) }

func (v value) known() bool { return v == isTrue || v == isFalse }

// A failure is what failed answered about an assumption.
type failure uint8

const (
	notTold failure = iota
	didNotFail
	didFail
	toldBoth
)

// A variable is what an instance knows about a variable. The epoch of an instance is the number of its last solve.
// Data with another epoch is out of date, so nothing needs clearing between solves.
type variable struct {
	number   int32
	slot     uint32
	life     uint32     // the last life in which an executed call named it, other than a query
	queried  uint32     // the last life in which a query named it
	epoch    uint32     // the epoch of value
	assumed  [2]uint32  // by sign: the epoch of the solve that assumes the literal
	weight   [2]uint64  // by sign: what the literal costs if it is true
	failed   [2]failure // by sign, for the assumptions of the current epoch
	value    value
	soft     bool // listed in softs
	hidden   bool // represents a constraint: no call names it
	dim      int8 // its dimension in the instance's cube; -1: none
	free     int8 // its dimension in freeVariables, if freeIn is the current use
	freeIn   uint32
	listedIn uint32    // the last model answer that listed it
	failedIn [2]uint32 // by sign: the last core answer that listed the literal
}

// variables gives the variables of an instance indices, in order of first occurrence. It looks up small numbers, which
// nearly all are, in an array, and the others in a hash table with open addressing. Both are cheap to clear.
type variables struct {
	all   []variable
	small [2 * smallNumbers]lit // by number + smallNumbers: 1 + the literal; 0: none
	slots []uint32              // 1 + an index; 0: empty. Their number is a power of two, and at most half are full.
}

const smallNumbers = 256

// isSmall reports whether the array has the literals of the variable with that number.
func isSmall(number int32) bool { return uint32(number) < smallNumbers }

// setSmall sets the array entries of the two literals of a small variable.
func (vs *variables) setSmall(number int32, positive, negative lit) {
	vs.small[smallNumbers+number], vs.small[smallNumbers-number] = positive, negative
}

// reset forgets all variables. It clears only what is in use, so that after a large trace, small ones do not pay
// for the size of its table.
func (vs *variables) reset() {
	for i := range vs.all {
		if v := &vs.all[i]; isSmall(v.number) {
			vs.setSmall(v.number, 0, 0)
		} else {
			vs.slots[v.slot] = 0
		}
	}
	vs.all = reuse.Empty(vs.all)
}

func (vs *variables) home(number int32) uint32 {
	return uint32(uint64(uint32(number)*0x9E3779B1) * uint64(len(vs.slots)) >> 32)
}

// find returns the index of the variable, or -1 if no call has named it.
func (vs *variables) find(number int32) int {
	switch {
	case isSmall(number):
		if l := vs.small[smallNumbers+number]; l != 0 {
			return (l - 1).index()
		}
	case len(vs.slots) > 0 && vs.slots[vs.slotOf(number)] != 0:
		return int(vs.slots[vs.slotOf(number)]) - 1
	}
	return -1
}

// slotOf returns the slot of the number, or the empty slot for it.
func (vs *variables) slotOf(number int32) uint32 {
	mask := uint32(len(vs.slots) - 1)
	s := vs.home(number)
	for {
		if e := vs.slots[s]; e == 0 || vs.all[e-1].number == number {
			return s
		}
		s = (s + 1) & mask
	}
}

// literal converts a literal of the trace into one of the instance. A new variable gets an index. Following a trace
// spends most of its time here.
func (vs *variables) literal(number int32) lit {
	l, known := vs.known(number)
	if !known {
		l = vs.lookUp(number)
	}
	return l
}

// known returns the literal of a small variable that has an index. The compiler inlines it, unlike literal.
func (vs *variables) known(number int32) (l lit, known bool) {
	if n := uint32(number + smallNumbers); n < 2*smallNumbers {
		l = vs.small[n]
	}
	return l - 1, l != 0
}

// lookUp is literal for a variable that is new or large.
func (vs *variables) lookUp(number int32) lit {
	if number < 0 {
		return vs.lookUp(-number).not()
	}
	l := lit(len(vs.all)) << 1
	if isSmall(number) {
		vs.setSmall(number, l+1, l.not()+1)
		vs.all = append(vs.all, variable{number: number, dim: -1})
		return l
	}
	if 2*len(vs.all) >= len(vs.slots) {
		vs.enlarge()
	}
	s := vs.slotOf(number)
	if e := vs.slots[s]; e != 0 {
		return lit(e-1) << 1
	}
	vs.all = append(vs.all, variable{number: number, slot: s, dim: -1})
	vs.slots[s] = uint32(len(vs.all))
	return l
}

func (vs *variables) enlarge() {
	vs.slots = make([]uint32, max(64, 2*len(vs.slots)))
	for i := range vs.all {
		if v := &vs.all[i]; !isSmall(v.number) {
			v.slot = vs.slotOf(v.number)
			vs.slots[v.slot] = uint32(i + 1)
		}
	}
}

// numberOf converts a literal of the instance into one of the trace.
func (vs *variables) numberOf(l lit) int32 {
	n := vs.all[l.index()].number
	if l.sign() == 1 {
		return -n
	}
	return n
}
