package family

// A layer is a range of variables, as in CNFuzz (BLB10 section 2.1). A clause belongs to a layer. It
// takes its variables from that layer or, with a chance that falls from layer to layer, from earlier
// ones. It prefers literals that no clause of their layer has: the first ones in the layer's part of
// Builder.unused.
type layer struct {
	low, high int32
	soft      bool
	clauses   int
	first     int // of its literals in Builder.unused
	unused    int
}

// addLayer makes a layer of width new variables, or as many as fit, and reports
// whether any did.
func (b *Builder) addLayer(width int) bool {
	low, high := b.variables(width)
	if high < low {
		return false
	}
	l := layer{low: low, high: high, first: len(b.unused)}
	for v := low; v <= high; v++ {
		b.unused = append(b.unused, v, -v)
	}
	l.unused = len(b.unused) - l.first
	b.layers = append(b.layers, l)
	return true
}

// fromLayer draws a literal for a clause of layer i whose variable the clause does not have. It returns
// 0 if a few tries find none.
func (b *Builder) fromLayer(i int, away uint32) int32 {
	const tries = 12
	for try := range tries {
		at := i
		for at > 0 && b.OneIn(away) {
			at--
		}
		l := &b.layers[at]
		if l.unused > 0 && try < tries/2 {
			pick := l.first + int(b.Below(uint32(l.unused)))
			lit := b.unused[pick]
			if b.holds(max(lit, -lit)) {
				continue
			}
			l.unused--
			last := l.first + l.unused
			b.unused[pick], b.unused[last] = b.unused[last], lit
			return lit
		}
		if v := b.among(l.low, l.high); !b.holds(v) {
			return b.sign(v)
		}
	}
	return 0
}

// layerClause makes a clause of layer i. One literal in away strays to the layer
// before, and from there again.
func (b *Builder) layerClause(i, length int, away uint32, soft bool) bool {
	for range length {
		if lit := b.fromLayer(i, away); lit != 0 {
			b.lits = append(b.lits, lit)
		}
	}
	return b.end(soft)
}

// The family cnfuzz follows BLB10, section 2.1, paragraph CNFuzz.
const (
	cnfuzzMostLayers = 20
	cnfuzzLeastWidth = 10
	cnfuzzMostWidth  = 70
	cnfuzzLeastRatio = 300 // clauses for 100 variables of the layer's width
	cnfuzzMostRatio  = 450
	cnfuzzShortest   = 3
	cnfuzzLonger     = 3  // one clause in three is longer by one, one of these by two, and so on
	cnfuzzLongest    = 20 // the paper names no maximum
	cnfuzzAway       = 2  // one literal in two is from the layer before, and so on
)

func makeCNFuzz(b *Builder) {
	layers := b.Between(1, cnfuzzMostLayers)
	widest := b.Between(cnfuzzLeastWidth, cnfuzzMostWidth)
	for i := range layers {
		if !b.addLayer(b.Between(cnfuzzLeastWidth, widest)) {
			break
		}
		l := b.layers[i]
		width := int(l.high - l.low + 1)
		for range b.Between(cnfuzzLeastRatio, cnfuzzMostRatio) * width / 100 {
			b.layerClause(i, b.growing(cnfuzzShortest, cnfuzzLongest, cnfuzzLonger), cnfuzzAway, false)
		}
	}
	b.soften()
}
