package rup

// Candidates calls f for every active clause with the literal until f returns false, and reports
// whether it never did.
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

// countOccurrences brings the lists of clauses up to date. Only proofs with lemmas that do not follow
// by propagation pay for them.
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

// Collect frees the memory of dropped clauses when they are the greater part. It returns nil, or the
// new name of every clause that is left; the index is brought up to date. Nothing may be assumed.
func (c *Clauses) Collect(index *Index) map[Ref]Ref { return c.collect(index, 1<<20) }

func (c *Clauses) collect(index *Index, least int) map[Ref]Ref {
	if c.garbage < least || 2*c.garbage < len(c.words) {
		return nil
	}
	moved := map[Ref]Ref{0: 0}
	to := header
	for at := header; at < len(c.words); {
		length := header + c.Size(Ref(at))
		if !c.is(Ref(at), dead) {
			moved[Ref(at)] = Ref(to)
			copy(c.words[to:], c.words[at:at+length])
			to += length
		}
		at += length
	}
	c.words, c.garbage = c.words[:to], 0
	for l := range c.core {
		c.core[l] = move(moved, c.core[l])
		c.rest[l] = move(moved, c.rest[l])
		c.units[l] = moved[c.units[l]]
	}
	for v := range c.reason {
		c.reason[v] = moved[c.reason[v]]
	}
	for at := header; at < len(c.words); at += header + c.Size(Ref(at)) {
		if c.Size(Ref(at)) == 1 && c.is(Ref(at), active) {
			c.words[at+pivotWord] = int32(moved[Ref(c.words[at+pivotWord])])
		}
	}
	c.conflict = moved[c.conflict]
	kept := c.pending[:0]
	for _, ref := range c.pending {
		if ref = moved[ref]; ref != 0 {
			kept = append(kept, ref)
		}
	}
	c.pending = kept
	c.occurs, c.counted = nil, 0
	old := *index
	*index = Index{}
	for _, s := range old.slots {
		if ref := moved[s.ref]; s.ref > removed && ref != 0 {
			index.Insert(c, ref)
		}
	}
	return moved
}

// move brings a watch list up to date. Entries of clauses that are gone are left out.
func move(moved map[Ref]Ref, list []watch) []watch {
	to := 0
	for _, w := range list {
		if ref := moved[w.clause]; ref != 0 {
			list[to] = watch{ref, w.blocker}
			to++
		}
	}
	return list[:to]
}
