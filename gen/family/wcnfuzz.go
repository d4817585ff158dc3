package family

// The wcnfuzz families make layered MaxSAT instances as the programs behind the experiments of PB26
// and PB23 do. Where the programs differ from section 4.2 of PB26, its table 1 agrees with the
// programs. (docs/measured/families.md measures both.)

// A wcnfuzzProgram is one of four programs: the C program, or the Python program in one of
// its three sizes. A chance of n means one in n.
type wcnfuzzProgram struct {
	python     bool
	mostLayers int
	divisor    int    // divides the number of layers
	leastRatio int    // hard clauses per 100 variables are between this and hardMost
	longer     uint32 // chance in three that a clause grows by a literal, drawn until it fails
	huge       uint32 // chance of the fifth range of weights, those above 2^32
}

var (
	wcnfuzzC = wcnfuzzProgram{mostLayers: 9, divisor: 1, leastRatio: 150, longer: 2, huge: 6}
	// The three sizes differ only in the number of layers.
	wcnfuzzPython = wcnfuzzProgram{python: true, mostLayers: 10, divisor: 1, leastRatio: 100, longer: 1, huge: 11}
	wcnfuzzSmall  = wcnfuzzProgram{python: true, mostLayers: 10, divisor: 2, leastRatio: 100, longer: 1, huge: 11}
	wcnfuzzTiny   = wcnfuzzProgram{python: true, mostLayers: 10, divisor: 3, leastRatio: 100, longer: 1, huge: 11}
)

const (
	wcnfuzzAllSoft    = 6 // an instance has only soft clauses
	wcnfuzzUnitSofts  = 5 // C program: all soft clauses of an instance are units; Python program: none is
	wcnfuzzAllUnit    = 11
	wcnfuzzLength     = 3
	wcnfuzzLongest    = 20
	wcnfuzzShorter    = 10 // a short clause of the Python program loses a literal, and maybe another one
	wcnfuzzHardGate   = 11 // a gate has no activation literal
	wcnfuzzHardMost   = 300
	wcnfuzzSoftLeast  = 450 // soft clauses per 100 variables
	wcnfuzzSoftMost   = 700
	wcnfuzzLeastHard  = 5 // narrowest hard layer
	wcnfuzzLeastSoft  = 4
	wcnfuzzMostSoft   = 8 // widest soft layer; each further layer has one variable less
	wcnfuzzSoftAgain  = 3 // the chance of another soft layer is 1/n; each soft layer adds this to n
	wcnfuzzLastSoft   = 9 // the last layer of the Python program is hard, without soft clauses and with few gates
	wcnfuzzFewGates   = 3
	wcnfuzzMostArity  = 19
	wcnfuzzWidest     = 45
	wcnfuzzHits       = 5  // after so many collisions the Python program takes used literals
	wcnfuzzMoreHits   = 10 // and after so many, even literals whose variable the clause has
	wcnfuzzSplitSofts = 4  // an instance with only soft clauses and more layers than this gets fewer
)

func (p *wcnfuzzProgram) make(b *Builder) {
	b.f.Repeats = true
	layers := b.Between(1, p.mostLayers)
	allSoft := b.OneIn(wcnfuzzAllSoft)
	gates, width := b.wcnfuzzGates(p, layers, allSoft)
	if allSoft && layers > wcnfuzzSplitSofts {
		if layers /= 2; !p.python {
			layers = b.Between(2, wcnfuzzSplitSofts)
		}
	}
	w := b.wcnfuzzWeights(p)
	layers = max(1, layers/p.divisor)
	layers = max(1, layers/w.divisor)
	unitSofts := b.OneIn(wcnfuzzUnitSofts) != p.python
	if !p.python && allSoft && unitSofts {
		unitSofts = b.OneIn(wcnfuzzAllUnit)
	}
	b.wcnfuzzLayers(p, layers, width, allSoft, gates.total())
	for i := range b.layers {
		l := &b.layers[i]
		unit := l.soft && unitSofts
		for range l.clauses {
			if b.full() {
				break
			}
			if p.python {
				b.wcnfuzzClausePython(p, i, unit)
			} else {
				b.wcnfuzzClauseC(p, i, unit)
			}
			b.end(l.soft)
		}
	}
	b.wcnfuzzMakeGates(gates, allSoft)
	b.weighAs(&w)
}

// wcnfuzzGates decides how many gates of each kind there are and how wide a hard layer
// may be. More layers, and more kinds decided before, mean fewer gates and narrower layers.
func (b *Builder) wcnfuzzGates(p *wcnfuzzProgram, layers int, allSoft bool) (g gateCounts, width int) {
	if layers <= 2 && !allSoft {
		against := 1
		draw := func(most int) int {
			if !b.OneIn(uint32(against + layers)) {
				return 0
			}
			n := b.Between(0, most-against)
			if n > 0 {
				against *= 2
			}
			return n
		}
		g.ands, g.equalities, g.xors3, g.xors4 = draw(28), draw(32), draw(19), draw(13)
		return g, b.Between(10, max(10, wcnfuzzWidest-against))
	}
	against := layers
	if p.python {
		against = min(layers, 8)
	}
	draw := func(most int) (n int) {
		if b.OneIn(uint32(against + 1)) {
			n = b.Between(0, most-layers)
		}
		if (n > 0) != p.python { // here the two programs do the opposite of each other
			against += layers - 1
		} else {
			against++
		}
		return n
	}
	g.ands, g.equalities, g.xors3, g.xors4 = draw(18), draw(18), draw(15), draw(11)
	widest := wcnfuzzWidest - against
	if widest <= wcnfuzzLeastHard && p.python {
		return g, max(1, widest) // may be narrower than the least width, as in the program
	}
	return g, b.Between(wcnfuzzLeastHard, max(wcnfuzzLeastHard, widest))
}

// wcnfuzzLayers decides the width, the kind and the number of clauses of every layer.
func (b *Builder) wcnfuzzLayers(p *wcnfuzzProgram, layers, width int, allSoft bool, gates int) {
	softs, previous := 0, 0
	for i := range layers {
		soft := allSoft
		switch {
		case allSoft:
		case p.python && softs == 0 && i == layers-1 && gates < wcnfuzzFewGates:
			soft = !b.OneIn(wcnfuzzLastSoft)
		default:
			soft = b.OneIn(uint32(2 + wcnfuzzSoftAgain*softs))
		}
		wide, ratio := 0, 0
		if soft {
			wide = b.Between(wcnfuzzLeastSoft, max(wcnfuzzMostSoft-softs, wcnfuzzLeastSoft))
			ratio = b.Between(wcnfuzzSoftLeast, wcnfuzzSoftMost)
			softs++
		} else {
			wide = b.Between(min(width, wcnfuzzLeastHard), width)
			ratio = b.Between(p.leastRatio, wcnfuzzHardMost)
		}
		if !b.addLayer(wide) {
			return
		}
		l := &b.layers[i]
		own := int(l.high - l.low + 1)
		l.soft, l.clauses = soft, ratio*(own+previous)/100
		previous = own
	}
}

// wcnfuzzGrown draws the length of a clause. It grows until a draw fails.
func (b *Builder) wcnfuzzGrown(p *wcnfuzzProgram) int {
	length := wcnfuzzLength
	for length < wcnfuzzLongest && b.Below(3) < p.longer {
		length++
	}
	return length
}

// downFrom returns layer i, or with chance 1/2 each an earlier one: i-1, i-2 and so on.
func (b *Builder) downFrom(i int) *layer {
	for i > 0 && b.Flip() {
		i--
	}
	return &b.layers[i]
}

// wcnfuzzClauseC draws the literals of a clause as the C program does. It omits a literal whose
// variable the clause has, so clauses may be shorter than their drawn length.
func (b *Builder) wcnfuzzClauseC(p *wcnfuzzProgram, i int, unit bool) {
	for range b.wcnfuzzGrown(p) {
		l := b.downFrom(i)
		if lit := b.drawn(l, l.unused > 0); lit != 0 {
			if b.lits = append(b.lits, lit); unit {
				return
			}
		}
	}
}

// wcnfuzzClausePython draws the literals of a clause as the Python program does: after a collision, it
// draws again. After many collisions, a hard clause gets a variable twice. A soft clause gets a literal
// less; in the program, that happens in one case of a thousand.
func (b *Builder) wcnfuzzClausePython(p *wcnfuzzProgram, i int, unit bool) {
	length := b.wcnfuzzGrown(p)
	for length <= wcnfuzzLength && length > 1 && b.OneIn(wcnfuzzShorter) {
		length--
	}
	if unit {
		length = 1
	}
	for hits := 0; length > 0; {
		l := b.downFrom(i)
		fresh := l.unused > 0 && hits < wcnfuzzHits
		lit := b.drawn(l, fresh)
		switch {
		case lit == 0 && hits < wcnfuzzMoreHits:
			hits++
			continue
		case lit == 0 && !b.layers[i].soft:
			lit = b.sign(b.among(l.low, l.high))
		}
		if lit != 0 {
			b.lits = append(b.lits, lit)
		}
		if !fresh {
			hits = 0
		}
		length--
	}
}

// drawn draws a literal of the layer or, if fresh, one of those that no clause has. It returns 0 if the
// clause being made has the literal's variable.
func (b *Builder) drawn(l *layer, fresh bool) int32 {
	if !fresh {
		if v := b.among(l.low, l.high); !b.holds(v) {
			return b.sign(v)
		}
		return 0
	}
	pick, last := l.first+int(b.Below(uint32(l.unused))), l.first+l.unused-1
	lit := b.unused[pick]
	if b.holds(lit) {
		return 0
	}
	l.unused--
	b.unused[pick], b.unused[last] = b.unused[last], lit
	return lit
}

// wcnfuzzMakeGates adds the Tseitin encodings of the gates.
func (b *Builder) wcnfuzzMakeGates(gates gateCounts, allSoft bool) {
	if len(b.layers) == 0 {
		return
	}
	vars := int(b.layers[len(b.layers)-1].high)
	last := 0 // variables of the last two layers
	for _, l := range b.layers[max(0, len(b.layers)-2):] {
		last += int(l.high - l.low + 1)
	}
	arity := max(2, min(last/2, wcnfuzzMostArity))
	for range gates.equalities {
		b.wcnfuzzGate(2, vars, allSoft, (*Builder).equality)
	}
	for range gates.ands {
		b.wcnfuzzGate(b.Between(2, arity)+1, vars, allSoft, (*Builder).and)
	}
	for range gates.xors3 {
		b.wcnfuzzGate(3, 0, allSoft, (*Builder).xor)
	}
	for range gates.xors4 {
		b.wcnfuzzGate(4, 0, allSoft, (*Builder).xor)
	}
}

// wcnfuzzGate adds a gate of n literals with distinct variables, unless there are fewer variables: vars
// is their number. If vars is 0, a variable may occur twice. The clauses of a gate with an activation
// literal need to hold only if the soft clause of that literal holds.
func (b *Builder) wcnfuzzGate(n, vars int, allSoft bool, encode func(b *Builder, activation int32, lits []int32)) {
	if n > vars && vars > 0 {
		return
	}
	activation := int32(0)
	if !b.OneIn(wcnfuzzHardGate) || allSoft {
		activation = b.fresh()
	}
	var lits [wcnfuzzMostArity + 1]int32
	b.lits = b.lits[:0]
	for len(b.lits) < n {
		l := &b.layers[b.Below(uint32(len(b.layers)))]
		if v := b.among(l.low, l.high); vars == 0 || !b.holds(v) {
			b.lits = append(b.lits, b.sign(v))
		}
	}
	copy(lits[:], b.lits)
	encode(b, activation, lits[:n])
	b.endGate(activation)
}

func (b *Builder) equality(activation int32, lits []int32) {
	b.gateClause(activation, false, lits[0], lits[1])
	b.gateClause(activation, false, -lits[0], -lits[1])
}

func (b *Builder) and(activation int32, lits []int32) {
	b.gateClause(activation, false, lits...)
	for _, input := range lits[1:] {
		b.gateClause(activation, false, -lits[0], -input)
	}
}

func (b *Builder) xor(activation int32, lits []int32) {
	b.xorClauses(activation, false, lits)
}
