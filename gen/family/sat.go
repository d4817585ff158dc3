package family

// The family 3sat follows BLB10, section 2.1, paragraph 3SATGen.
const (
	sat3LeastVars  = 10
	sat3MostVars   = 400
	sat3LeastRatio = 300 // clauses for 100 variables
	sat3MostRatio  = 500
)

func make3SAT(b *Builder) {
	low, high := b.variables(b.Between(sat3LeastVars, sat3MostVars))
	ratio := b.Between(sat3LeastRatio, sat3MostRatio)
	for range int(high-low+1) * ratio / 100 {
		if !b.randomClause(3, low, high, false) {
			break
		}
	}
	b.soften()
}

// The family sat4j follows P24, sections 4.1.2 to 4.1.5, algorithms 3 and 4.
const (
	sat4jLeastVars       = 20
	sat4jMostVars        = 200 // of every increment
	sat4jRatio           = 260 // clauses for 100 new variables
	sat4jMostIncrements  = 5
	sat4jEnumeration     = 5   // one trace in five enumerates
	sat4jEnumerationVars = 20  // at most
	sat4jEnumerationRate = 500 // clauses for 100 variables
	sat4jUniform         = 2   // one clause in two has three literals
	sat4jUnit            = 10  // of a thousand other clauses
	sat4jBinary          = 100 // of a thousand, units included
	sat4jLonger          = 6   // one in six grows by one, one of these by two, and so on
	sat4jLongest         = 20  // the paper names no maximum
)

func makeSat4j(b *Builder) {
	enumerate := b.OneIn(sat4jEnumeration)
	increments := b.Between(1, sat4jMostIncrements)
	if enumerate {
		increments = 1
		b.f.Wish = Enumeration
	} else {
		b.f.Wish = AddAndSolve
		b.f.Tenths = b.Flip()
	}
	for range increments {
		width, ratio := b.Between(sat4jLeastVars, sat4jMostVars), sat4jRatio
		if enumerate {
			width, ratio = b.Between(1, sat4jEnumerationVars), sat4jEnumerationRate
		}
		low, high := b.variables(width)
		for range int(high-low+1) * ratio / 100 {
			if !b.randomClause(b.sat4jLength(), 1, high, false) {
				break
			}
		}
		b.f.Cuts = append(b.f.Cuts, uint32(len(b.f.clauses)))
	}
	b.soften()
}

func (b *Builder) sat4jLength() int {
	if b.OneIn(sat4jUniform) {
		return 3
	}
	switch k := b.Below(1000); {
	case k < sat4jUnit:
		return 1
	case k < sat4jBinary:
		return 2
	}
	return b.growing(3, sat4jLongest, sat4jLonger)
}
