package oracle

// A lit is a literal of an instance: the index of its variable, doubled, plus
// one when it is negated. Indices are dense, variable numbers are not.
type lit uint32

func (l lit) index() int { return int(l >> 1) }
func (l lit) sign() int  { return int(l & 1) } // 1: negated
func (l lit) not() lit   { return l ^ 1 }

// A value is what a solution says of a variable.
type value uint8

const (
	unasked   value = iota
	isTrue          // = trueOf(0)
	isFalse         // = trueOf(1)
	isZero          // val returned 0: "not important"
	contested       // answers contradicted each other: nothing is concluded from it
)

// trueOf is the value that makes a literal of that sign true.
func trueOf(sign int) value { return isTrue + value(sign) }

func (v value) known() bool { return v == isTrue || v == isFalse }

// A failure is what failed said of an assumption.
type failure uint8

const (
	notTold failure = iota
	didNotFail
	didFail
	toldBoth
)

// A variable is all that one instance knows of one variable. The epoch of an
// instance is the number of its current solve; what carries another epoch is
// out of date, so that nothing has to be cleared between solves.
type variable struct {
	number   int32
	slot     uint32
	life     uint32     // the last life of the instance in which a call that was made named it
	epoch    uint32     // of value
	assumed  [2]uint32  // by sign: the epoch that the literal is assumed in
	weight   [2]uint64  // by sign: what it costs to make that literal true
	failed   [2]failure // by sign, of the assumptions of the current epoch
	value    value
	soft     bool // listed in softs
	dim      int8 // its dimension in the instance's cube, -1 without
	free     int8 // its dimension in the judge's scratch cube, while freeIn is the current use of that
	freeIn   uint32
	listedIn uint32    // the last model answer that it stands in
	failedIn [2]uint32 // by sign: the last core answer that the literal stands in
}

// variables numbers the variables of an instance in order of first occurrence.
// Small variable numbers, which is nearly all of them, are looked up in an
// array, the others in a small open-addressing table. Both are cheap to empty.
type variables struct {
	all   []variable
	small [smallNumbers]uint32 // index+1 by number, 0 for none
	slots []uint32             // index+1, 0 for empty; a power of two of them, at most half full
}

const smallNumbers = 256

// reset forgets all variables. Only what is in use is cleared: after one large
// trace, small ones must not pay for the size of its table.
func (vs *variables) reset() {
	for i := range vs.all {
		if v := &vs.all[i]; uint32(v.number) < smallNumbers {
			vs.small[v.number] = 0
		} else {
			vs.slots[v.slot] = 0
		}
	}
	vs.all = vs.all[:0]
}

func (vs *variables) home(number int32) uint32 {
	return uint32(uint64(uint32(number)*0x9E3779B1) * uint64(len(vs.slots)) >> 32)
}

// find returns the index of the variable, -1 when it was never named.
func (vs *variables) find(number int32) int {
	if uint32(number) < smallNumbers {
		return int(vs.small[number]) - 1
	}
	if len(vs.slots) == 0 {
		return -1
	}
	return int(vs.slots[vs.slotOf(number)]) - 1
}

// slotOf returns the slot that the number is in, or the empty one that it
// would go into.
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

// index returns the index of the variable and adds it when it is new.
func (vs *variables) index(number int32) int {
	if uint32(number) < smallNumbers {
		if e := vs.small[number]; e != 0 {
			return int(e - 1)
		}
	}
	return vs.add(number)
}

func (vs *variables) add(number int32) int {
	if uint32(number) < smallNumbers {
		vs.all = append(vs.all, variable{number: number, dim: -1})
		vs.small[number] = uint32(len(vs.all))
		return len(vs.all) - 1
	}
	if 2*len(vs.all) >= len(vs.slots) {
		vs.enlarge()
	}
	s := vs.slotOf(number)
	if e := vs.slots[s]; e != 0 {
		return int(e - 1)
	}
	vs.all = append(vs.all, variable{number: number, slot: s, dim: -1})
	vs.slots[s] = uint32(len(vs.all))
	return len(vs.all) - 1
}

func (vs *variables) enlarge() {
	vs.slots = make([]uint32, max(64, 2*len(vs.slots)))
	for i := range vs.all {
		if v := &vs.all[i]; uint32(v.number) >= smallNumbers {
			v.slot = vs.slotOf(v.number)
			vs.slots[v.slot] = uint32(i + 1)
		}
	}
}

// literal turns a literal of the trace into one of the instance.
func (vs *variables) literal(number int32) lit {
	sign := lit(0)
	if number < 0 {
		number, sign = -number, 1
	}
	return lit(vs.index(number))<<1 | sign
}

// numberOf turns a literal back.
func (vs *variables) numberOf(l lit) int32 {
	n := vs.all[l.index()].number
	if l.sign() == 1 {
		return -n
	}
	return n
}
