package trace

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Misuse reports a call that is legal in its state but not after the calls before it, such as
// a pop without a push, or a block with a variable of another block.
type Misuse struct {
	Problem string
	Want    string
	Arg     int // the wrong argument, from 1; 0: the call itself
}

// Error returns the message.
func (e *Misuse) Error() string { return e.Problem }

// quantified tracks what decides, besides its state, which calls of model qbf are legal in one
// solver. apimodel.QBF has the rules. No answer affects them.
type quantified struct {
	levels  map[int32]int // levels of the variables; 0: free
	free    bool          // there are free variables
	blocks  []blockSize
	assumed []int32 // the variables that are assumed for the next solve
	deepest int     // the innermost level of the assumed variables

	units           Units
	framed, grouped bool // there has been a frame, or a group
}

type blockSize struct {
	universal bool
	variables int
}

// outermost returns the quantifier of the outermost block, and the innermost level whose
// variables belong to it.
func (q *quantified) outermost() (universal bool, last int) {
	decided := q.free
	for i, block := range q.blocks {
		switch {
		case block.variables == 0:
		case !decided:
			universal, decided = block.universal, true
		case block.universal != universal:
			return universal, i
		}
	}
	return universal, len(q.blocks)
}

// A quantifiedRow says what a call needs besides its state, and what it changes. A call without take may change units.
type quantifiedRow struct {
	refuse func(*quantified, *Trace, *Call) *Misuse
	take   func(*quantified, *Trace, *Call)
}

var quantifiedRows = [apimodel.NumOps]quantifiedRow{
	apimodel.OpExists:     {(*quantified).refuseBlock, (*quantified).block},
	apimodel.OpForall:     {(*quantified).refuseBlock, (*quantified).block},
	apimodel.OpExtend:     {(*quantified).refuseExtension, (*quantified).extend},
	apimodel.OpClause:     {(*quantified).refuseClause, (*quantified).clause},
	apimodel.OpAssume:     {(*quantified).refuseAssumption, (*quantified).assume},
	apimodel.OpPush:       {refuse: (*quantified).refuseFrame},
	apimodel.OpPop:        {refuse: (*quantified).refuseFrame},
	apimodel.OpOpen:       {refuse: (*quantified).refuseGroup},
	apimodel.OpClose:      {refuse: (*quantified).refuseGroup},
	apimodel.OpActivate:   {refuse: (*quantified).refuseGroup},
	apimodel.OpDeactivate: {refuse: (*quantified).refuseGroup},
	apimodel.OpDelete:     {refuse: (*quantified).refuseGroup},
	apimodel.OpSolve:      {take: func(q *quantified, _ *Trace, _ *Call) { q.assumed, q.deepest = q.assumed[:0], 0 }},
	apimodel.OpRelease:    {take: func(q *quantified, _ *Trace, _ *Call) { *q = quantified{} }},
}

// refuse says why call c must not follow the calls before it, or returns nil if it may. The
// arguments of c must be well formed.
func (q *quantified) refuse(t *Trace, c *Call) *Misuse {
	if refuse := quantifiedRows[c.Op].refuse; refuse != nil {
		return refuse(q, t, c)
	}
	return nil
}

// take makes a call that refuse has allowed.
func (q *quantified) take(t *Trace, c *Call) {
	if take := quantifiedRows[c.Op].take; take != nil {
		take(q, t, c)
		return
	}
	q.units.Take(c)
	q.framed = q.framed || len(q.units.frames) > 0
	q.grouped = q.grouped || q.units.open != 0
}

func (q *quantified) refuseFrame(_ *Trace, c *Call) *Misuse {
	switch {
	case q.grouped:
		return &Misuse{c.Op.String() + " in a solver that has groups", "frames or groups, not both", 0}
	case c.Op == apimodel.OpPop && len(q.units.frames) == 0:
		return &Misuse{"pop without push", "a push before each pop", 0}
	}
	return nil
}

func (q *quantified) refuseBlock(t *Trace, c *Call) *Misuse { return q.refuseVars(t.Args(c), 1) }

// refuseVars checks the variables that a call adds to a block. The first one is argument number
// arg of the call.
func (q *quantified) refuseVars(vars []int32, arg int) *Misuse {
	const want = "a variable that no block and no clause names so far"
	var seen map[int32]bool
	if len(vars) > fewVariables {
		seen = make(map[int32]bool, len(vars))
	}
	for i, v := range vars {
		level, known := q.levels[v]
		switch {
		case known && level == 0:
			return &Misuse{fmt.Sprintf("variable %d is free: a clause names it", v), want, arg + i}
		case known:
			return &Misuse{fmt.Sprintf("variable %d is in two blocks", v), want, arg + i}
		case len(vars) <= fewVariables && slices.Contains(vars[:i], v), seen[v]:
			return &Misuse{fmt.Sprintf("variable %d is twice in a block", v), want, arg + i}
		case len(vars) > fewVariables:
			seen[v] = true
		}
	}
	return nil
}

// fewVariables is how many variables refuseVars compares with one another: for so few, that is
// faster than building a set.
const fewVariables = 16

func (q *quantified) refuseExtension(t *Trace, c *Call) *Misuse {
	level, vars := int(c.Num), t.Args(c)
	if level < 1 || level > len(q.blocks) {
		want := "a block before"
		if n := len(q.blocks); n > 0 {
			want = "the level of a block, from 1 to " + strconv.Itoa(n)
		}
		return &Misuse{fmt.Sprintf("there is no block %d", level), want, 1}
	}
	if misuse := q.refuseVars(vars, 2); misuse != nil {
		return misuse
	}
	if universal, _ := q.outermost(); len(vars) > 0 && level < q.deepest && q.blocks[level-1].universal != universal {
		return buried(1)
	}
	return nil
}

// buried returns the misuse of a call that would move an assumed variable out of the outermost
// block.
func buried(arg int) *Misuse {
	return &Misuse{"an assumed variable would not be in the outermost block any more",
		"the solve that the assumption is for", arg}
}

func (q *quantified) refuseClause(t *Trace, c *Call) *Misuse {
	if len(q.assumed) == 0 || q.free {
		return nil
	}
	if universal, _ := q.outermost(); !universal {
		return nil
	}
	for i, lit := range t.Args(c) {
		if _, known := q.levels[Var(lit)]; !known {
			return buried(1 + i)
		}
	}
	return nil
}

func (q *quantified) refuseAssumption(t *Trace, c *Call) *Misuse {
	const want = "a literal of the outermost block"
	v := Var(t.Lit(c))
	level, known := q.levels[v]
	if _, last := q.outermost(); !known || level > last {
		return &Misuse{fmt.Sprintf("variable %d is not in the outermost block", v), want, 1}
	}
	if slices.Contains(q.assumed, v) {
		return &Misuse{fmt.Sprintf("variable %d is assumed twice", v), want + " that is not assumed yet", 1}
	}
	return nil
}

func (q *quantified) refuseGroup(_ *Trace, c *Call) *Misuse {
	op, group := c.Op, c.Num
	unit, exists := q.units.groups[group]
	active := exists && q.units.IsActive(unit)
	isOpen := exists && q.units.open == unit
	problem, want, arg := "", "", 1
	switch {
	case q.framed:
		problem, want, arg = op.String()+" in a solver that has had frames", "frames or groups, not both", 0
	case !exists && op != apimodel.OpOpen:
		problem, want = "there is no group %d", "a group that exists"
	case op == apimodel.OpOpen && q.units.open != 0:
		problem, want = "group %d is opened while a group is open", "at most one open group"
	case op == apimodel.OpOpen && exists && !active, op == apimodel.OpDelete && !active:
		problem, want = "group %d is deactivated", "an active group"
	case op == apimodel.OpClose && !isOpen:
		problem, want = "group %d is closed twice", "the open group"
	case op == apimodel.OpActivate && active:
		problem, want = "group %d is active already", "a deactivated group"
	case op == apimodel.OpDeactivate && !active:
		problem, want = "group %d is deactivated twice", "an active group"
	case (op == apimodel.OpDeactivate || op == apimodel.OpDelete) && isOpen:
		problem, want = "group %d is open", "a closed group"
	default:
		return nil
	}
	if arg == 1 {
		problem = fmt.Sprintf(problem, group)
	}
	return &Misuse{problem, want, arg}
}

func (q *quantified) block(t *Trace, c *Call) {
	q.blocks = append(q.blocks, blockSize{universal: c.Op == apimodel.OpForall})
	q.quantify(len(q.blocks), t.Args(c))
}

func (q *quantified) extend(t *Trace, c *Call) { q.quantify(int(c.Num), t.Args(c)) }

func (q *quantified) clause(t *Trace, c *Call) {
	for _, lit := range t.Args(c) {
		if _, known := q.levels[Var(lit)]; !known {
			q.name(Var(lit), 0)
			q.free = true
		}
	}
}

func (q *quantified) assume(t *Trace, c *Call) {
	v := Var(t.Lit(c))
	q.assumed, q.deepest = append(q.assumed, v), max(q.deepest, q.levels[v])
}

func (q *quantified) quantify(level int, vars []int32) {
	q.blocks[level-1].variables += len(vars)
	for _, v := range vars {
		q.name(v, level)
	}
}

func (q *quantified) name(v int32, level int) {
	if q.levels == nil {
		q.levels = make(map[int32]int)
	}
	q.levels[v] = level
}
