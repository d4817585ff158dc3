package rup

// A hash of literals does not depend on their order.
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

// An Index finds clauses by their literals. Clauses with the same head form a list. Its links are words of the clauses,
// which may be in a file, so that an Index of many clauses takes little memory. A set has one Index.
type Index struct {
	heads []Ref // their number is a power of two
	live  int
}

// Insert adds a clause.
func (x *Index) Insert(c *Clauses, ref Ref) {
	if x.live == len(x.heads) {
		x.rebuild(c, max(1024, 4*len(x.heads)))
	}
	x.live++
	c.words[ref+flagWord] |= indexed
	x.link(c, ref)
}

// link makes a clause the first of its list.
func (x *Index) link(c *Clauses, ref Ref) {
	head := x.head(c.hash(ref))
	c.words[ref+linkWord] = int32(*head)
	*head = ref
}

func (x *Index) head(hash uint32) *Ref { return &x.heads[hash&uint32(len(x.heads)-1)] }

// Remove removes a clause, if the index has it.
func (x *Index) Remove(c *Clauses, ref Ref) {
	if !c.is(ref, indexed) {
		return
	}
	x.live--
	c.words[ref+flagWord] &^= indexed
	next := c.words[ref+linkWord]
	head := x.head(c.hash(ref))
	if *head == ref {
		*head = Ref(next)
		return
	}
	for at := *head; ; at = Ref(c.words[at+linkWord]) {
		if link := &c.words[at+linkWord]; Ref(*link) == ref {
			*link = next
			return
		}
	}
}

// rebuild makes all lists anew.
func (x *Index) rebuild(c *Clauses, size int) {
	*x = Index{heads: make([]Ref, size)}
	shed := 0
	for at := header; at < len(c.words); at += header + c.Size(Ref(at)) {
		if c.is(Ref(at), indexed) {
			x.link(c, Ref(at))
			x.live++
		}
		if at-shed > wordsBetweenSheds {
			c.Shed()
			shed = at
		}
	}
}

func (c *Clauses) hash(ref Ref) uint32 {
	var h hash
	for _, l := range c.lits(ref) {
		h.add(l)
	}
	return h.value()
}

// first returns the first clause of the list for the hash, or 0.
func (x *Index) first(h hash) Ref {
	if len(x.heads) == 0 {
		return 0
	}
	return *x.head(h.value())
}
