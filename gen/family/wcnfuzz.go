package family

// The layered MaxSAT instances of PB26 (section 4.2) and PB23 (section 2.1), in
// their four sizes. The sizes set the numbers that the papers leave open or that
// depend on the version of the program, so that the statistics come close to table 1
// of PB26 (docs/generators.md compares them).

// wcnfuzzSize is what distinguishes the four.
type wcnfuzzSize struct {
	mostLayers   int // PB26: at most 10
	layerDivisor int // smaller versions have fewer layers
	leastWidth   int // of a hard layer
	mostWidth    int // PB26: at most 70, by version
	softWidth    int // widest first soft layer; later ones are narrower
	python       bool
	hardLeast    int // clauses for 100 variables of a hard layer; PB23: 1 to 2.5, PB26: 1 to 3
	hardMost     int
	softLeast    int // of a soft layer; PB23: 3.5 to 5.5, PB26: 4.5 to 7
	softMost     int
	gates        int // of a kind, at most; the more layers, the fewer gates
	gateShare    int // of a kind for 100 variables, at most
}

var (
	sizeC = wcnfuzzSize{
		mostLayers: 10, layerDivisor: 1, leastWidth: 4, mostWidth: 60, softWidth: 12,
		hardLeast: 100, hardMost: 270, softLeast: 350, softMost: 550, gates: 20, gateShare: 50,
	}
	sizePython = wcnfuzzSize{
		mostLayers: 10, layerDivisor: 1, leastWidth: 5, mostWidth: 45, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 45,
	}
	sizeSmall = wcnfuzzSize{
		mostLayers: 10, layerDivisor: 2, leastWidth: 5, mostWidth: 56, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 60,
	}
	sizeTiny = wcnfuzzSize{
		mostLayers: 10, layerDivisor: 3, leastWidth: 5, mostWidth: 68, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 60,
	}
)

// Chances and lengths: from PB26 section 4.2 if no other source is named. A chance is
// one in the number.
const (
	wcnfuzzAway         = 2  // a literal is from an earlier layer
	wcnfuzzAllSoft      = 10 // an instance has only soft clauses
	wcnfuzzUnitSofts    = 4  // an instance has only unit soft clauses
	wcnfuzzGBMO         = 12 // an instance of the Python version has levels of weights
	wcnfuzzTight        = 17 // an instance of the Python version has tight weights
	wcnfuzzLength       = 3
	wcnfuzzLonger       = 3  // a clause is longer by one, and then again
	wcnfuzzShorter      = 10 // a clause of three literals or fewer is shorter by one, and then again
	wcnfuzzLongest      = 20
	wcnfuzzHardGate     = 4  // a gate has no activation literal
	wcnfuzzLastSoft     = 9  // the last layer is hard although there are no soft clauses
	wcnfuzzSoftAgain    = 3  // each soft layer adds it to n in the chance 1/n of another; chosen here
	wcnfuzzLeastSoft    = 4  // narrowest soft layer; chosen here
	wcnfuzzFewerSoft    = 2  // divisor of the layer before, in soft layers of the Python version; chosen here
	wcnfuzzMostArity    = 19 // of an AND gate; chosen here
	wcnfuzzHugeDivisor  = 3  // fewer layers with weights above 2^32; chosen here
	wcnfuzzLargeDivisor = 2  // and above 2^16
)

func makeWCNFuzzC(b *Builder)      { b.wcnfuzz(&sizeC) }
func makeWCNFuzzPython(b *Builder) { b.wcnfuzz(&sizePython) }
func makeWCNFuzzSmall(b *Builder)  { b.wcnfuzz(&sizeSmall) }
func makeWCNFuzzTiny(b *Builder)   { b.wcnfuzz(&sizeTiny) }

func (b *Builder) wcnfuzz(size *wcnfuzzSize) {
	allSoft := b.OneIn(wcnfuzzAllSoft)
	unitSofts := b.OneIn(wcnfuzzUnitSofts)
	layers := b.Between(1, size.mostLayers)
	gates, width := b.wcnfuzzGates(size, layers, allSoft)
	if allSoft && layers > 4 {
		layers /= 2
	}
	layers = max(1, layers/size.layerDivisor)
	how, largest := evenWeights, b.largestWeight()
	if size.python {
		switch {
		case b.OneIn(wcnfuzzGBMO):
			how = levelWeights
		case b.OneIn(wcnfuzzTight):
			how = tightWeights
		}
		if largest > 1<<32 {
			layers = max(1, layers/wcnfuzzHugeDivisor)
		} else if largest > 1<<16 {
			layers = max(1, layers/wcnfuzzLargeDivisor)
		}
	}
	b.wcnfuzzLayers(size, layers, width, allSoft, gates.total())
	for i := range b.layers {
		for range b.layers[i].clauses {
			length := b.wcnfuzzLength()
			if b.layers[i].soft && unitSofts {
				length = 1
			}
			b.layerClause(i, length, wcnfuzzAway, b.layers[i].soft)
		}
	}
	b.wcnfuzzMakeGates(gates.atMost(b.f.Vars*size.gateShare/100), allSoft)
	b.weigh(how, largest)
}

// wcnfuzzLayers decides the width, kind and number of clauses of every layer.
func (b *Builder) wcnfuzzLayers(size *wcnfuzzSize, layers, width int, allSoft bool, gates int) {
	softLayers, previous := 0, 0
	for i := range layers {
		soft := allSoft
		switch {
		case allSoft:
		case softLayers == 0 && i == layers-1 && gates < 3:
			soft = !b.OneIn(wcnfuzzLastSoft)
		default:
			soft = b.OneIn(uint32(2 + wcnfuzzSoftAgain*softLayers))
		}
		wide := b.Between(size.leastWidth, width)
		if soft {
			wide = b.Between(wcnfuzzLeastSoft, max(size.softWidth-softLayers, wcnfuzzLeastSoft))
			softLayers++
		}
		if !b.addLayer(wide) {
			return
		}
		l := &b.layers[i]
		l.soft = soft
		own := int(l.high - l.low + 1)
		ratio := b.Between(size.hardLeast, size.hardMost)
		if soft {
			ratio = b.Between(size.softLeast, size.softMost)
			if size.python {
				previous /= wcnfuzzFewerSoft
			}
		}
		l.clauses = ratio * (own + previous) / 100
		previous = own
	}
}

// wcnfuzzLength draws a clause length.
func (b *Builder) wcnfuzzLength() int {
	length := b.growing(wcnfuzzLength, wcnfuzzLongest, wcnfuzzLonger)
	for length <= wcnfuzzLength && length > 1 && b.OneIn(wcnfuzzShorter) {
		length--
	}
	return length
}

// gateCounts are the gates of an instance, by kind.
type gateCounts struct{ equalities, ands, xors3, xors4 int }

// atMost bounds the number of gates of every kind.
func (g gateCounts) atMost(n int) gateCounts {
	return gateCounts{min(g.equalities, n), min(g.ands, n), min(g.xors3, n), min(g.xors4, n)}
}

func (g gateCounts) total() int { return g.equalities + g.ands + g.xors3 + g.xors4 }

// wcnfuzzGates decides how many gates of each kind there are and how wide a layer
// may be. The more layers and the more kinds so far, the fewer gates.
func (b *Builder) wcnfuzzGates(size *wcnfuzzSize, layers int, allSoft bool) (gates gateCounts, width int) {
	few := layers <= 2 && !allSoft
	against := min(layers, 8)
	most := size.gates - layers
	if few {
		against, most = layers, size.gates*3/2
	}
	gates.ands = b.gatesOf(&against, layers, few, most)
	gates.equalities = b.gatesOf(&against, layers, few, most)
	gates.xors3 = b.gatesOf(&against, layers, few, most*5/6)
	gates.xors4 = b.gatesOf(&against, layers, few, most*3/5)
	width = b.Between(size.leastWidth, max(size.leastWidth, size.mostWidth-against))
	return gates, width
}

// gatesOf draws the number of gates of one kind.
func (b *Builder) gatesOf(against *int, layers int, few bool, most int) int {
	if !b.OneIn(uint32(*against + 1)) {
		*against += max(1, layers-1)
		return 0
	}
	if few {
		*against *= 2
	} else {
		*against++
	}
	return b.Between(0, max(0, most))
}

// wcnfuzzMakeGates adds the Tseitin encodings of the gates.
func (b *Builder) wcnfuzzMakeGates(gates gateCounts, allSoft bool) {
	if b.f.Vars < 2 {
		return
	}
	for range gates.equalities {
		activation, soft := b.beginGate(allSoft)
		x, y := b.gateLit(), b.gateLit()
		b.lits = b.lits[:0]
		b.gateClause(activation, soft, x, y)
		b.gateClause(activation, soft, -x, -y)
		b.endGate(activation)
	}
	for range gates.ands {
		b.wcnfuzzAnd(allSoft)
	}
	for range gates.xors3 {
		b.wcnfuzzXor(3, allSoft)
	}
	for range gates.xors4 {
		b.wcnfuzzXor(4, allSoft)
	}
}

// beginGate returns the gate's activation literal: 0, for none, if all clauses are
// soft, and for one gate in four, which is hard.
func (b *Builder) beginGate(allSoft bool) (activation int32, soft bool) {
	b.lits = b.lits[:0]
	b.ints = b.ints[:0]
	if allSoft {
		return 0, true
	}
	if !b.OneIn(wcnfuzzHardGate) {
		activation = b.fresh()
	}
	return activation, false
}

// gateLit draws a literal whose variable the gate does not have yet.
func (b *Builder) gateLit() int32 {
	for {
		last := b.layers[len(b.layers)-1]
		v := b.among(1, last.high)
		if !b.holds(v) || len(b.lits) >= int(last.high) {
			l := b.sign(v)
			b.lits = append(b.lits, l)
			return l
		}
	}
}

// gateClause adds one clause of a gate.
func (b *Builder) gateClause(activation int32, soft bool, lits ...int32) {
	b.lits = b.lits[:0]
	if activation != 0 {
		b.lits = append(b.lits, activation)
	}
	b.lits = append(b.lits, lits...)
	b.end(soft)
}

// endGate adds the unit soft clause with the negated activation literal.
func (b *Builder) endGate(activation int32) {
	if activation != 0 {
		b.soft(-activation)
	}
}

func (b *Builder) wcnfuzzAnd(allSoft bool) {
	variables := int(b.layers[len(b.layers)-1].high)
	activation, soft := b.beginGate(allSoft)
	arity := b.Between(2, max(2, min(wcnfuzzMostArity, variables/2)))
	arity = min(arity, variables-1)
	var gate [wcnfuzzMostArity + 1]int32
	for i := range arity + 1 {
		gate[i] = b.gateLit()
	}
	b.gateClause(activation, soft, gate[:arity+1]...)
	for _, input := range gate[1 : arity+1] {
		b.gateClause(activation, soft, -gate[0], -input)
	}
	b.endGate(activation)
}

func (b *Builder) wcnfuzzXor(arity int, allSoft bool) {
	if int(b.layers[len(b.layers)-1].high) < arity {
		return
	}
	activation, soft := b.beginGate(allSoft)
	var gate [4]int32
	for i := range arity {
		gate[i] = b.gateLit()
	}
	b.lits = b.lits[:0]
	b.xorClauses(activation, soft, gate[:arity])
	b.endGate(activation)
}

// xorClauses adds the clauses that make the number of true literals odd.
func (b *Builder) xorClauses(activation int32, soft bool, lits []int32) {
	var clause [8]int32
	for signs := range uint32(1) << len(lits) {
		if parity(signs) != 0 { // clauses with an odd number of negations would forbid a solution
			continue
		}
		for i, l := range lits {
			if signs>>i&1 != 0 {
				l = -l
			}
			clause[i] = l
		}
		b.gateClause(activation, soft, clause[:len(lits)]...)
	}
}

func parity(x uint32) uint32 {
	x ^= x >> 16
	x ^= x >> 8
	x ^= x >> 4
	x ^= x >> 2
	x ^= x >> 1
	return x & 1
}
