package family

// The blocksqbf families follow BLB10, section 2.2, paragraph "Random QBF model", which is the model of
// Chen and Interian (IJCAI 2005). Every clause has the same number of literals of each block. The
// innermost block is existential.

// A blocksModel has the parameters of the model.
type blocksModel struct {
	clauses int
	sizes   []int // of the blocks, outermost first
	lits    []int // of each block in a clause
}

var publishedBlocks = blocksModel{160, []int{15, 10, 25}, []int{2, 2, 1}}

// smallBlocks draws parameters with which about as many formulas are true as false.
func (b *Builder) smallBlocks(least, most int) blocksModel {
	m := blocksModel{}
	blocks := b.Between(2, 3+most/3)
	vars := 0
	for range blocks {
		size := b.Between(least, most)
		m.sizes, m.lits = append(m.sizes, size), append(m.lits, min(b.Between(1, 2), size))
		vars += size
	}
	m.clauses = b.Between(vars, 4*vars+1)
	return m
}

func (b *Builder) blocks(m blocksModel) {
	for i, size := range m.sizes {
		b.newBlock((len(m.sizes)-i)%2 == 0, size)
	}
	const tries = 20 // there may be fewer distinct clauses than wanted
	failed := 0
	for len(b.q.Clauses) < m.clauses && failed < tries {
		for i, n := range m.lits {
			for vars, goal := b.q.Prefix[i].Vars, len(b.lits)+n; len(b.lits) < goal; {
				if v := b.one(vars); !b.holds(v) {
					b.lits = append(b.lits, b.sign(v))
				}
			}
		}
		if b.addNew() {
			failed = 0
		} else {
			failed++
		}
	}
}
