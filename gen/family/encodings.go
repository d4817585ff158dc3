package family

// These families are in no paper. They have encodings and structures that solvers and preprocessors
// treat specially. All numbers are our choice.

const (
	encodedMostVars  = 40
	encodedMostParts = 6
	encodedMostGroup = 10
	encodedMostBound = 4
)

// makePBish makes cardinality constraints, and pseudo-Boolean ones with small coefficients. It encodes
// them as sequential counters and totalizers.
func makePBish(b *Builder) {
	low, high := b.variables(max(2, min(b.Between(4, encodedMostVars), b.limits.Vars/2)))
	for range b.Between(1, encodedMostParts) {
		b.group(low, high, b.Between(2, encodedMostGroup))
		if b.Chance(300) { // coefficients: literals repeated up to three times
			for range b.Between(1, 4) {
				b.ints = append(b.ints, b.ints[b.Below(uint32(len(b.ints)))])
			}
		}
		bound := b.Between(1, min(encodedMostBound, max(1, len(b.ints)-1)))
		if b.Flip() {
			b.counter(bound)
		} else {
			b.totalizer(bound)
		}
	}
	for range int(high-low+1) / 2 {
		b.randomClause(b.growing(2, 5, 2), low, high, false)
	}
	b.softGoals(low, high)
}

// group draws n literals of distinct variables into b.ints.
func (b *Builder) group(low, high int32, n int) {
	b.ints = b.ints[:0]
	n = min(n, int(high-low+1))
	for len(b.ints) < n {
		v := b.among(low, high)
		taken := false
		for _, l := range b.ints {
			taken = taken || l == v || l == -v
		}
		if !taken {
			b.ints = append(b.ints, b.sign(v))
		}
	}
}

// counter demands that at most bound of the literals in b.ints are true. It makes a sequential counter,
// whose variable now[j] says that j of the literals so far are true.
func (b *Builder) counter(bound int) {
	var before, after [encodedMostBound + 1]int32
	for i, l := range b.ints {
		for j := 1; j <= bound; j++ {
			if after[j] = b.fresh(); after[j] == 0 {
				return
			}
			if j == 1 {
				b.hard(-l, after[1])
			}
			if i > 0 {
				b.hard(-before[j], after[j])
				if j > 1 && before[j-1] != 0 {
					b.hard(-before[j-1], -l, after[j])
				}
			}
		}
		if i > 0 {
			b.hard(-before[bound], -l)
		}
		before = after
	}
}

// totalizer makes the same demand with a tree of unary sums. b.queue holds the sums that the tree has
// yet to add, each as its length and its literals.
func (b *Builder) totalizer(bound int) {
	b.queue = b.queue[:0]
	for _, l := range b.ints {
		b.queue = append(b.queue, 1, l)
	}
	for head := 0; head < len(b.queue); {
		left := b.queue[head+1 : head+1+int(b.queue[head])]
		next := head + 1 + len(left)
		if next >= len(b.queue) {
			for j := bound; j < len(left); j++ {
				b.hard(-left[j])
			}
			return
		}
		right := b.queue[next+1 : next+1+int(b.queue[next])]
		head = next + 1 + len(right)
		size := min(len(left)+len(right), bound+1)
		if b.f.Vars+size > b.limits.Vars || b.limits.Calls < len(left)*len(right)+size {
			return
		}
		first, _ := b.variables(size)
		for i := 0; i <= len(left); i++ {
			for j := 0; j <= len(right); j++ {
				if i+j == 0 {
					continue
				}
				b.lits = b.lits[:0]
				if i > 0 {
					b.lits = append(b.lits, -left[i-1])
				}
				if j > 0 && (i == 0 || right[j-1] != left[i-1]) {
					if i > 0 && right[j-1] == -left[i-1] {
						continue
					}
					b.lits = append(b.lits, -right[j-1])
				}
				b.lits = append(b.lits, first+int32(min(i+j, size))-1)
				b.end(false)
			}
		}
		b.queue = append(b.queue, int32(size))
		for k := range size {
			b.queue = append(b.queue, first+int32(k))
		}
	}
}

// softGoals makes unit soft clauses of variables, now and then makes a part of the clauses soft, and
// draws the weights.
func (b *Builder) softGoals(low, high int32) {
	n := int(high - low + 1)
	for v := low; v <= high; v++ {
		if b.Below(uint32(n)) < 20 {
			b.soft(b.sign(v))
		}
	}
	if b.Chance(200) {
		b.softenClauses(100)
	}
	how := evenWeights
	switch b.Below(6) {
	case 0:
		how = levelWeights
	case 1:
		how = tightWeights
	}
	b.weigh(how, b.largestWeight())
}

// makeAMO makes chains of at-most-one constraints that share variables. It encodes each by pairs, as a
// counter or as a product.
func makeAMO(b *Builder) {
	low, high := b.variables(max(2, min(b.Between(4, encodedMostVars), 2*b.limits.Vars/3)))
	last := int32(0)
	for range b.Between(1, encodedMostParts) {
		b.group(low, high, b.Between(2, encodedMostGroup))
		if last != 0 && b.ints[0] != last && b.ints[0] != -last {
			distinct := true
			for _, l := range b.ints {
				distinct = distinct && l != last && l != -last
			}
			if distinct {
				b.ints[0] = last // the chain
			}
		}
		last = b.ints[len(b.ints)-1]
		switch b.Below(3) {
		case 0:
			b.pairwise()
		case 1:
			b.counter(1)
		default:
			b.product()
		}
		if b.Flip() { // exactly one
			b.lits = append(b.lits[:0], b.ints...)
			b.end(false)
		}
	}
	b.softGoals(low, high)
}

func (b *Builder) pairwise() {
	for i, x := range b.ints {
		for _, y := range b.ints[:i] {
			b.hard(-x, -y)
		}
	}
}

// product demands that at most one of the literals in b.ints is true. Every literal has a row and a
// column, and at most one row and one column are true.
func (b *Builder) product() {
	side := 1
	for side*side < len(b.ints) {
		side++
	}
	if b.f.Vars+2*side > b.limits.Vars {
		b.pairwise()
		return
	}
	rows, _ := b.variables(side)
	columns, _ := b.variables(side)
	for i, l := range b.ints {
		b.hard(-l, rows+int32(i/side))
		b.hard(-l, columns+int32(i%side))
	}
	for i := range int32(side) {
		for j := range i {
			b.hard(-(rows + i), -(rows + j))
			b.hard(-(columns + i), -(columns + j))
		}
	}
}

// makeEquivalences hides classes of equivalent literals, which preprocessors look for, among random
// clauses. Each class is a ring of implications.
func makeEquivalences(b *Builder) {
	low, high := b.variables(b.Between(4, 60))
	for range b.Between(1, encodedMostParts) {
		b.group(low, high, b.Between(2, 8))
		for i, l := range b.ints {
			next := b.ints[(i+1)%len(b.ints)]
			if l != next {
				b.hard(-l, next)
			}
			if b.Chance(200) {
				b.hard(l, -next)
			}
		}
	}
	for range int(high-low+1) * b.Between(50, 200) / 100 {
		b.randomClause(b.growing(2, 6, 2), low, high, false)
	}
	b.softGoals(low, high)
}

// makePigeons makes pigeon-hole formulas with one pigeon too many, some of them without a few clauses. It makes the
// clauses of the pigeons soft, or those of the holes, or adds soft units.
func makePigeons(b *Builder) {
	holes := b.Between(1, 5)
	for holes > 1 && holes*(holes+1) > b.limits.Vars {
		holes--
	}
	pigeons := holes + 1
	if holes*pigeons > b.limits.Vars {
		pigeons = max(1, b.limits.Vars/holes)
	}
	first, _ := b.variables(holes * pigeons)
	at := func(pigeon, hole int) int32 { return first + int32(pigeon*holes+hole) }
	soft := b.Below(3) // 0: the clauses of the pigeons, 1: those of the holes, 2: additional units
	missing := uint32(0)
	if b.Chance(300) {
		missing = 100
	}
	for p := range pigeons {
		if b.Chance(missing) {
			continue
		}
		b.lits = b.lits[:0]
		for h := range holes {
			b.lits = append(b.lits, at(p, h))
		}
		b.end(soft == 0)
	}
	for h := range holes {
		for p := range pigeons {
			for q := range p {
				if !b.Chance(missing) {
					b.soft2(soft == 1, -at(p, h), -at(q, h))
				}
			}
		}
	}
	if soft == 2 {
		b.softUnits(b.Between(1, b.f.Vars))
	}
	b.weigh(evenWeights, b.largestWeight())
}

func (b *Builder) soft2(soft bool, x, y int32) {
	b.lits = append(b.lits[:0], x, y)
	b.end(soft)
}

// makeCommunities makes random clauses. Nearly all variables of a clause belong to one community, as in
// industrial formulas.
func makeCommunities(b *Builder) {
	communities := b.Between(2, 8)
	size := b.Between(4, 15)
	low, high := b.variables(communities * size)
	all := int(high - low + 1)
	size = min(size, all)
	communities = max(1, all/size)
	for range all * b.Between(150, 380) / 100 {
		home := low + int32(b.Below(uint32(communities))*uint32(size))
		length := min(b.growing(2, 6, 2), all)
		for tries := 0; len(b.lits) < length && tries < 40; tries++ {
			v := b.among(home, home+int32(size)-1)
			if b.Chance(100) || tries > 20 {
				v = b.among(low, high)
			}
			if !b.holds(v) {
				b.lits = append(b.lits, b.sign(v))
			}
		}
		if !b.end(false) {
			break
		}
	}
	b.softGoals(low, high)
}

// makeCores makes disjoint cores whose optimum is known: an assignment must falsify at least one soft
// clause of each core, or all but one.
func makeCores(b *Builder) {
	b.ints = b.ints[:0]
	b.spans = b.spans[:0]
	for range b.Between(1, 8) {
		size := b.Between(1, 6)
		if b.limits.Vars-b.f.Vars < size || b.limits.Calls < size*size/2+size+1 {
			break
		}
		low, high := b.variables(size)
		allButOne := b.Chance(300)
		b.lits = b.lits[:0]
		for v := low; v <= high; v++ {
			b.lits = append(b.lits, -v)
		}
		if !allButOne {
			b.end(false)
		}
		b.lits = b.lits[:0]
		if allButOne {
			for v := low; v <= high; v++ {
				for w := low; w < v; w++ {
					b.hard(-v, -w)
				}
			}
		}
		b.spans = append(b.spans, span{len(b.f.clauses), size, allButOne})
		for v := low; v <= high; v++ {
			b.lits = append(b.lits[:0], v)
			b.end(true)
		}
	}
	b.weigh(evenWeights, b.largestWeight())
	b.knowOptimum()
}

// A span is the range of the soft clauses of a core.
type span struct {
	first, size int
	allButOne   bool
}

// knowOptimum sets the optimum, the sum of the least costs of the cores, and plants an assignment with
// that cost.
func (b *Builder) knowOptimum() {
	f := b.f
	if b.softCount() != totalSize(b.spans) {
		return // the limits dropped soft clauses
	}
	f.Planted = append(f.Planted[:0], false)
	for range f.Vars {
		f.Planted = append(f.Planted, true)
	}
	f.Exact = true
	for _, s := range b.spans {
		clauses := f.clauses[s.first : s.first+s.size]
		cheapest, dearest, sum := 0, 0, uint64(0)
		for i := range clauses {
			sum += clauses[i].weight
			if clauses[i].weight < clauses[cheapest].weight {
				cheapest = i
			}
			if clauses[i].weight > clauses[dearest].weight {
				dearest = i
			}
		}
		for i := range clauses {
			v := f.literals(&clauses[i])[0]
			f.Planted[v] = s.allButOne == (i == dearest)
			if !s.allButOne {
				f.Planted[v] = i != cheapest
			}
		}
		if s.allButOne {
			f.Optimum += sum - clauses[dearest].weight
		} else {
			f.Optimum += clauses[cheapest].weight
		}
	}
}

func totalSize(spans []span) (n int) {
	for _, s := range spans {
		n += s.size
	}
	return n
}
