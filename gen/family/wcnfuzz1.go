package family

// Version 1 of the wcnfuzz families follows the text of the papers: PB26 (section 4.2) and PB23
// (section 2.1). Version 2, in wcnfuzz.go, follows the programs that made the papers' instances.
// Version 1 stays for the profiles that draw it. The sizes have the numbers that the papers leave open
// or that differ between the programs.

// A wcnfuzz1Size has the numbers in which the four sizes differ.
type wcnfuzz1Size struct {
	mostLayers   int // PB26: at most 10
	layerDivisor int // smaller versions have fewer layers
	leastWidth   int // width of a hard layer
	mostWidth    int // PB26: at most 70, by version
	softWidth    int // widest first soft layer; later ones are narrower
	python       bool
	hardLeast    int // clauses per 100 variables of a hard layer; PB23: 1 to 2.5, PB26: 1 to 3
	hardMost     int
	softLeast    int // clauses per 100 variables of a soft layer; PB23: 3.5 to 5.5, PB26: 4.5 to 7
	softMost     int
	gates        int // most gates of a kind; fewer with more layers
	gateShare    int // most gates of a kind per 100 variables
}

var (
	size1C = wcnfuzz1Size{
		mostLayers: 10, layerDivisor: 1, leastWidth: 4, mostWidth: 60, softWidth: 12,
		hardLeast: 100, hardMost: 270, softLeast: 350, softMost: 550, gates: 20, gateShare: 50,
	}
	size1Python = wcnfuzz1Size{
		mostLayers: 10, layerDivisor: 1, leastWidth: 5, mostWidth: 45, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 45,
	}
	size1Small = wcnfuzz1Size{
		mostLayers: 10, layerDivisor: 2, leastWidth: 5, mostWidth: 56, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 60,
	}
	size1Tiny = wcnfuzz1Size{
		mostLayers: 10, layerDivisor: 3, leastWidth: 5, mostWidth: 68, softWidth: 5, python: true,
		hardLeast: 100, hardMost: 300, softLeast: 700, softMost: 1000, gates: 18, gateShare: 60,
	}
)

// Chances and lengths, from PB26 section 4.2 unless a comment names another source. A
// chance of n means one in n.
const (
	wcnfuzz1Away         = 2  // a literal is from an earlier layer
	wcnfuzz1AllSoft      = 10 // an instance has only soft clauses
	wcnfuzz1UnitSofts    = 4  // an instance has only unit soft clauses
	wcnfuzz1GBMO         = 12 // an instance of the Python version has levels of weights
	wcnfuzz1Tight        = 17 // an instance of the Python version has tight weights
	wcnfuzz1Length       = 3
	wcnfuzz1Longer       = 3  // a clause grows by one, drawn until it fails
	wcnfuzz1Shorter      = 10 // a clause of at most three literals shrinks by one, drawn until it fails
	wcnfuzz1Longest      = 20
	wcnfuzz1HardGate     = 4  // a gate has no activation literal
	wcnfuzz1LastSoft     = 9  // the last layer is hard although there are no soft clauses
	wcnfuzz1SoftAgain    = 3  // the chance of another soft layer is 1/n; each adds this to n; chosen here
	wcnfuzz1LeastSoft    = 4  // narrowest soft layer; chosen here
	wcnfuzz1FewerSoft    = 2  // divides the width of the soft layer before, in the Python version; chosen here
	wcnfuzz1MostArity    = 19 // most inputs of an AND gate; chosen here
	wcnfuzz1HugeDivisor  = 3  // divides the number of layers for weights above 2^32; chosen here
	wcnfuzz1LargeDivisor = 2  // and for weights above 2^16
)

func (size *wcnfuzz1Size) make(b *Builder) {
	allSoft := b.OneIn(wcnfuzz1AllSoft)
	unitSofts := b.OneIn(wcnfuzz1UnitSofts)
	layers := b.Between(1, size.mostLayers)
	gates, width := b.wcnfuzz1Gates(size, layers, allSoft)
	if allSoft && layers > 4 {
		layers /= 2
	}
	layers = max(1, layers/size.layerDivisor)
	how, largest := evenWeights, b.largestWeight()
	if size.python {
		switch {
		case b.OneIn(wcnfuzz1GBMO):
			how = levelWeights
		case b.OneIn(wcnfuzz1Tight):
			how = tightWeights
		}
		if largest > 1<<32 {
			layers = max(1, layers/wcnfuzz1HugeDivisor)
		} else if largest > 1<<16 {
			layers = max(1, layers/wcnfuzz1LargeDivisor)
		}
	}
	b.wcnfuzz1Layers(size, layers, width, allSoft, gates.total())
	for i := range b.layers {
		for range b.layers[i].clauses {
			length := b.wcnfuzz1Length()
			if b.layers[i].soft && unitSofts {
				length = 1
			}
			b.layerClause(i, length, wcnfuzz1Away, b.layers[i].soft)
		}
	}
	b.wcnfuzz1MakeGates(gates.atMost(b.f.Vars*size.gateShare/100), allSoft)
	b.weigh(how, largest)
}

// wcnfuzz1Layers decides the width, kind and number of clauses of every layer.
func (b *Builder) wcnfuzz1Layers(size *wcnfuzz1Size, layers, width int, allSoft bool, gates int) {
	softLayers, previous := 0, 0
	for i := range layers {
		soft := allSoft
		switch {
		case allSoft:
		case softLayers == 0 && i == layers-1 && gates < 3:
			soft = !b.OneIn(wcnfuzz1LastSoft)
		default:
			soft = b.OneIn(uint32(2 + wcnfuzz1SoftAgain*softLayers))
		}
		wide := b.Between(size.leastWidth, width)
		if soft {
			wide = b.Between(wcnfuzz1LeastSoft, max(size.softWidth-softLayers, wcnfuzz1LeastSoft))
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
				previous /= wcnfuzz1FewerSoft
			}
		}
		l.clauses = ratio * (own + previous) / 100
		previous = own
	}
}

func (b *Builder) wcnfuzz1Length() int {
	length := b.growing(wcnfuzz1Length, wcnfuzz1Longest, wcnfuzz1Longer)
	for length <= wcnfuzz1Length && length > 1 && b.OneIn(wcnfuzz1Shorter) {
		length--
	}
	return length
}

// wcnfuzz1Gates decides how many gates of each kind there are and how wide a layer
// may be. More layers, and more kinds decided before, mean fewer gates.
func (b *Builder) wcnfuzz1Gates(size *wcnfuzz1Size, layers int, allSoft bool) (gates gateCounts, width int) {
	few := layers <= 2 && !allSoft
	against := min(layers, 8)
	most := size.gates - layers
	if few {
		against, most = layers, size.gates*3/2
	}
	gates.ands = b.gates1Of(&against, layers, few, most)
	gates.equalities = b.gates1Of(&against, layers, few, most)
	gates.xors3 = b.gates1Of(&against, layers, few, most*5/6)
	gates.xors4 = b.gates1Of(&against, layers, few, most*3/5)
	width = b.Between(size.leastWidth, max(size.leastWidth, size.mostWidth-against))
	return gates, width
}

// gates1Of draws the number of gates of one kind.
func (b *Builder) gates1Of(against *int, layers int, few bool, most int) int {
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

// wcnfuzz1MakeGates adds the Tseitin encodings of the gates.
func (b *Builder) wcnfuzz1MakeGates(gates gateCounts, allSoft bool) {
	if b.f.Vars < 2 {
		return
	}
	for range gates.equalities {
		activation, soft := b.beginGate1(allSoft)
		x, y := b.gateLit1(), b.gateLit1()
		b.lits = b.lits[:0]
		b.gateClause(activation, soft, x, y)
		b.gateClause(activation, soft, -x, -y)
		b.endGate(activation)
	}
	for range gates.ands {
		b.wcnfuzz1And(allSoft)
	}
	for range gates.xors3 {
		b.wcnfuzz1Xor(3, allSoft)
	}
	for range gates.xors4 {
		b.wcnfuzz1Xor(4, allSoft)
	}
}

// beginGate1 returns the gate's activation literal, or 0 for none: if all clauses are soft, and for one
// gate in four, which is hard.
func (b *Builder) beginGate1(allSoft bool) (activation int32, soft bool) {
	b.lits = b.lits[:0]
	b.ints = b.ints[:0]
	if allSoft {
		return 0, true
	}
	if !b.OneIn(wcnfuzz1HardGate) {
		activation = b.fresh()
	}
	return activation, false
}

// gateLit1 draws a literal whose variable the gate does not have yet.
func (b *Builder) gateLit1() int32 {
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

func (b *Builder) wcnfuzz1And(allSoft bool) {
	variables := int(b.layers[len(b.layers)-1].high)
	activation, soft := b.beginGate1(allSoft)
	arity := b.Between(2, max(2, min(wcnfuzz1MostArity, variables/2)))
	arity = min(arity, variables-1)
	var gate [wcnfuzz1MostArity + 1]int32
	for i := range arity + 1 {
		gate[i] = b.gateLit1()
	}
	b.gateClause(activation, soft, gate[:arity+1]...)
	for _, input := range gate[1 : arity+1] {
		b.gateClause(activation, soft, -gate[0], -input)
	}
	b.endGate(activation)
}

func (b *Builder) wcnfuzz1Xor(arity int, allSoft bool) {
	if int(b.layers[len(b.layers)-1].high) < arity {
		return
	}
	activation, soft := b.beginGate1(allSoft)
	var gate [4]int32
	for i := range arity {
		gate[i] = b.gateLit1()
	}
	b.lits = b.lits[:0]
	b.xorClauses(activation, soft, gate[:arity])
	b.endGate(activation)
}
