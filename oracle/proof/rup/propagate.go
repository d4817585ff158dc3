package rup

func (c *Clauses) assign(l int32, reason Ref) {
	c.value[l], c.value[l^1] = 1, -1
	c.reason[l>>1] = reason
	c.place[l>>1] = int32(len(c.trail))
	c.trail = append(c.trail, l)
}

// backtrack takes back the assignments of the trail from index length on.
func (c *Clauses) backtrack(length int) {
	for _, l := range c.trail[length:] {
		c.value[l], c.value[l^1] = 0, 0
	}
	c.trail = c.trail[:length]
	c.coreHead, c.restHead = min(c.coreHead, length), min(c.restHead, length)
}

// propagate finds out what follows and returns a clause that is false then, or 0. It prefers clauses of the core, so
// that few others join it.
func (c *Clauses) propagate() Ref {
	for {
		var conflict Ref
		switch {
		case c.coreHead < len(c.trail):
			l := c.trail[c.coreHead] ^ 1
			c.coreHead++
			if len(c.core[l]) > 0 {
				conflict = c.visit(l, c.core)
			}
		case c.restHead < len(c.trail):
			l := c.trail[c.restHead] ^ 1
			c.restHead++
			if len(c.rest[l]) > 0 {
				conflict = c.visit(l, c.rest)
			}
		default:
			return 0
		}
		if conflict != 0 {
			return conflict
		}
	}
}

// visit looks at the clauses that watch a literal that has become false. It removes entries of clauses that are
// inactive or watch other literals by now, and moves those of new core clauses.
func (c *Clauses) visit(falsified int32, lists [][]watch) Ref {
	list := lists[falsified]
	words, value := c.words, c.value
	isRest := &lists[0] == &c.rest[0]
	to := 0
	for i, w := range list {
		if value[w.blocker] > 0 {
			list[to] = w
			to++
			continue
		}
		ref := w.clause
		flags := words[ref+flagWord]
		size := uint64(words[ref+sizeWord])
		lits := words[uint64(ref)+header:][:size:size]
		if flags&active == 0 {
			if lits[0] == falsified {
				words[ref+flagWord] = flags &^ watched0
			} else if lits[1] == falsified {
				words[ref+flagWord] = flags &^ watched1
			}
			continue
		}
		other := lits[0]
		if other == falsified {
			other = lits[1]
			lits[0], lits[1] = other, falsified
		} else if lits[1] != falsified {
			continue
		}
		if value[other] <= 0 {
			found := false
			for k := 2; k < len(lits); k++ {
				l := lits[k]
				if value[l] >= 0 {
					lits[1], lits[k] = l, falsified
					if flags&core != 0 {
						c.core[l] = append(c.core[l], watch{ref, other})
					} else {
						c.rest[l] = append(c.rest[l], watch{ref, other})
					}
					found = true
					break
				}
			}
			if found {
				continue
			}
		}
		if isRest && flags&core != 0 {
			c.core[falsified] = append(c.core[falsified], watch{ref, other})
		} else {
			list[to] = watch{ref, other}
			to++
		}
		switch value[other] {
		case 0:
			c.assign(other, ref)
		case -1:
			lists[falsified] = list[:to+copy(list[to:], list[i+1:])]
			return ref
		}
	}
	lists[falsified] = list[:to]
	return 0
}

// Follows reports whether unit propagation shows that the literals cannot all be false. Its assumptions stay, for
// Resolves, until Done. If isMarked is set, the conflict is marked: clauses that it needs join the core.
func (c *Clauses) Follows(lits []int32, isMarked bool) bool {
	return c.assume(c.literals(lits), 1, isMarked)
}

// IsImplied is Follows for the literals of an inactive clause.
func (c *Clauses) IsImplied(ref Ref, isMarked bool) bool {
	return c.assume(c.lits(ref), 1, isMarked)
}

// Contradicts reports whether unit propagation shows that the literals cannot all be true.
func (c *Clauses) Contradicts(lits []int32) bool {
	defer c.Done()
	return c.assume(c.literals(lits), 0, false)
}

func (c *Clauses) literals(lits []int32) []int32 {
	c.inner = c.inner[:0]
	for _, lit := range lits {
		c.inner = append(c.inner, c.literal(lit))
	}
	return c.inner
}

// assume makes the literals true or, if the sign is 1, false. It reports whether that leads to a conflict.
func (c *Clauses) assume(lits []int32, sign int32, isMarked bool) bool {
	conflict := c.Root()
	c.rootLength = len(c.trail)
	if conflict != 0 {
		c.need(conflict, isMarked)
		return true
	}
	for _, l := range lits {
		if c.suppose(l^sign, isMarked) {
			return true
		}
	}
	if conflict := c.propagate(); conflict != 0 {
		c.need(conflict, isMarked)
		return true
	}
	return false
}

// suppose makes a literal true. It reports whether the literal is false already.
func (c *Clauses) suppose(l int32, isMarked bool) bool {
	switch c.value[l] {
	case -1:
		c.needLiteral(l, isMarked)
		return true
	case 0:
		c.assign(l, 0)
	}
	return false
}

// Done takes back what Follows assumed.
func (c *Clauses) Done() { c.backtrack(c.rootLength) }

// Resolves reports whether unit propagation shows that the clause, without the negation of the pivot, contradicts what
// Follows has assumed.
func (c *Clauses) Resolves(ref Ref, pivot int32, isMarked bool) bool {
	not := c.literal(-pivot)
	length := len(c.trail)
	defer c.backtrack(length)
	for _, l := range c.lits(ref) {
		if l != not && c.suppose(l^1, isMarked) {
			return true
		}
	}
	if conflict := c.propagate(); conflict != 0 {
		c.need(conflict, isMarked)
		return true
	}
	return false
}

// need marks a false clause, and the clauses that made it false, as core.
func (c *Clauses) need(conflict Ref, isMarked bool) {
	if !isMarked {
		return
	}
	stamp := c.newMark()
	c.stack = c.stack[:0]
	c.needClause(conflict, stamp)
	c.needReasons(stamp)
}

// needLiteral marks the clauses that made a literal false as core.
func (c *Clauses) needLiteral(l int32, isMarked bool) {
	if !isMarked {
		return
	}
	stamp := c.newMark()
	c.stack = append(c.stack[:0], l>>1)
	c.mark[l&^1] = stamp
	c.needReasons(stamp)
}

func (c *Clauses) needReasons(stamp uint32) {
	for len(c.stack) > 0 {
		v := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if ref := c.reason[v]; ref != 0 {
			c.needClause(ref, stamp)
		}
	}
}

func (c *Clauses) needClause(ref Ref, stamp uint32) {
	c.MarkCore(ref)
	for _, l := range c.lits(ref) {
		if v := l >> 1; c.mark[l&^1] != stamp {
			c.mark[l&^1] = stamp
			c.stack = append(c.stack, v)
		}
	}
}

// MarkCore marks a clause as part of the core.
func (c *Clauses) MarkCore(ref Ref) {
	if flags := &c.words[ref+flagWord]; *flags&core == 0 {
		*flags |= core
		c.coreCount++
	}
}
