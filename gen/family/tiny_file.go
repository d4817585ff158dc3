package family

import "github.com/ipafuzz/ipafuzz/gen/draw"

// The family tiny of formula files makes formulas that a truth table judges, with soft clauses as no interface takes
// them: of any length, repeated, and of variables that no hard clause has. All numbers are our choice.
const (
	tinyFileVars    = 12
	tinyFileClauses = 30
)

// The lengths of hard and of soft clauses, each as likely as it is often listed.
var (
	tinyHardLengths = [...]int{1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4}
	tinySoftLengths = [...]int{0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4}
)

func (b *Builder) tinyFile() {
	vars := b.Between(1, tinyFileVars)
	if b.Chance(500) {
		vars = 2 + vars/2
	}
	low, high := b.variables(vars)
	most := min(tinyFileClauses, 4+4*vars)
	clauses := b.Between(most/3, most)
	if b.OneIn(5) {
		clauses = b.Between(0, most)
	}
	softs := uint32([...]int{300, 500, 600, 700}[b.Below(4)]) // of a thousand clauses
	positive := uint32([...]int{500, 500, 250, 800}[b.Below(4)])
	inRuns := b.Flip() // all hard clauses come first, or all soft ones
	softFirst := b.Flip()
	split := clauses * int(softs) / 1000
	for i := range clauses {
		soft := b.Chance(softs)
		if inRuns {
			soft = (i < split) == softFirst
		}
		b.tinyFileClause(low, high, soft, positive)
	}
	b.weigh(evenWeights, draw.SmallWeight)
}

// tinyFileClause makes a clause of distinct variables. Each literal is positive with the chance, in a thousand.
func (b *Builder) tinyFileClause(low, high int32, soft bool, positive uint32) {
	length := tinyHardLengths[b.Below(uint32(len(tinyHardLengths)))]
	if soft {
		length = tinySoftLengths[b.Below(uint32(len(tinySoftLengths)))]
	}
	for len(b.lits) < min(length, int(high-low+1)) {
		v := b.among(low, high)
		if b.holds(v) {
			continue
		}
		if !b.Chance(positive) {
			v = -v
		}
		b.lits = append(b.lits, v)
	}
	b.end(soft)
}
