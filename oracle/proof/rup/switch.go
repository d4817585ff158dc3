package rup

import "slices"

// On makes a clause active. Root finds out what follows from it.
func (c *Clauses) On(ref Ref) {
	c.live++
	flags := &c.words[ref+flagWord]
	before := *flags
	*flags = before&^(watched0|watched1) | active
	if before&tautology != 0 {
		return
	}
	lits := c.lits(ref)
	switch len(lits) {
	case 0:
		c.pending = append(c.pending, ref)
		c.setConflict(ref)
		return
	case 1:
		c.words[ref+nextWord] = int32(c.units[lits[0]])
		c.units[lits[0]] = ref
		switch c.value[lits[0]] {
		case -1:
			c.pending = append(c.pending, ref)
			c.setConflict(ref)
		case 0:
			c.assign(lits[0], ref)
		}
		return
	}
	first, second := lits[0], lits[1]
	open := c.chooseWatches(lits)
	if lits[0] != first || before&watched0 == 0 {
		c.watch(ref, lits[0], lits[1], before)
	}
	if lits[1] != second || before&watched1 == 0 {
		c.watch(ref, lits[1], lits[0], before)
	}
	switch {
	case open == 0:
		c.setConflict(ref)
	case open == 1 && c.value[lits[0]] == 0:
		c.assign(lits[0], ref)
	}
}

func (c *Clauses) setConflict(ref Ref) {
	if c.conflict == 0 {
		c.conflict = ref
	}
}

// chooseWatches moves up to two literals that are not false to the front, and returns their number.
func (c *Clauses) chooseWatches(lits []int32) int {
	found := 0
	for i, l := range lits {
		if c.value[l] >= 0 {
			lits[i], lits[found] = lits[found], lits[i]
			if found++; found == 2 {
				break
			}
		}
	}
	return found
}

func (c *Clauses) watch(ref Ref, l, blocker, flags int32) {
	if flags&core != 0 {
		c.core[l] = append(c.core[l], watch{ref, blocker})
	} else {
		c.rest[l] = append(c.rest[l], watch{ref, blocker})
	}
}

// IsReason reports whether a literal of the root is true because of the clause.
func (c *Clauses) IsReason(ref Ref) bool {
	lits := c.lits(ref)
	for i := 0; i < len(lits) && i < 2; i++ {
		if c.value[lits[i]] > 0 && c.reason[lits[i]>>1] == ref {
			return true
		}
	}
	return false
}

// Off makes an active clause inactive. Its entries in watch lists stay until propagation visits them.
func (c *Clauses) Off(ref Ref) {
	c.live--
	flags := &c.words[ref+flagWord]
	*flags = *flags&^active | watched0 | watched1
	if *flags&tautology != 0 {
		return
	}
	lits := c.lits(ref)
	if c.conflict != 0 {
		// After a conflict the root may be incomplete. Without the clause there may be no
		// conflict, so propagation starts again.
		c.conflict, c.isBroken = 0, true
	}
	if len(lits) == 1 {
		*flags &^= watched0 | watched1
		c.unlink(lits[0], ref)
	}
	for i := 0; i < len(lits) && i < 2; i++ {
		if l := lits[i]; c.value[l] > 0 && c.reason[l>>1] == ref {
			c.shorten(int(c.place[l>>1]))
			break
		}
	}
}

// Drop makes a clause inactive for good. Its memory is free after Collect.
func (c *Clauses) Drop(ref Ref) {
	if c.is(ref, active) {
		c.Off(ref)
	}
	if c.is(ref, core) {
		c.coreCount--
	}
	c.words[ref+flagWord] |= dead
	c.garbage += header + c.Size(ref)
	if c.firstDead == 0 || ref < c.firstDead {
		c.firstDead = ref
	}
}

// unlink takes a clause out of the list of unit clauses of a literal.
func (c *Clauses) unlink(l int32, ref Ref) {
	if c.units[l] == ref {
		c.units[l] = Ref(c.words[ref+nextWord])
		return
	}
	for at := c.units[l]; at != 0; at = Ref(c.words[at+nextWord]) {
		if Ref(c.words[at+nextWord]) == ref {
			c.words[at+nextWord] = c.words[ref+nextWord]
			return
		}
	}
}

// shorten takes back the literals of the root from a place on, except those that have unit clauses. Then propagation
// must start again to find what else follows: a literal that satisfied a clause may be open now, while the clause
// watches a false one.
func (c *Clauses) shorten(place int) {
	popped := c.trail[place:]
	for _, l := range popped {
		c.value[l], c.value[l^1] = 0, 0
	}
	c.trail = c.trail[:place]
	c.isBroken = true
	for _, l := range popped {
		if unit := c.units[l]; unit != 0 && c.value[l] == 0 {
			c.assign(l, unit)
		}
	}
}

// Root propagates without assumptions and returns a clause that is then false, or 0.
func (c *Clauses) Root() Ref {
	if c.isBroken {
		c.isBroken = false
		c.coreHead, c.restHead = 0, 0
		c.settle()
	}
	if c.conflict == 0 {
		c.conflict = c.propagate()
		if c.conflict != 0 {
			c.isBroken = true
		}
	}
	return c.conflict
}

// settle looks again at clauses of at most one literal that have contradicted the root, because no watch list has them.
func (c *Clauses) settle() {
	kept := c.pending[:0]
	for _, ref := range c.pending {
		if !c.is(ref, active) {
			continue
		}
		kept = append(kept, ref)
		if lits := c.lits(ref); len(lits) == 0 || c.value[lits[0]] < 0 {
			c.setConflict(ref)
		} else if c.value[lits[0]] == 0 {
			c.assign(lits[0], ref)
		}
	}
	c.pending = kept
}

// Find returns an active clause of the index with exactly these literals, or 0.
func (c *Clauses) Find(index *Index, lits []int32) Ref { return c.find(index, lits, active) }

// FindOff returns an inactive clause of the index with exactly these literals, or 0.
func (c *Clauses) FindOff(index *Index, lits []int32) Ref { return c.find(index, lits, 0) }

func (c *Clauses) find(index *Index, lits []int32, state int32) (found Ref) {
	c.each(index, lits, state, func(ref Ref) bool {
		found = ref
		return false
	})
	return found
}

// FindCopy returns an active clause of the index with exactly these literals, or 0. isNeeded reports whether the clause
// is in the core and there is no other such clause.
func (c *Clauses) FindCopy(index *Index, lits []int32) (found Ref, isNeeded bool) {
	c.each(index, lits, active, func(ref Ref) bool {
		isOnly := found == 0
		if isOnly || c.is(found, core) {
			found = ref
		}
		isNeeded = isOnly && c.is(ref, core)
		return isNeeded
	})
	return found, isNeeded
}

// each calls f for the clauses of the index with exactly these literals until f returns false.
func (c *Clauses) each(index *Index, lits []int32, state int32, f func(Ref) bool) {
	stamp := c.newMark()
	distinct, sum := 0, hash{}
	for _, lit := range lits {
		l := c.literal(lit)
		if c.mark[l] != stamp {
			c.mark[l] = stamp
			sum.add(l)
			distinct++
		}
	}
	for ref := index.first(sum); ref != 0; ref = Ref(c.words[ref+linkWord]) {
		clause := c.lits(ref)
		if len(clause) == distinct && c.words[ref+flagWord]&active == state &&
			!slices.ContainsFunc(clause, func(l int32) bool { return c.mark[l] != stamp }) && !f(ref) {
			return
		}
	}
}
