package rup

// hash does not depend on the order of literals.
type hash struct{ sum, xor uint64 }

func (h *hash) add(l int32) {
	x := uint64(l) + 1
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	h.sum += x
	h.xor ^= x * 0xbf58476d1ce4e5b9
}

func (h *hash) value() uint32 {
	x := h.sum ^ h.xor>>7
	x *= 0x94d049bb133111eb
	return uint32(x >> 32)
}

// An Index finds clauses by their literals.
type Index struct {
	slots []slot
	used  int // with removed ones
	live  int
}

type slot struct {
	hash uint32
	ref  Ref // 0 is free, removed was one
}

const removed = 1 // no clause starts there

// Insert adds a clause.
func (x *Index) Insert(c *Clauses, ref Ref) {
	if 4*(x.used+1) > 3*len(x.slots) {
		x.grow()
	}
	sum := c.hash(ref)
	mask := uint32(len(x.slots) - 1)
	at := sum & mask
	for x.slots[at].ref != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = slot{sum, ref}
	x.used++
	x.live++
}

// Remove takes a clause out.
func (x *Index) Remove(c *Clauses, ref Ref) {
	if len(x.slots) == 0 {
		return
	}
	mask := uint32(len(x.slots) - 1)
	for at := c.hash(ref) & mask; x.slots[at].ref != 0; at = (at + 1) & mask {
		if x.slots[at].ref == ref {
			x.slots[at].ref = removed
			x.live--
			return
		}
	}
}

func (x *Index) grow() { x.rebuild(func(ref Ref) Ref { return ref }) }

// rename brings the names of clauses up to date.
func (x *Index) rename(moved *Moves) {
	x.live = 0
	for _, s := range x.slots {
		if s.ref > removed && moved.Of(s.ref) != 0 {
			x.live++
		}
	}
	x.rebuild(moved.Of)
}

func (x *Index) rebuild(name func(Ref) Ref) {
	size := 1024
	for size < 2*x.live {
		size *= 2
	}
	old := x.slots
	x.slots = make([]slot, size)
	x.used = x.live
	for _, s := range old {
		if s.ref <= removed {
			continue
		}
		ref := name(s.ref)
		if ref == 0 {
			continue
		}
		at := s.hash & uint32(size-1)
		for x.slots[at].ref != 0 {
			at = (at + 1) & uint32(size-1)
		}
		x.slots[at] = slot{s.hash, ref}
	}
}

func (c *Clauses) hash(ref Ref) uint32 {
	var h hash
	for _, l := range c.lits(ref) {
		h.add(l)
	}
	return h.value()
}

// A position in an Index, among the clauses that may have the hash.
type position struct {
	index *Index
	hash  uint32
	at    uint32
}

func (x *Index) first(h hash) position {
	p := position{index: x, hash: h.value()}
	if len(x.slots) > 0 {
		p.at = p.hash & uint32(len(x.slots)-1)
	}
	return p.skip()
}

func (p position) skip() position {
	for p.more() {
		if s := p.index.slots[p.at]; s.ref > removed && s.hash == p.hash {
			return p
		}
		p.at = (p.at + 1) & uint32(len(p.index.slots)-1)
	}
	return p
}

func (p position) more() bool { return len(p.index.slots) > 0 && p.index.slots[p.at].ref != 0 }

func (p position) ref() Ref { return p.index.slots[p.at].ref }

func (p position) next() position {
	p.at = (p.at + 1) & uint32(len(p.index.slots)-1)
	return p.skip()
}
