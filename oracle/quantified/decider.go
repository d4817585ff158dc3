// Package quantified decides quantified Boolean formulas, and concludes what is true of one formula from
// another.
//
// A Decider searches all assignments if there are few variables (table.go). It simplifies larger formulas
// (simplify.go). It expands the universal variables of what remains (expand.go), and the certified reference
// answers the propositional formula. If none of these decides a formula, its truth is unknown.
package quantified

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/cube"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A Truth says whether a formula is true.
type Truth uint8

const (
	Unknown Truth = iota
	True
	False
)

// String returns unknown, true or false.
func (t Truth) String() string { return [...]string{"unknown", "true", "false"}[t] }

// truthOf returns True or False.
func truthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// A Verdict says whether a formula is true under assumptions, and how that is known.
type Verdict struct {
	Truth Truth
	by    means
	n     int // how many variables it searched or expanded
}

type means uint8

const (
	bySearch means = iota
	bySimplifying
	byExpanding
)

// String says how the verdict is known.
func (v Verdict) String() string {
	switch v.by {
	case bySearch:
		if v.n == 0 {
			return "the clauses: no variable is left"
		}
		return "exhaustive search over " + printable.Things(v.n, "variable")
	case bySimplifying:
		return "unit propagation, universal reduction and pure literals"
	}
	return fmt.Sprintf("expansion of %s, and the reference solver on the result, checked",
		printable.Things(v.n, "universal variable"))
}

// Config bounds the work of a decider. The zero Config has the usual bounds and no reference.
type Config struct {
	// MaxVars bounds the number of variables in exhaustive searches. 0 means the maximum, 24. A negative number
	// means no search.
	MaxVars int
	// Words bounds the searches between two calls of Begin, in words of 64 assignments. 0 means 2^22.
	Words int
	// Reference answers expanded formulas. It may be nil.
	Reference *reference.Reference
	// CrossCheck also simplifies and expands the formulas that the search decides, and compares the
	// verdicts.
	CrossCheck bool
}

const (
	highestMaxVars = 24      // two sets of 2 MiB
	defaultWords   = 1 << 22 // some milliseconds: 24 variables and a hundred clauses once, 16 many times
)

// A Decider decides one formula after the other and reuses its memory. It is fastest if each formula only adds
// clauses to the one before. It is not safe for concurrent use.
type Decider struct {
	cube.Budget
	reference  *reference.Reference
	problem    reference.Problem
	crossCheck bool
	err        error

	f        *qbf.Formula
	blocks   qbf.Numbers // of the variables in the prefix
	table    table
	searched bool // the table can answer for f
	simple   simplifier
	expand   expander
}

// New returns a decider.
func New(config Config) *Decider {
	return &Decider{Budget: cube.NewBudget(config.MaxVars, highestMaxVars, config.Words, defaultWords),
		reference: config.Reference, crossCheck: config.CrossCheck}
}

// Err returns an error if two ways to decide, or the reference and its checks, have contradicted each other.
// That is a bug of ipafuzz, and makes all verdicts of the decider worthless.
func (d *Decider) Err() error { return d.err }

// Pose sets the formula that Under decides. The caller must not change it until the next Pose.
func (d *Decider) Pose(f *qbf.Formula) {
	d.f = f
	d.blocks.Reset()
	for i := range f.Prefix {
		for _, v := range f.Prefix[i].Vars {
			d.blocks.Set(v, int32(i))
		}
	}
	d.searched = d.table.pose(f, &d.blocks, d.MaxVars, &d.Left)
}

// Under decides the posed formula under assumptions, which give variables their values. It is fastest if the
// variables are in the outermost block. The verdict under assumptions that contradict each other is Unknown.
func (d *Decider) Under(assumptions []int32) Verdict {
	if contradict(assumptions) {
		return Verdict{}
	}
	if d.searched {
		if truth := d.table.under(assumptions, &d.Left); truth != Unknown {
			v := Verdict{truth, bySearch, d.table.vars()}
			if d.crossCheck {
				d.compare(v, assumptions)
			}
			return v
		}
	}
	return d.beyond(assumptions)
}

func (d *Decider) compare(v Verdict, assumptions []int32) {
	other := d.beyond(assumptions)
	if other.Truth != Unknown && other.Truth != v.Truth && d.err == nil {
		d.err = fmt.Errorf("%v: %v; %v: %v", v, v.Truth, other, other.Truth)
	}
}

// beyond decides the posed formula without its table.
func (d *Decider) beyond(assumptions []int32) Verdict {
	s := &d.simple
	switch s.simplify(d.f, &d.blocks, assumptions) {
	case True:
		return Verdict{True, bySimplifying, 0}
	case False:
		return Verdict{False, bySimplifying, 0}
	}
	if !d.searched {
		if v := d.afresh(); v.Truth != Unknown {
			return v
		}
	}
	return d.expanded()
}

// afresh searches the simplified formula, in a new table.
func (d *Decider) afresh() Verdict {
	var t table
	var blocks qbf.Numbers
	for i := range d.simple.rest.Prefix {
		for _, v := range d.simple.rest.Prefix[i].Vars {
			blocks.Set(v, int32(i))
		}
	}
	if !t.pose(&d.simple.rest, &blocks, d.MaxVars, &d.Left) {
		return Verdict{}
	}
	return Verdict{t.under(nil, &d.Left), bySearch, t.vars()}
}

// Win returns values of the outermost block with which its player wins the posed formula under the assumptions,
// or nil if the exhaustive search knows none. The existential player wins if the inner formula is true, the
// universal one if it is false. Variables that no clause has may be missing.
func (d *Decider) Win(assumptions []int32) []int32 {
	if !d.searched || contradict(assumptions) {
		return nil
	}
	return d.table.win(assumptions)
}

func contradict(assumptions []int32) bool {
	for i, l := range assumptions {
		for _, o := range assumptions[:i] {
			if l == -o {
				return true
			}
		}
	}
	return false
}

func variable(l int32) int32 { return max(l, -l) }

func sign(l int32) int {
	if l < 0 {
		return 1
	}
	return 0
}
