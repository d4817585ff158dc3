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

	frames          int
	framed, grouped bool
	groups          map[uint64]bool // whether a group is active, by number
	open            uint64          // the open group
	isOpen          bool
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

// refuse says why call c must not follow the calls before it, or returns nil if it may. The
// arguments of c must be well formed.
func (q *quantified) refuse(t *Trace, c *Call) *Misuse {
	switch c.Op {
	case apimodel.OpExists, apimodel.OpForall:
		return q.refuseBlock(t.Args(c), 1)
	case apimodel.OpExtend:
		return q.refuseExtension(int(c.Num), t.Args(c))
	case apimodel.OpClause:
		return q.refuseClause(t.Args(c))
	case apimodel.OpAssume:
		return q.refuseAssumption(t.Lit(c))
	case apimodel.OpPush, apimodel.OpPop:
		switch {
		case q.grouped:
			return &Misuse{c.Op.String() + " in a solver that has groups", "frames or groups, not both", 0}
		case c.Op == apimodel.OpPop && q.frames == 0:
			return &Misuse{"pop without push", "a push before each pop", 0}
		}
	case apimodel.OpOpen, apimodel.OpClose, apimodel.OpActivate, apimodel.OpDeactivate, apimodel.OpDelete:
		return q.refuseGroup(c.Op, c.Num)
	}
	return nil
}

// refuseBlock checks the variables that a call adds to a block. The first one is argument number
// arg of the call.
func (q *quantified) refuseBlock(vars []int32, arg int) *Misuse {
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

// fewVariables is how many variables refuseBlock compares with one another: for so few, that is
// faster than building a set.
const fewVariables = 16

func (q *quantified) refuseExtension(level int, vars []int32) *Misuse {
	if level < 1 || level > len(q.blocks) {
		want := "a block before"
		if n := len(q.blocks); n > 0 {
			want = "the level of a block, from 1 to " + strconv.Itoa(n)
		}
		return &Misuse{fmt.Sprintf("there is no block %d", level), want, 1}
	}
	if misuse := q.refuseBlock(vars, 2); misuse != nil {
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

func (q *quantified) refuseClause(lits []int32) *Misuse {
	if len(q.assumed) == 0 || q.free {
		return nil
	}
	if universal, _ := q.outermost(); !universal {
		return nil
	}
	for i, lit := range lits {
		if _, known := q.levels[Var(lit)]; !known {
			return buried(1 + i)
		}
	}
	return nil
}

func (q *quantified) refuseAssumption(lit int32) *Misuse {
	const want = "a literal of the outermost block"
	v := Var(lit)
	level, known := q.levels[v]
	if _, last := q.outermost(); !known || level > last {
		return &Misuse{fmt.Sprintf("variable %d is not in the outermost block", v), want, 1}
	}
	if slices.Contains(q.assumed, v) {
		return &Misuse{fmt.Sprintf("variable %d is assumed twice", v), want + " that is not assumed yet", 1}
	}
	return nil
}

func (q *quantified) refuseGroup(op apimodel.Op, group uint64) *Misuse {
	active, exists := q.groups[group]
	isOpen := q.isOpen && q.open == group
	problem, want, arg := "", "", 1
	switch {
	case q.framed:
		problem, want, arg = op.String()+" in a solver that has had frames", "frames or groups, not both", 0
	case !exists && op != apimodel.OpOpen:
		problem, want = "there is no group %d", "a group that exists"
	case op == apimodel.OpOpen && q.isOpen:
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

// take makes a call that refuse has allowed.
func (q *quantified) take(t *Trace, c *Call) {
	switch c.Op {
	case apimodel.OpExists, apimodel.OpForall:
		q.blocks = append(q.blocks, blockSize{universal: c.Op == apimodel.OpForall})
		q.quantify(len(q.blocks), t.Args(c))
	case apimodel.OpExtend:
		q.quantify(int(c.Num), t.Args(c))
	case apimodel.OpClause:
		for _, lit := range t.Args(c) {
			if _, known := q.levels[Var(lit)]; !known {
				q.name(Var(lit), 0)
				q.free = true
			}
		}
	case apimodel.OpAssume:
		v := Var(t.Lit(c))
		q.assumed, q.deepest = append(q.assumed, v), max(q.deepest, q.levels[v])
	case apimodel.OpSolve:
		q.assumed, q.deepest = q.assumed[:0], 0
	case apimodel.OpPush:
		q.framed = true
		q.frames++
	case apimodel.OpPop:
		q.frames--
	case apimodel.OpOpen:
		if q.groups == nil {
			q.groups = make(map[uint64]bool)
		}
		q.groups[c.Num], q.grouped = true, true
		q.open, q.isOpen = c.Num, true
	case apimodel.OpClose:
		q.isOpen = false
	case apimodel.OpActivate, apimodel.OpDeactivate:
		q.groups[c.Num] = c.Op == apimodel.OpActivate
	case apimodel.OpDelete:
		delete(q.groups, c.Num)
	case apimodel.OpRelease:
		*q = quantified{}
	}
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
