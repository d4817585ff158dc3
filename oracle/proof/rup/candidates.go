package rup

// Candidates calls f for every active clause with the literal until f returns false. It reports
// whether f always returned true.
func (c *Clauses) Candidates(lit int32, f func(Ref) bool) bool {
	c.countOccurrences()
	l := c.literal(lit)
	if int(l) >= len(c.occurs) {
		return true
	}
	for _, ref := range c.occurs[l] {
		if c.is(ref, active) && !f(ref) {
			return false
		}
	}
	return true
}

// countOccurrences brings the lists of clauses by literal up to date. Only proofs with RAT lemmas pay for these lists.
func (c *Clauses) countOccurrences() {
	if c.counted == 0 {
		c.counted = header
	}
	for int(c.counted) < len(c.words) {
		ref := c.counted
		c.counted += Ref(header + c.Size(ref))
		if c.is(ref, dead) {
			continue
		}
		for _, l := range c.lits(ref) {
			for int(l) >= len(c.occurs) {
				c.occurs = append(c.occurs, nil)
			}
			c.occurs[l] = append(c.occurs[l], ref)
		}
	}
}

// Moves has the new names of the clauses that are left after Collect.
type Moves struct {
	first Ref   // clauses before it keep their names
	names []Ref // new names of the clauses from first on; nil: all of them are gone
}

// Of returns the new name of a clause, or 0 if it is gone. There is an entry for as many words as a header has, so
// that no two clauses share one.
func (m *Moves) Of(ref Ref) Ref {
	switch {
	case ref < m.first:
		return ref
	case m.names == nil:
		return 0
	}
	return m.names[(ref-m.first)/header]
}

// wordsBetweenSheds is the number of moved words after which Collect returns memory to the system.
const wordsBetweenSheds = 1 << 22

// Collect frees the memory of dropped clauses, if these take more than half of it, and updates the index. It
// returns the new names, or nil if it did nothing. There must be no assumptions.
func (c *Clauses) Collect(index *Index) *Moves { return c.collect(index, 1<<20) }

func (c *Clauses) collect(index *Index, least int) *Moves {
	if c.garbage < least || 2*c.garbage < len(c.words) {
		return nil
	}
	moved := &Moves{first: c.firstDead}
	if c.garbage == len(c.words)-int(c.firstDead) { // as in a backward check of a proof without deletions
		c.words = c.words[:c.firstDead]
	} else {
		c.move(moved)
	}
	c.garbage, c.firstDead = 0, 0
	for l := range c.core {
		c.core[l] = moved.list(c.core[l])
		c.rest[l] = moved.list(c.rest[l])
		c.units[l] = moved.Of(c.units[l])
	}
	for v := range c.reason {
		c.reason[v] = moved.Of(c.reason[v])
	}
	if moved.names != nil {
		c.renameNext(moved)
	}
	c.conflict = moved.Of(c.conflict)
	kept := c.pending[:0]
	for _, ref := range c.pending {
		if ref = moved.Of(ref); ref != 0 {
			kept = append(kept, ref)
		}
	}
	c.pending = kept
	c.occurs, c.counted = nil, 0
	index.rebuild(c, len(index.heads))
	return moved
}

// move closes the gaps between the clauses after the first one that is gone.
func (c *Clauses) move(moved *Moves) {
	to, shed := int(moved.first), int(moved.first)
	moved.names = make([]Ref, (len(c.words)-to)/header+1)
	for at := to; at < len(c.words); {
		length := header + c.Size(Ref(at))
		if !c.is(Ref(at), dead) {
			moved.names[(at-int(moved.first))/header] = Ref(to)
			copy(c.words[to:], c.words[at:at+length])
			to += length
		}
		if at += length; at-shed > wordsBetweenSheds {
			c.Shed()
			shed = at
		}
	}
	c.words = c.words[:to]
}

// renameNext updates the lists of unit clauses.
func (c *Clauses) renameNext(moved *Moves) {
	shed := 0
	for at := header; at < len(c.words); at += header + c.Size(Ref(at)) {
		if c.Size(Ref(at)) == 1 && c.is(Ref(at), active) {
			c.words[at+nextWord] = int32(moved.Of(Ref(c.words[at+nextWord])))
		}
		if at-shed > wordsBetweenSheds {
			c.Shed()
			shed = at
		}
	}
}

// list updates a watch list and drops the entries of clauses that are gone.
func (m *Moves) list(list []watch) []watch {
	to := 0
	for _, w := range list {
		if ref := m.Of(w.clause); ref != 0 {
			list[to] = watch{ref, w.blocker}
			to++
		}
	}
	return list[:to]
}
