package family

// The family parts makes layers of clauses for several solves, in the sizes of the traces of other API
// fuzzers: at five calls for a clause, about 500 to 7,500 calls. There are few clauses for a variable,
// so that simple solvers decide the formulas, too. All numbers are our choice.
const (
	partsLeastClauses = 140
	partsMostClauses  = 1500
	partsDoublings    = 4   // 140, 280, 560 or 1,120 clauses, or up to twice as many
	partsLeastRatio   = 180 // clauses for 100 variables
	partsMostRatio    = 360
	partsLeastWidth   = 8 // of a layer
	partsMostWidth    = 60
	partsShortest     = 3
	partsLonger       = 4 // one clause in four is longer by one, one of these by two, and so on
	partsLongest      = 12
	partsShorter      = 6 // one clause in six has a literal less, one of these two, and so on
	partsAway         = 3 // one literal in three is from the layer before, and so on
	partsMostUnits    = 40
	partsSoftShare    = 40 // of a thousand clauses, in one formula of two
)

func makeParts(b *Builder) {
	least := partsLeastClauses << b.Below(partsDoublings)
	clauses := b.Between(least, min(2*least, partsMostClauses))
	clauses = max(1, min(clauses, b.limits.Calls-partsMostUnits))
	ratio := b.Between(partsLeastRatio, partsMostRatio)
	b.f.Wish = AddAndSolve
	for len(b.f.clauses) < clauses && b.partsLayer(ratio, clauses) {
	}
	b.softUnits(b.Between(1, partsMostUnits))
	if b.Flip() {
		b.softenClauses(partsSoftShare)
	}
	b.weigh(evenWeights, b.largestWeight())
}

// partsLayer makes a layer and its clauses, until the formula has as many clauses as given. It reports
// whether there was room for the layer.
func (b *Builder) partsLayer(ratio, clauses int) bool {
	if !b.addLayer(b.Between(partsLeastWidth, partsMostWidth)) {
		return false
	}
	l := b.layers[len(b.layers)-1]
	n := max(1, int(l.high-l.low+1)*ratio/100)
	for range min(n, clauses-len(b.f.clauses)) {
		length := b.growing(partsShortest, partsLongest, partsLonger)
		for length <= partsShortest && length > 1 && b.OneIn(partsShorter) {
			length--
		}
		if !b.layerClause(len(b.layers)-1, length, partsAway, false) {
			return false
		}
	}
	return true
}
