package quantified

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A table holds two sets: the assignments that fulfil the clauses, one bit each, and the assignments of the
// outermost block with which its player wins. It makes the second set from the first one, which it folds from
// the innermost block outwards: OR for an existential variable, AND for a universal one.
//
// Only variables of clauses have a dimension, because the truth of a formula does not depend on others. If a
// formula has more clauses than the one before, the first set only loses assignments. If clauses are gone, the
// table makes it again.
type table struct {
	dims   qbf.Numbers // of the variables in clauses
	order  []int32     // the variable of each dimension
	occurs qbf.Numbers // for number: the variables of blocks that clauses have

	clauses cube.Set
	lits    []int32 // the clauses that are in the set
	ends    []int32

	levels    []level // of each dimension, for wins
	depths    []int32 // for levelsOf: of each block
	room      [highestMaxVars]level
	wins      cube.Set
	position  []int8 // of each dimension in wins; -1: it is not of the outermost block
	universal bool   // the quantifier of the outermost block
	made      bool   // wins is the one for clauses
}

// A level says where in the prefix a variable is. Neighbouring blocks of one quantifier have one level. Free
// variables have level 0, which is existential.
type level struct {
	depth     int32
	universal bool
}

func (t *table) vars() int { return len(t.order) }

func (t *table) reset() {
	t.dims.Reset()
	t.order = t.order[:0]
	t.clauses.Reset()
	t.lits, t.ends = t.lits[:0], t.ends[:0]
	t.made = false
}

// pose makes the table of a formula. It returns false if the formula has too many variables or the budget left is
// too small. Then the table cannot answer.
func (t *table) pose(f *qbf.Formula, blocks *qbf.Numbers, maxVars int, left *int) bool {
	known := t.prefixOf(f)
	if known < 0 {
		t.reset()
		known = 0
		t.number(f, blocks, maxVars) // outer variables first
	}
	for _, clause := range f.Clauses[known:] {
		if !t.add(clause, maxVars, left) {
			t.ends = append(t.ends, -1) // is no clause of the next formula, so that it gets a new table
			return false
		}
		t.made = false
	}
	return t.fold(f, blocks, left)
}

// prefixOf returns the number of clauses in the table if they are the first ones of the formula, or -1.
func (t *table) prefixOf(f *qbf.Formula) int {
	if t.clauses.Words() == 0 || len(t.ends) > len(f.Clauses) {
		return -1
	}
	at := int32(0)
	for i, end := range t.ends {
		if end < at || !slices.Equal(t.lits[at:end], f.Clauses[i]) {
			return -1
		}
		at = end
	}
	return len(t.ends)
}

// number gives the variables of a formula dimensions in the order of the prefix. Then the inner variables, which
// fold folds first, have high dimensions, whose folding halves the set.
func (t *table) number(f *qbf.Formula, blocks *qbf.Numbers, maxVars int) {
	t.occurs.Reset()
	for _, clause := range f.Clauses {
		for _, l := range clause {
			if v := variable(l); blocks.Of(v) < 0 {
				t.dim(v, maxVars)
			} else {
				t.occurs.Set(v, 0)
			}
		}
	}
	for i := range f.Prefix {
		for _, v := range f.Prefix[i].Vars {
			if t.occurs.Of(v) >= 0 {
				t.dim(v, maxVars)
			}
		}
	}
}

// dim returns the dimension of a variable, and gives it one if necessary. It returns -1 if there would be too many.
func (t *table) dim(v int32, maxVars int) int32 {
	d := t.dims.Of(v)
	if d < 0 && len(t.order) < maxVars {
		d = int32(len(t.order))
		t.dims.Set(v, d)
		t.order = append(t.order, v)
		t.clauses.Grow()
	}
	return d
}

// add removes the assignments that falsify a clause.
func (t *table) add(clause []int32, maxVars int, left *int) bool {
	falsified := cube.Anything()
	for _, l := range clause {
		d := t.dim(variable(l), maxVars)
		if d < 0 {
			return false
		}
		falsified.Require(int8(d), 1-sign(l))
	}
	if *left -= t.clauses.Words() >> min(10, len(clause)); *left < 0 {
		return false
	}
	t.clauses.Remove(&falsified)
	t.lits = append(t.lits, clause...)
	t.ends = append(t.ends, int32(len(t.lits)))
	return true
}

// fold makes wins, unless it is up to date. It returns false if the budget left is too small.
func (t *table) fold(f *qbf.Formula, blocks *qbf.Numbers, left *int) bool {
	levels, universal := t.levelsOf(f, blocks)
	if t.made && universal == t.universal && slices.Equal(levels, t.levels) {
		return true
	}
	t.made, t.universal = false, universal
	t.levels = append(t.levels[:0], levels...)
	if *left -= 8 * t.clauses.Words(); *left < 0 { // two for the high dimensions, six for those in words
		return false
	}
	t.position = t.position[:0]
	for d := range levels {
		t.position = append(t.position, int8(d))
	}
	outer := level{0, universal}
	from := &t.clauses
	for {
		inner := -1 // the dimension of the innermost variable that is left, the highest of its level
		for d, at := range t.position {
			if at >= 0 && levels[d] != outer && (inner < 0 || levels[d].depth >= levels[inner].depth) {
				inner = d
			}
		}
		if inner < 0 {
			break
		}
		q := cube.Exists
		if levels[inner].universal {
			q = cube.Forall
		}
		foldAt(&t.wins, from, t.position, inner, q)
		from = &t.wins
	}
	if from == &t.clauses {
		t.wins.Copy(from)
	}
	if universal {
		t.wins.Complement()
	}
	t.made = true
	return true
}

// foldAt folds a dimension and updates the positions of the others.
func foldAt(to, from *cube.Set, position []int8, d int, q cube.Quantifier) {
	at := position[d]
	position[d] = -1
	if !to.Fold(from, int(at), q) {
		return
	}
	for i := range position {
		if position[i] > at {
			position[i]--
		}
	}
}

// levelsOf returns the level of each dimension, and the quantifier of the outermost block. Level 0 is the
// outermost block of the formula, even if no clause has its variables. If a clause has free variables, level 0
// has them.
func (t *table) levelsOf(f *qbf.Formula, blocks *qbf.Numbers) ([]level, bool) {
	levels := t.room[:0]
	first, free := -1, false
	for i := range f.Prefix {
		if len(f.Prefix[i].Vars) > 0 {
			first = i
			break
		}
	}
	for _, v := range t.order {
		free = free || blocks.Of(v) < 0
	}
	universal := first >= 0 && f.Prefix[first].Universal && !free
	t.depths = t.depths[:0]
	depth, player := int32(0), universal
	for i := range f.Prefix {
		if b := &f.Prefix[i]; len(b.Vars) > 0 && b.Universal != player {
			depth++
			player = b.Universal
		}
		t.depths = append(t.depths, depth)
	}
	for _, v := range t.order {
		b := blocks.Of(v)
		if b < 0 {
			levels = append(levels, level{})
			continue
		}
		levels = append(levels, level{t.depths[b], f.Prefix[b].Universal})
	}
	return levels, universal
}

func (t *table) under(assumptions []int32, left *int) Truth {
	k := cube.Anything()
	for _, l := range assumptions {
		d := t.dims.Of(variable(l))
		switch {
		case d < 0: // no clause has it
		case t.position[d] < 0:
			return t.inside(assumptions, left)
		default:
			k.Require(t.position[d], sign(l))
		}
	}
	return truthOf(t.wins.Has(&k) != t.universal)
}

// inside is under for assumptions on any variables: it applies them to the set before it folds the other
// variables.
func (t *table) inside(assumptions []int32, left *int) Truth {
	if *left -= 9 * t.clauses.Words(); *left < 0 {
		return Unknown
	}
	var set cube.Set
	set.Copy(&t.clauses)
	position := make([]int8, len(t.order))
	for d := range position {
		position[d] = int8(d)
	}
	for _, l := range assumptions {
		if d := t.dims.Of(variable(l)); d >= 0 && position[d] >= 0 {
			foldAt(&set, &set, position, int(d), [...]cube.Quantifier{cube.AtTrue, cube.AtFalse}[sign(l)])
		}
	}
	for {
		inner := -1
		for d, at := range position {
			if at >= 0 && (inner < 0 || t.levels[d].depth >= t.levels[inner].depth) {
				inner = d
			}
		}
		if inner < 0 {
			anything := cube.Anything()
			return truthOf(set.Has(&anything))
		}
		q := cube.Exists
		if t.levels[inner].universal {
			q = cube.Forall
		}
		foldAt(&set, &set, position, inner, q)
	}
}

// win returns a winning assignment of the outermost block, or nil if it knows none.
func (t *table) win(assumptions []int32) []int32 {
	k := cube.Anything()
	for _, l := range assumptions {
		if d := t.dims.Of(variable(l)); d >= 0 {
			if t.position[d] < 0 {
				return nil
			}
			k.Require(t.position[d], sign(l))
		}
	}
	if !t.wins.Has(&k) {
		return nil
	}
	bits := t.wins.First(&k)
	var win []int32
	for d, v := range t.order {
		if at := t.position[d]; at >= 0 {
			if bits>>at&1 == 0 {
				v = -v
			}
			win = append(win, v)
		}
	}
	slices.SortFunc(win, func(a, b int32) int { return int(variable(a) - variable(b)) })
	return win
}
