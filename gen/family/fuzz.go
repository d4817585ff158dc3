package family

import "github.com/ipafuzz/ipafuzz/gen/draw"

// The qbfuzz families follow BLB10, section 2.2, paragraph "QBFuzz". The first and the last block are
// existential. The number of existential literals of a clause follows from their share, rounded down.
// Clauses take first the variables that no clause has: the paper leaves this open, and the authors'
// program does it.

// A fuzzGrammar has the parameters of the grammar.
type fuzzGrammar struct {
	blocks, vars, clauses int
	shortest, longest     int
	existential           int // existential variables in ten, in the formula and in each clause
}

var publishedFuzz = fuzzGrammar{15, 40, 80, 5, 15, 4}

// smallFuzz draws parameters, with enough existential variables that about half of the
// formulas are true.
func (b *Builder) smallFuzz(leastVars, mostVars int) fuzzGrammar {
	g := fuzzGrammar{vars: b.Between(leastVars, mostVars), existential: b.Between(5, 8)}
	g.blocks = b.Between(1, min(6, g.vars/2+1))
	g.clauses = b.Between(1+g.vars/2, 5*g.vars/2)
	g.shortest = b.Between(1, 3)
	g.longest = b.Between(max(g.shortest, 2), min(6, g.vars))
	return g
}

func (b *Builder) fuzz(g fuzzGrammar) {
	universals := g.vars * (10 - g.existential) / 10
	b.fuzzPrefix(g.blocks, g.vars-universals, universals)
	b.q.pools[0], b.q.pools[1] = b.q.pools[0][:0], b.q.pools[1][:0]
	for _, block := range b.q.Prefix {
		kind := kindOf(block.Universal)
		b.q.pools[kind] = append(b.q.pools[kind], block.Vars...)
	}
	var fresh [2]int // how many variables of a pool no clause has; they are at its end
	for kind := range b.q.pools {
		draw.Shuffle(&b.Rand, b.q.pools[kind])
		fresh[kind] = len(b.q.pools[kind])
	}
	for range g.clauses {
		length := b.Between(g.shortest, g.longest)
		counts := [2]int{max(length*g.existential/10, 1), 0}
		counts[1] = length - counts[0]
		for kind, n := range counts {
			pool := b.q.pools[kind]
			n = min(n, len(pool))
			for taken := 0; taken < n; {
				if fresh[kind] > 0 {
					fresh[kind]--
					b.lits = append(b.lits, b.sign(pool[fresh[kind]]))
					taken++
				} else if v := b.one(pool); !b.holds(v) {
					b.lits = append(b.lits, b.sign(v))
					taken++
				}
			}
		}
		b.reduce()
		b.addNew()
	}
	b.tidy()
}

func kindOf(universal bool) int {
	if universal {
		return 1
	}
	return 0
}

// fuzzPrefix makes alternating blocks. The first is existential, and so is the last if there are enough
// existential variables. A block gets a random number of the remaining variables, up to an equal share.
// The last block of each quantifier gets the rest. The authors' program does the same.
func (b *Builder) fuzzPrefix(blocks, existentials, universals int) {
	if universals == 0 {
		blocks = 1
	}
	counts := [2]int{min((blocks+1)/2, existentials), min(blocks/2, universals)}
	counts[1] = min(counts[1], counts[0])
	if counts[1] == 0 && universals > 0 {
		counts[1] = 1
	}
	counts[0] = min(counts[0], counts[1]+1)
	rest := [2]int{existentials, universals}
	for i := 0; counts[0]+counts[1] > 0; i++ {
		kind := i % 2
		size := rest[kind]
		if counts[kind] > 1 {
			size = b.Between(1, max(rest[kind]/counts[kind], 1))
		}
		rest[kind] -= size
		counts[kind]--
		b.newBlock(kind == 1, size)
	}
}
