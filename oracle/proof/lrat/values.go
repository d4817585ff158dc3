package lrat

// values are the literals assumed true while the checker checks a clause. A literal is true if its entry is the
// number of that check, so that nothing needs clearing. An array has the small variables, a map the others, so that
// a clause over the variable 2^31-1 needs no gigabytes.
type values struct {
	current uint32
	dense   []uint32 // by 2*variable, plus 1 for the negative literal
	sparse  map[int32]uint32
	wanted  uint64 // the largest index so far that a somewhat longer dense would have
}

func (v *values) reset(formula []int32) {
	highest := int32(0)
	for _, literal := range formula {
		highest = max(highest, literal, -literal)
	}
	size := 2 * min(int64(highest)+1, 8*int64(len(formula))+64)
	if int64(len(v.dense)) < size {
		v.dense = make([]uint32, size)
	}
	if len(v.sparse) > 1<<16 {
		v.sparse = nil
	}
	v.wanted = 0
	v.forget()
}

func (v *values) forget() {
	v.current++
	if v.current == 0 {
		clear(v.dense)
		clear(v.sparse)
		v.current = 1
	}
	if v.wanted >= uint64(len(v.dense)) { // no value is valid now, so none is lost
		v.dense = append(v.dense, make([]uint32, v.wanted+1)...)
	}
}

func (v *values) makeTrue(literal int32) {
	i := place(literal)
	if i < uint64(len(v.dense)) {
		v.dense[i] = v.current
		return
	}
	if i < 2*uint64(len(v.dense)) { // extension variables follow those of the formula
		v.wanted = max(v.wanted, i)
	}
	if v.sparse == nil {
		v.sparse = map[int32]uint32{}
	}
	v.sparse[literal] = v.current
}

func (v *values) forgetOne(literal int32) {
	if i := place(literal); i < uint64(len(v.dense)) {
		v.dense[i] = 0
		return
	}
	delete(v.sparse, literal)
}

func (v *values) isFalse(literal int32) bool {
	if i := place(-literal); i < uint64(len(v.dense)) {
		return v.dense[i] == v.current
	}
	return v.sparse[-literal] == v.current
}

func place(literal int32) uint64 {
	if literal < 0 {
		return 2*uint64(-int64(literal)) + 1
	}
	return 2 * uint64(literal)
}
